// Limits how fast messages leave a link. It starts at the contract's rate. When the carrier throttles
// (ESME_RTHROTTLED, ESME_RMSGQFUL), it pauses briefly, halves the rate, and then raises it step by step. A window
// full of such responses counts once. The contract's rate is never exceeded in any second of the carrier's clock
// (arrival-log.ts), and sends are spread over the second.

import { ArrivalLog } from './arrival-log.js'

export interface RateSettings {
  /** The contract's rate. */
  perSecond: number
  /** The minimum rate, however often the carrier throttles. */
  leastPerSecond: number
  /**
   * Nothing is sent for this long after throttling, and further throttling responses in this time count as the
   * same one.
   */
  pauseMs: number
  /** Time without throttling before the rate grows by a tenth of the contract's rate. */
  recoverMs: number
  /**
   * Whether the rate is enforced for every second of the carrier's clock. If so, every send, response, and loss
   * must be reported.
   */
  isExact?: boolean
}

export const USUAL_RECOVERY = { leastPerSecond: 1, pauseMs: 1_000, recoverMs: 2_000 } as const

/** The share of a second's messages that may leave at once. */
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

  /** Zero: one may leave, and is counted. Otherwise the milliseconds until the next try. */
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

  /** A permitted message is not sent. */
  unused(): void {
    this.#allowance += 1
    this.#arrivals.unused()
  }

  /** A permitted message was sent over this connection. */
  left(token: unknown, connection: object, now: number): void {
    this.#arrivals.left(token, connection, now)
  }

  /** Its response arrived. */
  answered(token: unknown, now: number): void {
    this.#arrivals.answered(token, now)
  }

  /** No response arrived. */
  lost(token: unknown, now: number): void {
    this.#arrivals.lost(token, now)
  }

  /** How many may be in the carrier's last second or are still in transit. */
  recent(now: number): number {
    return this.#arrivals.recent(now)
  }

  /** Sets a limit that applies at once, in either direction, unless the carrier is throttling. */
  setLimit(perSecond: number): void {
    const isFree = this.#perSecond >= this.#settings.perSecond
    this.#settings = { ...this.#settings, perSecond }
    this.#perSecond = isFree ? perSecond : Math.min(perSecond, this.#perSecond)
  }

  /** Sets another limit, such as an estimate. The rate grows to it step by step. */
  limitTo(perSecond: number): void {
    this.#settings = { ...this.#settings, perSecond }
    this.#perSecond = Math.min(perSecond, this.#perSecond)
  }

  /** The carrier throttled. */
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

  /** The maximum per second of the carrier's clock. */
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
