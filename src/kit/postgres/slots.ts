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
  /** How long a slot stays taken after its work, as a multiple of the work's time. Default: not at all. */
  rest?: { times: number; msMax: number }
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

  /** `released` runs when the slot is free again, which is after the result if slots rest. */
  async run<T>(work: () => Promise<T>, released: () => void = () => {}): Promise<T> {
    try {
      await new Promise<void>((resolve, reject) =>
        this.take((failure) => (failure ? reject(failure) : resolve())),
      )
    } catch (failure) {
      released()
      throw failure
    }
    const begunAt = performance.now()
    const end = () => {
      this.release()
      released()
    }
    try {
      return await work()
    } finally {
      const { times = 0, msMax = 0 } = this.#options.rest ?? {}
      const restMs = Math.min((performance.now() - begunAt) * times, msMax)
      if (restMs > 0) setTimeout(end, restMs).unref()
      else end()
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

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const slots = this.#byKey.get(key) ?? new Slots(this.#options)
    this.#byKey.set(key, slots)
    return slots.run(work, () => {
      if (slots.isIdle) this.#byKey.delete(key)
    })
  }
}
