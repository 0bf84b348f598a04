// How much may happen in a second: a bucket that fills with the time that is handed in. A second's worth may come at
// once.

export class TokenBucket {
  readonly #perSecond: number
  readonly #burst: number
  #left: number
  #at: number | null = null

  constructor(perSecond: number) {
    this.#perSecond = perSecond
    this.#burst = Math.max(1, perSecond)
    this.#left = this.#burst
  }

  /** What is left now. The time is one that only grows. */
  left(nowMs: number): number {
    if (this.#at === null) this.#at = nowMs
    if (nowMs > this.#at) {
      const filled = this.#left + ((nowMs - this.#at) / 1000) * this.#perSecond
      this.#left = Math.min(this.#burst, filled)
      this.#at = nowMs
    }
    return this.#left
  }

  /** Whether one more is allowed now; if so, it is taken. */
  take(nowMs: number): boolean {
    if (this.left(nowMs) < 1) return false
    this.#left -= 1
    return true
  }

  /** Takes one more whatever is left. At most a second's worth is owed. */
  owe(nowMs: number): void {
    this.#left = Math.max(-this.#burst, this.left(nowMs) - 1)
  }

  /** How long until something is left again; 0 where there is. */
  waitMs(nowMs: number): number {
    return Math.max(0, (-this.left(nowMs) / this.#perSecond) * 1000)
  }
}
