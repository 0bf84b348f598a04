// Says when there are more calls than this process should take on: a bucket that fills with the time that is
// handed in. Asked before any work, so that a refusal costs next to nothing.

export class LoadShedder {
  readonly retryAfterSeconds: number
  readonly #perSecond: number
  readonly #burst: number
  #left: number
  #at: number | null = null

  /** A second's worth of calls may come at once. */
  constructor(perSecond: number, retryAfterSeconds: number) {
    this.retryAfterSeconds = retryAfterSeconds
    this.#perSecond = perSecond
    this.#burst = Math.max(1, perSecond)
    this.#left = this.#burst
  }

  /** Whether one more may be taken now. The time is one that only grows. */
  admit(nowMs: number): boolean {
    const passed = Math.max(0, nowMs - (this.#at ?? nowMs))
    this.#at = Math.max(nowMs, this.#at ?? nowMs)
    this.#left = Math.min(this.#burst, this.#left + (passed / 1000) * this.#perSecond)
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}
