// For work that goes from one account, lane, or batch to the next: if one fails, the others continue. The
// failed one is set aside, longer each time, and then retried.

import { elapsedMs } from './clock.js'

const DELAY_MS = 200
const DELAY_MS_MAX = 5_000
const KEPT_MAX = 1_000

interface Aside {
  failures: number
  untilMs: number
}

export class KeyedBackoff {
  readonly #onError: (error: unknown) => void
  readonly #aside = new Map<string, Aside>()

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** The result of the work, or null if it failed or has to wait. */
  async attempt<T>(key: string, work: () => Promise<T>): Promise<T | null> {
    const aside = this.#aside.get(key)
    if (aside && aside.untilMs > elapsedMs()) return null
    try {
      const result = await work()
      this.#aside.delete(key)
      return result
    } catch (error) {
      this.#setAside(key, (aside?.failures ?? 0) + 1)
      this.#onError(error)
      return null
    }
  }

  #setAside(key: string, failures: number): void {
    const delayMs = Math.min(DELAY_MS * 2 ** (failures - 1), DELAY_MS_MAX)
    this.#aside.set(key, { failures, untilMs: elapsedMs() + delayMs })
    if (this.#aside.size <= KEPT_MAX) return
    for (const [other, { untilMs }] of this.#aside) {
      if (untilMs <= elapsedMs()) this.#aside.delete(other)
    }
  }
}
