// Runs actions after a delay, in order, with one timer for all of them, because there may be thousands per second.

import { elapsedMs } from '../kit/clock.js'

export class Delayed<T> {
  readonly #handle: (item: T) => void
  #waiting: { item: T; dueAt: number }[] = []
  #first = 0
  #timer: NodeJS.Timeout | null = null

  constructor(handle: (item: T) => void) {
    this.#handle = handle
  }

  /** Runs immediately if there is nothing to wait for. An action never overtakes one that was added before. */
  add(item: T, delayMs: number): void {
    if (delayMs <= 0 && this.size === 0) {
      this.#handle(item)
      return
    }
    this.#waiting.push({ item, dueAt: elapsedMs() + delayMs })
    this.#timer ??= setTimeout(() => this.#handleDue(), delayMs)
  }

  get size(): number {
    return this.#waiting.length - this.#first
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#waiting = []
    this.#first = 0
  }

  #handleDue(): void {
    this.#timer = null
    const now = elapsedMs()
    while (this.size > 0 && this.#waiting[this.#first]!.dueAt <= now) {
      const { item } = this.#waiting[this.#first]!
      this.#first += 1
      this.#handle(item)
    }
    if (this.#first > 1_000 || this.size === 0) {
      this.#waiting = this.#waiting.slice(this.#first)
      this.#first = 0
    }
    if (this.size === 0 || this.#timer) return
    const waitMs = this.#waiting[this.#first]!.dueAt - now
    this.#timer = setTimeout(() => this.#handleDue(), Math.max(1, waitMs))
  }
}
