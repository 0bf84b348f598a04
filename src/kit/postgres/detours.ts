// An account that has to wait for a lock leaves the connection that it shares with others. What it
// sent is sent again on one of its own, where it may wait; what comes after it queues up behind it, not
// in front of everybody else. Only so many accounts may wait at once: the pool is for all of them.

import { isLockTimeout } from './db-failure.js'
import type { Deadlines } from './deadlines.js'
import { KeyedSlots, Slots } from './slots.js'

export interface DetourOptions {
  countMax: number
  waitMsMax: number
  deadlines: Deadlines
}

export class Detours {
  /** One after the other for each account. */
  readonly #byKey: KeyedSlots
  readonly #together: Slots

  constructor({ countMax, waitMsMax, deadlines }: DetourOptions) {
    this.#byKey = new KeyedSlots({ count: 1, waitMsMax, deadlines })
    this.#together = new Slots({ count: countMax, waitMsMax, deadlines })
  }

  /** `shared` gives up at a lock, having written nothing; `alone` waits for it. */
  async run<T>(key: string, shared: () => Promise<T>, alone: () => Promise<T>): Promise<T> {
    if (!this.#byKey.has(key)) {
      try {
        return await shared()
      } catch (error) {
        if (!isLockTimeout(error)) throw error
      }
    }
    return this.#byKey.run(key, () => this.#together.run(alone))
  }
}
