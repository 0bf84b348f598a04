// How fast a link may go. Where a contract says it, by the governor. Where none does, as fast as the window lets
// it, until the carrier complains: then what went well before is taken for the limit, for a while.

import { RateGovernor, USUAL_RECOVERY } from '../../smpp/session/rate-governor.js'

/** Without a complaint, after which a limit that nobody agreed on is forgotten. */
const FORGET_MS = 60_000
const COUNTED_MS = 1_000
const LEAST_LEARNT = 10

export class LinkRate {
  readonly #contract: number | null
  #governor: RateGovernor | null
  /** By contract, or learnt. */
  #limit: number
  #throttledAt = Number.NEGATIVE_INFINITY
  #countedSince: number
  #count = 0
  #lastCount = 0

  constructor(perSecond: number | null, now: number) {
    this.#contract = perSecond
    this.#limit = perSecond ?? Number.POSITIVE_INFINITY
    this.#governor = perSecond === null ? null : governorOf(perSecond, now)
    this.#countedSince = now
  }

  /** Zero: one part may leave, and is counted. Else the milliseconds until it is worth asking again. */
  take(now: number): number {
    if (this.#contract === null) this.#observe(now)
    const waitMs = this.#governor?.take(now) ?? 0
    if (waitMs === 0) this.#count += 1
    return waitMs
  }

  /** The carrier said that it is too much. Returns how long nothing will leave. */
  throttled(now: number): number {
    this.#throttledAt = now
    if (!this.#governor) {
      this.#limit = Math.max(LEAST_LEARNT, this.#lastCount, this.#count)
      this.#governor = governorOf(this.#limit, now)
    }
    this.#governor.throttled(now)
    return USUAL_RECOVERY.pauseMs
  }

  /** Null: there is no limit. */
  status(): { perSecond: number; contract: number } | null {
    return this.#governor && { perSecond: this.#governor.perSecond, contract: this.#limit }
  }

  #observe(now: number): void {
    if (this.#governor && now - this.#throttledAt > FORGET_MS) this.#governor = null
    if (now - this.#countedSince < COUNTED_MS) return
    this.#lastCount = now - this.#countedSince < 2 * COUNTED_MS ? this.#count : 0
    this.#count = 0
    this.#countedSince = now
  }
}

function governorOf(perSecond: number, now: number): RateGovernor {
  return new RateGovernor({ perSecond, ...USUAL_RECOVERY }, now)
}
