// A number of slots, and a queue in order of arrival. A waiter that waits too long is refused, so no response
// depends on a slot that is never released.

import { DatabaseFailure } from './db-failure.js'
import type { Deadlines, Wait } from './deadlines.js'

/** Runs once: with null when the slot is there, or with the reason why it never came. */
type Taken = (failure: DatabaseFailure | null) => void

export interface SlotOptions {
  count: number
  waitMsMax: number
  deadlines: Deadlines
  /** How many may wait at once; more are refused without waiting. Default: any number. */
  waitingMax?: number
  /** The failure of a wait that timed out. Default: the database is busy. */
  failure?: () => DatabaseFailure
}

export class Slots {
  readonly #options: SlotOptions
  readonly #waiting = new Map<Taken, Wait>()
  #free: number

  constructor(options: SlotOptions) {
    this.#options = options
    this.#free = options.count
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** All slots are free, and nobody waits. */
  get isIdle(): boolean {
    return this.#free === this.#options.count
  }

  take(taken: Taken): void {
    if (this.#free > 0) {
      this.#free -= 1
      taken(null)
      return
    }
    const { deadlines, waitMsMax, waitingMax = Number.POSITIVE_INFINITY } = this.#options
    if (this.#waiting.size >= waitingMax) {
      taken(this.#failure())
      return
    }
    const expire = () => {
      this.#waiting.delete(taken)
      taken(this.#failure())
    }
    this.#waiting.set(taken, deadlines.begin(waitMsMax, expire))
  }

  #failure(): DatabaseFailure {
    const { failure, waitMsMax } = this.#options
    if (failure) return failure()
    return new DatabaseFailure('database_busy', `no connection was free within ${waitMsMax} ms`)
  }

  release(): void {
    for (const [taken, wait] of this.#waiting) {
      this.#waiting.delete(taken)
      this.#options.deadlines.end(wait)
      taken(null)
      return
    }
    this.#free += 1
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve, reject) =>
      this.take((failure) => (failure ? reject(failure) : resolve())),
    )
    try {
      return await work()
    } finally {
      this.release()
    }
  }
}

/** Slots per key (an account), removed when unused. */
export class KeyedSlots {
  readonly #options: SlotOptions
  readonly #byKey = new Map<string, Slots>()

  constructor(options: SlotOptions) {
    this.#options = options
  }

  has(key: string): boolean {
    return this.#byKey.has(key)
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const slots = this.#byKey.get(key) ?? new Slots(this.#options)
    this.#byKey.set(key, slots)
    try {
      return await slots.run(work)
    } finally {
      if (slots.isIdle) this.#byKey.delete(key)
    }
  }
}
