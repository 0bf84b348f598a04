// Passes on each key at once, and then at most once per interval. Nothing is dropped: a key that was added during
// the interval is passed on at its end.

export class Throttle<Key> {
  readonly #everyMs: number
  readonly #pass: (key: Key) => void
  /** By key: the end of its interval, and whether it was added since the start. */
  readonly #waiting = new Map<Key, { timer: NodeJS.Timeout; isAdded: boolean }>()

  constructor(everyMs: number, pass: (key: Key) => void) {
    this.#everyMs = everyMs
    this.#pass = pass
  }

  add(key: Key): void {
    const waiting = this.#waiting.get(key)
    if (waiting) waiting.isAdded = true
    else this.#start(key)
  }

  stop(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer)
    this.#waiting.clear()
  }

  #start(key: Key): void {
    const timer = setTimeout(() => this.#end(key), this.#everyMs)
    timer.unref()
    this.#waiting.set(key, { timer, isAdded: false })
    this.#pass(key)
  }

  #end(key: Key): void {
    const isAdded = this.#waiting.get(key)?.isAdded
    this.#waiting.delete(key)
    if (isAdded) this.#start(key)
  }
}
