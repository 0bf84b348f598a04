// An account that has to wait for a lock leaves the connection that it shares with others. Its statement is
// repeated on a separate connection, where it may wait. Its later statements queue behind it instead of
// blocking everyone else. The number of waiting accounts is limited, because the pool is for all.

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

  /** `shared` gives up at a lock without writing anything; `alone` waits for it. */
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
