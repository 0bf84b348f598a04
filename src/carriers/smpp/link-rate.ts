// How fast a link may go. Where a contract says it, by the governor. Where none does, as fast as the window lets
// it, until the carrier complains: then what went before is taken for the limit. A guess may be far too low,
// so it grows while nobody complains, and is forgotten after a while.

import { RateGovernor, USUAL_RECOVERY } from '../../smpp/session/rate-governor.js'

/** Without a complaint, after which a limit that nobody agreed on is forgotten. */
const FORGET_MS = 60_000
/** How often a guess grows, and by how much. */
const GROW_MS = 1_000
const GROWTH = 1.5
const LEAST_GUESS = 10
const LEAST_COUNTED_MS = 100

export class LinkRate {
  readonly #hasContract: boolean
  #governor: RateGovernor | null
  /** By contract, or guessed. */
  #limit: number
  #throttledAt = Number.NEGATIVE_INFINITY
  #countedSince: number
  #count = 0
  #lastCount = 0

  constructor(perSecond: number | null, now: number) {
    this.#hasContract = perSecond !== null
    this.#limit = perSecond ?? Number.POSITIVE_INFINITY
    this.#governor = perSecond === null ? null : governorOf(perSecond, now)
    this.#countedSince = now
  }

  /** Zero: one part may leave, and is counted. Else the milliseconds until it is worth asking again. */
  take(now: number): number {
    if (!this.#hasContract && now - this.#countedSince >= GROW_MS) this.#look(now)
    const waitMs = this.#governor?.take(now) ?? 0
    if (waitMs === 0) this.#count += 1
    return waitMs
  }

  /** What `take` allowed has left, over this connection. */
  left(part: object, connection: object, now: number): void {
    if (this.#hasContract) this.#governor?.left(part, connection, now)
  }

  /** What became of it: an answer came, or none. */
  ended(part: object, isAnswered: boolean, now: number): void {
    if (!this.#hasContract) return
    if (isAnswered) this.#governor?.answered(part, now)
    else this.#governor?.lost(part, now)
  }

  /** The carrier said that it is too much. */
  throttled(now: number): void {
    // Most complaints are about what left before the last pause, and say nothing new.
    const isNew = now - this.#throttledAt > USUAL_RECOVERY.pauseMs
    this.#throttledAt = now
    if (!this.#hasContract && isNew) this.#guess(now)
    this.#governor?.throttled(now)
  }

  /** What went before was too much: what was allowed to go, or what went where anything was. */
  #guess(now: number): void {
    const ms = Math.max(LEAST_COUNTED_MS, now - this.#countedSince)
    const went = this.#governor?.perSecond ?? Math.max(this.#lastCount, (this.#count * 1_000) / ms)
    this.#limit = Math.max(LEAST_GUESS, went)
    this.#governor ??= governorOf(this.#limit, now)
    this.#governor.limitTo(this.#limit)
  }

  /** At most, for now. */
  get perSecond(): number {
    return this.#governor?.perSecond ?? Number.POSITIVE_INFINITY
  }

  /** Null: there is no limit. */
  status(): { perSecond: number; contract: number } | null {
    return this.#governor && { perSecond: this.#governor.perSecond, contract: this.#limit }
  }

  /** Once a second: how many left in the last one, and whether a guess was too low. */
  #look(now: number): void {
    const isSecond = now - this.#countedSince < 2 * GROW_MS
    this.#lastCount = isSecond ? this.#count : 0
    this.#count = 0
    this.#countedSince = now
    if (!this.#governor) return
    const quietMs = now - this.#throttledAt
    if (quietMs > FORGET_MS) this.#governor = null
    else if (quietMs > USUAL_RECOVERY.pauseMs + GROW_MS) {
      this.#limit *= GROWTH
      this.#governor.limitTo(this.#limit)
    }
  }
}

function governorOf(perSecond: number, now: number): RateGovernor {
  return new RateGovernor({ perSecond, ...USUAL_RECOVERY }, now)
}
