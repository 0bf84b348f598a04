// Looks up tokens for an address that has shown too many unknown ones. It must not be refused outright: customers who
// share a proxy or an office with someone who guesses have valid tokens. So their lookups share a few slots of the
// process, wait in a queue of bounded length, and never take more of the database than that.

const SLOTS = 2
/** At some 2 ms per lookup, the last one waits for half a second. */
const WAITING_MAX = 500

export class LookupLane {
  readonly #waiting: (() => void)[] = []
  #busy = 0

  /** Null: too many wait already. */
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
