// Counts the calls to each number, and how many were redirected, in memory, and writes the counts every second. A caller
// repeats an INVITE without an answer, but each call counts once.

import { DAY_MS } from '../kit/clock.js'
import { dayOf } from '../kit/contract/days.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { findHolders } from '../numbers/number-queries.js'
import type { SipAnswer } from '../sip/answer/answer-message.js'
import type { CallLimits } from './call-limits.js'
import { addCalls, type CountedCalls } from './call-queries.js'
import { type CallAnswer, callAnswer, type SipMeter } from './sip-meter.js'
import { writeLoop } from './write-loop.js'

/** Numbers and days waiting for the database: about 20 MB. Further calls are not counted. */
const WAITING_MAX = 100_000
const PORTION = 5_000

type AnsweredCall = Pick<SipAnswer, 'method' | 'status' | 'number' | 'why' | 'tag' | 'trunk'>

/** Calls of one number on one day, not written yet. */
interface Waiting {
  redirected: number
  refused: number
  firstMs: number
  lastMs: number
}

export class CallCounts {
  readonly loop: Loop
  readonly #world: World
  readonly #meter: Pick<SipMeter, 'calls'>
  readonly #limits: Pick<CallLimits, 'recent' | 'count' | 'observe'>
  /** By day since 1970, then by number. */
  #waiting = new Map<number, Map<string, Waiting>>()
  #waitingSize = 0
  /** Calls dropped for lack of room since the last write. */
  #lost = 0

  constructor(
    world: World,
    meter: Pick<SipMeter, 'calls'>,
    limits: Pick<CallLimits, 'recent' | 'count' | 'observe'>,
  ) {
    this.#world = world
    this.#meter = meter
    this.#limits = limits
    this.loop = writeLoop(
      'call counts',
      world.log,
      () => this.write(),
      'calls could not be counted: retrying later',
    )
  }

  /** Only calls to our numbers count by number. Null: not a call, or already counted. */
  count({ method, status, number, why, tag, trunk }: AnsweredCall): CallAnswer | null {
    if (method !== 'INVITE') return null
    const answer = callAnswer({ status, number, why })
    // A call refused for a limit is counted when it is retried.
    const isFinal = answer !== 'overload' && answer !== 'limited'
    if (isFinal && this.#limits.recent.has(tag)) return null
    this.#meter.calls[answer].value += 1
    if (number !== null) this.#countNumber(number, answer)
    if (number !== null && answer === 'redirected') this.#limits.count(number, trunk)
    return answer
  }

  #countNumber(number: string, answer: CallAnswer): void {
    const nowMs = this.#world.clock.nowMs()
    const waiting = this.#waitingOf(Math.floor(nowMs / DAY_MS), number, nowMs)
    if (waiting === null) {
      this.#lost += 1
      return
    }
    if (answer === 'redirected') waiting.redirected += 1
    else waiting.refused += 1
    waiting.lastMs = nowMs
  }

  /** Writes everything that waits; also the last step of a stop. What fails is kept for the next time. */
  async write(): Promise<void> {
    const portions = Math.ceil(this.#waitingSize / PORTION)
    for (let i = 0; i < portions; i += 1) await this.#writePortion()
    if (this.#lost > 0) {
      this.#world.log.warn(
        { calls: this.#lost },
        'calls were not counted: too many numbers were waiting',
      )
      this.#lost = 0
    }
  }

  #waitingOf(day: number, number: string, nowMs: number): Waiting | null {
    let numbers = this.#waiting.get(day)
    if (!numbers) {
      numbers = new Map()
      this.#waiting.set(day, numbers)
    }
    let waiting = numbers.get(number)
    if (!waiting) {
      if (this.#waitingSize >= WAITING_MAX) return null
      waiting = { redirected: 0, refused: 0, firstMs: nowMs, lastMs: nowMs }
      numbers.set(number, waiting)
      this.#waitingSize += 1
    }
    return waiting
  }

  async #writePortion(): Promise<void> {
    const taken = this.#take()
    try {
      const { db } = this.#world
      const holders = await findHolders(db, [...new Set(taken.map(({ number }) => number))])
      const calls = taken.flatMap(({ day, number, waiting }): CountedCalls[] => {
        const holder = holders.get(number)
        // The number was released in the meantime: nobody may see this count, least of all the next holder.
        if (!holder || holder.purchasedAt.getTime() > waiting.firstMs) return []
        const { redirected, refused, lastMs } = waiting
        const lastCallAt = new Date(lastMs)
        const { accountId } = holder
        const dayText = dayOf(new Date(day * DAY_MS))
        return [{ accountId, phoneNumber: number, day: dayText, redirected, refused, lastCallAt }]
      })
      const totals = calls.length > 0 ? await addCalls(db, calls) : []
      for (const { phoneNumber, day, redirected } of totals) {
        this.#limits.observe('number', phoneNumber, dayNumber(day), redirected)
      }
    } catch (error) {
      for (const one of taken) this.#putBack(one)
      throw error
    }
  }

  #take(): { day: number; number: string; waiting: Waiting }[] {
    const taken: { day: number; number: string; waiting: Waiting }[] = []
    for (const [day, numbers] of this.#waiting) {
      for (const [number, waiting] of numbers) {
        if (taken.length === PORTION) break
        numbers.delete(number)
        taken.push({ day, number, waiting })
      }
      if (numbers.size === 0) this.#waiting.delete(day)
    }
    this.#waitingSize -= taken.length
    return taken
  }

  #putBack({ day, number, waiting }: { day: number; number: string; waiting: Waiting }): void {
    const newer = this.#waitingOf(day, number, waiting.firstMs)
    if (newer === null) {
      this.#lost += waiting.redirected + waiting.refused
      return
    }
    newer.redirected += waiting.redirected
    newer.refused += waiting.refused
    newer.firstMs = Math.min(newer.firstMs, waiting.firstMs)
    newer.lastMs = Math.max(newer.lastMs, waiting.lastMs)
  }
}

/** Days since 1970, from the database's date format. */
function dayNumber(day: string): number {
  return Math.floor(Date.parse(day) / DAY_MS)
}
