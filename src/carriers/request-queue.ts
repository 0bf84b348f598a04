// The send queue of a link that sends each message as one request. A request waits for a free connection, then for
// its turn by the rate. No second of the provider's clock has more requests than the limit, as on SMPP links
// (link-rate.ts). Processes may share the limit (link-shares.ts).

import { setTimeout as sleep } from 'node:timers/promises'
import { elapsedMs } from '../kit/clock.js'
import type { Database } from '../kit/postgres/db.js'
import { Semaphore } from '../kit/semaphore.js'
import { type RunningLoop, startLoop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import type { SubmitAnswer } from '../messages/carrier-port.js'
import { LinkRate } from './link-rate.js'
import { type LinkShare, openShare } from './link-shares.js'

export interface RequestQueueSettings {
  link: string
  /** The maximum number of concurrent requests. */
  concurrency: number
  /** Null: no limit. */
  perSecond: number | null
  /** Whether perSecond applies to all processes together instead of each. */
  shared: boolean
  /** The response timeout. */
  timeoutMs: number
}

/** The work of one request during its turn. A request that ends without being sent is not counted. */
export interface RequestTurn {
  left: () => void
  answered: () => void
}

interface Turn extends RequestTurn {
  end: () => void
}

const UNLIMITED: Turn = { left: () => {}, answered: () => {}, end: () => {} }
/** How many seconds of requests to accept here. */
const AHEAD_SECONDS = 2
/** The longest wait for the turn and the response together. Dispatchers wait somewhat longer. */
const WAIT_AND_ANSWER_MS = 30_000
const WAIT_LEAST_MS = 1_000
/** A returned turn is free at once. */
const POLL_MS = 50
const NOT_IN_TIME: SubmitAnswer = { kind: 'slow_down', retryAfterMs: 1_000 }

export class RequestQueue {
  readonly #concurrency: number
  readonly #waitMaxMs: number
  readonly #slots: Semaphore
  readonly #rate: LinkRate | null
  readonly #share: LinkShare | null
  /** One request waits for its turn by the rate, and the others wait behind it. */
  readonly #first = new Semaphore(1)
  #renewing: RunningLoop | null = null
  #isStopped = false

  constructor(
    settings: RequestQueueSettings,
    deps: Pick<World, 'clock' | 'log'> & { db?: Database },
  ) {
    const { concurrency, perSecond, shared, timeoutMs } = settings
    this.#concurrency = concurrency
    this.#waitMaxMs = Math.max(WAIT_LEAST_MS, WAIT_AND_ANSWER_MS - timeoutMs)
    this.#slots = new Semaphore(concurrency)
    this.#rate = perSecond === null ? null : new LinkRate(perSecond, elapsedMs(), shared)
    this.#share = this.#rate && openShare(deps, settings, this.#rate)
  }

  /** How many more to hand over: those in progress, and as many again that wait, if the rate allows them soon. */
  get capacity(): number {
    const soon = (this.#rate?.perSecond ?? Number.POSITIVE_INFINITY) * AHEAD_SECONDS
    return Math.max(1, Math.min(2 * this.#concurrency, Math.ceil(soon)))
  }

  get rate(): { perSecond: number; contract: number } | null {
    return this.#rate?.status() ?? null
  }

  async run(send: (turn: RequestTurn) => Promise<SubmitAnswer>): Promise<SubmitAnswer> {
    await this.#slots.acquire()
    try {
      const turn = await this.#takeTurn()
      return turn ? await send(turn).finally(turn.end) : NOT_IN_TIME
    } finally {
      this.#slots.release()
    }
  }

  /** Null: its turn would not come in time. */
  async #takeTurn(): Promise<Turn | null> {
    const rate = this.#rate
    if (!rate) return UNLIMITED
    // A process that only handles callbacks never gets here and has no share.
    this.#renewing ??= this.#share && startLoop(this.#share.loop)
    const untilMs = elapsedMs() + this.#waitMaxMs
    await this.#first.acquire()
    try {
      for (;;) {
        const now = elapsedMs()
        const waitMs = rate.take(now)
        if (waitMs === 0) return turnOf(rate)
        if (this.#isStopped || now >= untilMs) return null
        await sleep(Math.min(waitMs, POLL_MS))
      }
    } finally {
      this.#first.release()
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    if (!this.#renewing) return
    await this.#renewing.stop()
    this.#share?.release()
  }
}

/** Requests use any connection, so their order is unknown. */
function turnOf(rate: LinkRate): Turn {
  const request = {}
  let state: 'waiting' | 'left' | 'ended' = 'waiting'
  const settle = (isAnswered: boolean) => {
    if (state === 'left') rate.ended(request, isAnswered, elapsedMs())
    if (state === 'waiting') rate.unused()
    state = 'ended'
  }
  return {
    left: () => {
      state = 'left'
      rate.left(request, request, elapsedMs())
    },
    answered: () => settle(true),
    end: () => settle(false),
  }
}
