// The rate per second: that of the last full second, or of the current one if that is higher.

const SECOND_MS = 1_000

export class Pace {
  #sinceMs = Number.NEGATIVE_INFINITY
  #count = 0
  #last = 0

  add(count: number, nowMs: number): void {
    this.#turn(nowMs)
    this.#count += count
  }

  perSecond(nowMs: number): number {
    this.#turn(nowMs)
    return Math.max(this.#last, this.#count)
  }

  #turn(nowMs: number): void {
    const ageMs = nowMs - this.#sinceMs
    if (ageMs < SECOND_MS) return
    this.#last = ageMs < 2 * SECOND_MS ? this.#count : 0
    this.#count = 0
    this.#sinceMs = nowMs
  }
}
