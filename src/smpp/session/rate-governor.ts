// Limits how fast messages leave a link. It starts at the contract's rate. When the carrier throttles
// (ESME_RTHROTTLED, ESME_RMSGQFUL), it pauses briefly, halves the rate, and then raises it step by step. A window
// full of such responses counts once. The contract's rate is never exceeded in any second of the carrier's clock
// (arrival-log.ts), and sends are spread over the second.

import { ArrivalLog } from './arrival-log.js'

export interface RateSettings {
  /** The contract's. */
  perSecond: number
  /** However much the carrier complains. */
  leastPerSecond: number
  /** For which nothing leaves after a complaint, and further ones are taken for the same. */
  pauseMs: number
  /** Without a complaint, until the rate grows by a tenth of the contract's. */
  recoverMs: number
  /** Whether no second by the carrier's clock may have more. Then whatever leaves, is answered or is lost has to be reported. */
  isExact?: boolean
}

export const USUAL_RECOVERY = { leastPerSecond: 1, pauseMs: 1_000, recoverMs: 2_000 } as const

/** Share of a second's messages that may leave at once. */
const BURST = 0.1
const STEP = 0.1

export class RateGovernor {
  #settings: RateSettings
  #perSecond: number
  #allowance: number
  #countedAt: number
  #pausedUntil = Number.NEGATIVE_INFINITY
  #changedAt: number
  readonly #arrivals = new ArrivalLog()

  constructor(settings: RateSettings, now: number) {
    this.#settings = settings
    this.#perSecond = settings.perSecond
    this.#allowance = this.#burst()
    this.#countedAt = now
    this.#changedAt = now
  }

  get perSecond(): number {
    return this.#perSecond
  }

  /** Zero: one may leave, and is counted. Else the milliseconds until it is worth asking again. */
  take(now: number): number {
    const waitMs = this.waitMs(now)
    if (waitMs > 0) return waitMs
    this.#allowance -= 1
    if (this.#settings.isExact) this.#arrivals.add(now)
    return 0
  }

  /** The same without counting: whether one could leave now. */
  waitMs(now: number): number {
    if (now < this.#pausedUntil) return this.#pausedUntil - now
    this.#recover(now)
    const earned = (Math.max(0, now - this.#countedAt) * this.#perSecond) / 1_000
    this.#allowance = Math.min(this.#burst(), this.#allowance + earned)
    this.#countedAt = now
    if (this.#allowance < 1) return Math.ceil(((1 - this.#allowance) * 1_000) / this.#perSecond)
    return this.#settings.isExact ? this.#arrivals.waitMs(this.#inSecond(), now) : 0
  }

  /** What `take` allowed does not leave. */
  unused(): void {
    this.#allowance += 1
    this.#arrivals.unused()
  }

  /** What `take` allowed has left, over this connection. */
  left(token: unknown, connection: object, now: number): void {
    this.#arrivals.left(token, connection, now)
  }

  /** Its answer came. */
  answered(token: unknown, now: number): void {
    this.#arrivals.answered(token, now)
  }

  /** No answer came. */
  lost(token: unknown, now: number): void {
    this.#arrivals.lost(token, now)
  }

  /** How many of them may be in the carrier's last second, or are still to arrive. */
  recent(now: number): number {
    return this.#arrivals.recent(now)
  }

  /** Another limit that applies at once, in either direction, unless the carrier complained. */
  setLimit(perSecond: number): void {
    const isFree = this.#perSecond >= this.#settings.perSecond
    this.#settings = { ...this.#settings, perSecond }
    this.#perSecond = isFree ? perSecond : Math.min(perSecond, this.#perSecond)
  }

  /** Another limit, such as one that was only guessed at. The rate grows to it step by step. */
  limitTo(perSecond: number): void {
    this.#settings = { ...this.#settings, perSecond }
    this.#perSecond = Math.min(perSecond, this.#perSecond)
  }

  /** The carrier said that it is too much. */
  throttled(now: number): void {
    if (now < this.#pausedUntil) return
    this.#recover(now)
    const { leastPerSecond, pauseMs } = this.#settings
    this.#perSecond = Math.max(Math.min(leastPerSecond, this.#perSecond), this.#perSecond / 2)
    this.#pausedUntil = now + pauseMs
    this.#changedAt = this.#pausedUntil
    this.#allowance = Math.min(this.#allowance, 1)
    this.#countedAt = this.#pausedUntil
  }

  /** How many the carrier may see in any second. */
  #inSecond(): number {
    return Math.max(1, Math.floor(this.#settings.perSecond))
  }

  #burst(): number {
    return Math.max(1, this.#perSecond * BURST)
  }

  #recover(now: number): void {
    const { perSecond, recoverMs } = this.#settings
    const steps = Math.max(0, Math.floor((now - this.#changedAt) / recoverMs))
    this.#perSecond = Math.min(perSecond, this.#perSecond + steps * perSecond * STEP)
    this.#changedAt += steps * recoverMs
  }
}
