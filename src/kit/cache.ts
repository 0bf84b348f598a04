// The only cache of the service: a limited number of entries with a limited lifetime. `peek` returns cached
// values immediately, for code that runs thousands of times a second. `get` looks up missing values, once for
// all concurrent readers.

import { elapsedMs } from './clock.js'

export interface CacheOptions<Value> {
  /**
   * The maximum number of entries. Then the oldest tenth is evicted, because evicting one at a time costs
   * more.
   */
  max: number
  /** How long a value is valid, from the start of its lookup; 0: not cached. Default: until evicted. */
  keptMs?: number | ((value: Value) => number)
  /** Default: real time, which the test clock does not move. */
  nowMs?: () => number
}

interface Entry<Value> {
  value: Value
  untilMs: number
}

export class Cache<Key, Value extends NonNullable<unknown> | null> {
  readonly #options: Required<CacheOptions<Value>>
  /** Oldest first. */
  readonly #entries = new Map<Key, Entry<Value>>()
  readonly #loads = new Map<Key, Promise<Value>>()

  constructor({ max, keptMs = Infinity, nowMs = elapsedMs }: CacheOptions<Value>) {
    this.#options = { max, keptMs, nowMs }
  }

  /** The value if it is cached and still valid. */
  peek(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    const isGood = entry.untilMs === Infinity || entry.untilMs > this.#options.nowMs()
    return isGood ? entry.value : undefined
  }

  /**
   * The value, looked up if it is not cached. A failed lookup fails all who wait for it and is not cached.
   */
  async get(key: Key, load: (key: Key) => Promise<Value>): Promise<Value> {
    const cached = this.peek(key)
    return cached === undefined ? (this.#loads.get(key) ?? this.#begin(key, load)) : cached
  }

  set(key: Key, value: Value, sinceMs = this.#options.nowMs()): void {
    const { max, keptMs } = this.#options
    const ms = typeof keptMs === 'number' ? keptMs : keptMs(value)
    this.#entries.delete(key) // setting a value again makes it the newest
    if (ms <= 0) return
    if (this.#entries.size >= max) this.#evict(max - Math.ceil(max / 10))
    this.#entries.set(key, { value, untilMs: sinceMs + ms })
  }

  /** Whether there was one. A value being looked up goes to those who wait for it and is not cached. */
  delete(key: Key): boolean {
    this.#loads.delete(key)
    return this.#entries.delete(key)
  }

  /** For values that must not stay in memory after they expire. */
  evictExpired(): void {
    const { nowMs, keptMs } = this.#options
    const now = nowMs()
    for (const [key, { untilMs }] of this.#entries) {
      if (untilMs <= now) this.#entries.delete(key)
      else if (typeof keptMs === 'number') return // the ones after it are newer
    }
  }

  #begin(key: Key, load: (key: Key) => Promise<Value>): Promise<Value> {
    const sinceMs = this.#options.nowMs()
    const isCurrent = () => this.#loads.get(key) === loading
    const loading = load(key).then(
      (value) => {
        if (isCurrent()) {
          this.#loads.delete(key)
          this.set(key, value, sinceMs)
        }
        return value
      },
      (error) => {
        if (isCurrent()) this.#loads.delete(key)
        throw error
      },
    )
    this.#loads.set(key, loading)
    return loading
  }

  #evict(size: number): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= size) return
      this.#entries.delete(key)
    }
  }
}
