// How often each number was called, and how many of its calls were redirected: counted in memory where they
// are answered, and written every second. A caller who hears nothing repeats itself; one call counts once.

import { elapsedMs } from '../kit/clock.js'
import { DAY_MS, dayOf } from '../kit/contract/days.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { findHolders } from '../numbers/number-queries.js'
import type { Answered } from '../sip/answer/answer-message.js'
import { addCalls, type CountedCalls } from './call-queries.js'
import { callAnswer, type SipMeter } from './sip-meter.js'

const WRITE_EVERY_MS = 1_000
/** A caller gives up after this (RFC 3261, timer B), and so do its repetitions. */
const REPEATED_MS = 32_000
/** Calls that are remembered twice over: what comes faster is forgotten sooner. */
const REMEMBERED_MAX = 65_536
/** Numbers and days that wait for the database: about 20 MB. What comes on top is not counted. */
const WAITING_MAX = 100_000
const PORTION = 5_000

/** Of one number on one day, not written yet. */
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
  readonly #recent = new RecentCalls()
  /** By day, counted from 1970; by number. */
  #waiting = new Map<number, Map<string, Waiting>>()
  #waitingSize = 0
  /** Calls that found no room since the last time that something was written. */
  #lost = 0
  #isAway = false

  constructor(world: World, meter: Pick<SipMeter, 'calls'>) {
    this.#world = world
    this.#meter = meter
    this.loop = {
      name: 'call counts',
      idleMs: WRITE_EVERY_MS,
      errorDelayMs: WRITE_EVERY_MS,
      errorDelayMsMax: 5_000,
      step: async () => {
        await this.write()
        return 0
      },
      onError: (error) => this.#note(error),
    }
  }

  /** Only calls of our own numbers count by number. */
  count({ method, status, number, tag }: Answered): void {
    if (method !== 'INVITE') return
    const answer = callAnswer({ status, number })
    // One that was turned away for overload comes back, and counts then.
    if (answer !== 'overload' && this.#recent.has(tag)) return
    this.#meter.calls[answer].value += 1
    if (number === null) return
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

  /** What waits, at once; whoever stops the process calls it last. What fails is kept for the next time. */
  async write(): Promise<void> {
    const portions = Math.ceil(this.#waitingSize / PORTION)
    for (let i = 0; i < portions; i += 1) await this.#writePortion()
    if (this.#lost > 0) {
      this.#world.log.warn({ calls: this.#lost }, 'calls were not counted: too many numbers waited')
      this.#lost = 0
    }
    this.#isAway = false
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
        // Released meanwhile: nobody is left to read it, and the next holder must not.
        if (!holder || holder.purchasedAt.getTime() > waiting.firstMs) return []
        const { redirected, refused, lastMs } = waiting
        const lastCallAt = new Date(lastMs)
        const { accountId } = holder
        const dayText = dayOf(new Date(day * DAY_MS))
        return [{ accountId, phoneNumber: number, day: dayText, redirected, refused, lastCallAt }]
      })
      if (calls.length > 0) await addCalls(db, calls)
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

  /** Once for each time that the database is away. */
  #note(error: unknown): void {
    if (this.#isAway) return
    this.#isAway = true
    this.#world.log.warn({ err: error }, 'calls could not be counted: they are kept for later')
  }
}

/** Two sets that take turns: what is in either was here within the time, and neither grows for ever. */
class RecentCalls {
  #young = new Set<string>()
  #old = new Set<string>()
  #turnedMs = elapsedMs()

  /** Whether it was here before; it is from now on. */
  has(tag: string): boolean {
    if (this.#young.size >= REMEMBERED_MAX || elapsedMs(this.#turnedMs) > REPEATED_MS) this.#turn()
    if (this.#young.has(tag) || this.#old.has(tag)) return true
    this.#young.add(tag)
    return false
  }

  #turn(): void {
    const isLong = elapsedMs(this.#turnedMs) > 2 * REPEATED_MS
    this.#old = isLong ? new Set() : this.#young
    this.#young = new Set()
    this.#turnedMs = elapsedMs()
  }
}
