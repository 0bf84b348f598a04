// Looks up tokens for an address that sent too many unknown ones. Refusing the whole address would hurt
// customers who share a proxy or an office with someone who guesses. So their lookups share a few slots per
// process and wait in a bounded queue.

const SLOTS = 2
/** At about 2 ms per lookup, the last one waits half a second. */
const WAITING_MAX = 500

export class LookupLane {
  readonly #waiting: (() => void)[] = []
  #busy = 0

  /** Null: the queue is full. */
  async run<T>(find: () => Promise<T>): Promise<{ found: T } | null> {
    if (this.#busy >= SLOTS) {
      if (this.#waiting.length >= WAITING_MAX) return null
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else this.#busy += 1
    try {
      return { found: await find() }
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#busy -= 1
    }
  }
}
