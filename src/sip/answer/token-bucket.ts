// A token bucket for rate limits. The caller passes the time. One second's worth can be used at once.

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

  /** Tokens left now. The time is monotonic. */
  left(nowMs: number): number {
    if (this.#at === null) this.#at = nowMs
    if (nowMs > this.#at) {
      const filled = this.#left + ((nowMs - this.#at) / 1000) * this.#perSecond
      this.#left = Math.min(this.#burst, filled)
      this.#at = nowMs
    }
    return this.#left
  }

  /** Takes one token if there is one, and returns whether it did. */
  take(nowMs: number): boolean {
    if (this.left(nowMs) < 1) return false
    this.#left -= 1
    return true
  }

  /** Takes one token even if none is left. The debt is at most one second's worth. */
  owe(nowMs: number): void {
    this.#left = Math.max(-this.#burst, this.left(nowMs) - 1)
  }

  /** Time until a token is available; 0 if there is one. */
  waitMs(nowMs: number): number {
    return Math.max(0, (-this.left(nowMs) / this.#perSecond) * 1000)
  }
}
