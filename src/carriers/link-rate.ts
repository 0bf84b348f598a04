// How fast a link may send. If the contract sets a rate, the governor enforces it. Otherwise the link sends as fast
// as its window allows until the carrier throttles, and the rate before that becomes the limit. The estimate may be
// far too low, so it grows while the carrier does not throttle, and expires after a while. Processes that share the
// contract's rate each use their share, and stop sending when the share's lease ends.

import { RateGovernor, USUAL_RECOVERY } from '../smpp/session/rate-governor.js'
import type { SharedRate } from './link-shares.js'

/** Time without throttling after which an estimated limit expires. */
const RESET_AFTER_MS = 60_000
/** How often an estimate grows, and by how much. */
const GROW_MS = 1_000
const GROWTH = 1.5
const LEAST_GUESS = 10
const LEAST_COUNTED_MS = 100

/** How soon to try again when there is no share yet. */
const SHARE_POLL_MS = 100
/** The assumed rate of a process without a share, so only a little waits for one. */
const LEAST_SHARE = 1

export class LinkRate implements SharedRate {
  readonly #hasContract: boolean
  #governor: RateGovernor | null
  /** From the contract, or estimated. */
  #limit: number
  #throttledAt = Number.NEGATIVE_INFINITY
  #countedSince: number
  #count = 0
  #lastCount = 0
  /** Until when the share may be used. Null: the rate is not shared. */
  #shareUntil: number | null
  #demand: { count: number; isLimited: boolean; since: number }

  constructor(perSecond: number | null, now: number, isShared = false) {
    this.#hasContract = perSecond !== null
    this.#limit = isShared ? 0 : (perSecond ?? Number.POSITIVE_INFINITY)
    this.#governor = perSecond === null ? null : governorOf(perSecond, now, true)
    this.#countedSince = now
    this.#shareUntil = isShared ? Number.NEGATIVE_INFINITY : null
    this.#demand = { count: 0, isLimited: false, since: now }
  }

  /** Zero: one part may leave, and is counted. Otherwise the milliseconds until the next try. */
  take(now: number): number {
    if (!this.#hasContract && now - this.#countedSince >= GROW_MS) this.#look(now)
    const waitMs = this.#hasNoShare(now) ? SHARE_POLL_MS : (this.#governor?.take(now) ?? 0)
    if (waitMs === 0) {
      this.#count += 1
      this.#demand.count += 1
    } else this.#demand.isLimited = true
    return waitMs
  }

  /** How many left per second since the last call, and whether more would have. */
  demand(now: number): { perSecond: number; isLimited: boolean } {
    const { count, isLimited, since } = this.#demand
    this.#demand = { count: 0, isLimited: false, since: now }
    return { perSecond: (count * 1_000) / Math.max(1_000, now - since), isLimited }
  }

  /** How many parts may be in the carrier's last second or are still in transit. */
  recent(now: number): number {
    return this.#governor?.recent(now) ?? 0
  }

  /** This process may send this much until then. */
  setShare(perSecond: number, until: number): void {
    this.#shareUntil = until
    this.#limit = perSecond
    if (perSecond > 0) this.#governor?.setLimit(perSecond)
  }

  #hasNoShare(now: number): boolean {
    return this.#shareUntil !== null && (this.#limit < 1 || now >= this.#shareUntil)
  }

  /** A permitted part is not sent after all. */
  unused(): void {
    this.#governor?.unused()
  }

  /** The same without counting: whether one could leave now. */
  waitMs(now: number): number {
    const waitMs = this.#hasNoShare(now) ? SHARE_POLL_MS : (this.#governor?.waitMs(now) ?? 0)
    if (waitMs > 0) this.#demand.isLimited = true
    return waitMs
  }

  /** A permitted part was sent over this connection. */
  left(part: object, connection: object, now: number): void {
    if (this.#hasContract) this.#governor?.left(part, connection, now)
  }

  /** Its outcome: a response arrived, or none did. */
  ended(part: object, isAnswered: boolean, now: number): void {
    if (!this.#hasContract) return
    if (isAnswered) this.#governor?.answered(part, now)
    else this.#governor?.lost(part, now)
  }

  /** The carrier throttled. */
  throttled(now: number): void {
    // Most throttling responses are about messages sent before the last pause and add nothing new.
    const isNew = now - this.#throttledAt > USUAL_RECOVERY.pauseMs
    this.#throttledAt = now
    if (!this.#hasContract && isNew) this.#guess(now)
    this.#governor?.throttled(now)
  }

  /** The previous rate was too high: the limit at that time, or the actual rate if there was no limit. */
  #guess(now: number): void {
    const ms = Math.max(LEAST_COUNTED_MS, now - this.#countedSince)
    const went = this.#governor?.perSecond ?? Math.max(this.#lastCount, (this.#count * 1_000) / ms)
    this.#limit = Math.max(LEAST_GUESS, went)
    this.#governor ??= governorOf(this.#limit, now)
    this.#governor.limitTo(this.#limit)
  }

  /** The current maximum. */
  get perSecond(): number {
    if (this.#shareUntil !== null && this.#limit < 1) return LEAST_SHARE
    return this.#governor?.perSecond ?? Number.POSITIVE_INFINITY
  }

  /** Null: no limit. */
  status(): { perSecond: number; contract: number } | null {
    if (!this.#governor) return null
    const perSecond = Math.min(this.#governor.perSecond, this.#limit)
    return { perSecond, contract: this.#limit }
  }

  /** Once a second: counts the last second, and checks whether an estimate was too low. */
  #look(now: number): void {
    const isSecond = now - this.#countedSince < 2 * GROW_MS
    this.#lastCount = isSecond ? this.#count : 0
    this.#count = 0
    this.#countedSince = now
    if (!this.#governor) return
    const quietMs = now - this.#throttledAt
    if (quietMs > RESET_AFTER_MS) this.#governor = null
    else if (quietMs > USUAL_RECOVERY.pauseMs + GROW_MS) {
      this.#limit *= GROWTH
      this.#governor.limitTo(this.#limit)
    }
  }
}

function governorOf(perSecond: number, now: number, isExact = false): RateGovernor {
  return new RateGovernor({ perSecond, ...USUAL_RECOVERY, isExact }, now)
}
