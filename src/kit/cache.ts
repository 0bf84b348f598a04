// The one cache of the house: so many entries, each for so long. `peek` answers at once, out of what is
// known, for whoever asks thousands of times a second; `get` looks up what is not, once for all who ask
// meanwhile.

import { elapsedMs } from './clock.js'

export interface CacheOptions<Value> {
  /** No more entries than this; then the oldest tenth goes, since taking them one by one costs more. */
  max: number
  /** How long a value is good, counted from when its look-up began; 0: it is not kept. Default: until it is evicted. */
  keptMs?: number | ((value: Value) => number)
  /** Default: the machine's own time, which the test clock leaves alone. */
  nowMs?: () => number
}

interface Entry<Value> {
  value: Value
  untilMs: number
}

export class Cache<Key, Value extends NonNullable<unknown> | null> {
  readonly #options: Required<CacheOptions<Value>>
  /** The oldest first. */
  readonly #entries = new Map<Key, Entry<Value>>()
  readonly #loads = new Map<Key, Promise<Value>>()

  constructor({ max, keptMs = Infinity, nowMs = elapsedMs }: CacheOptions<Value>) {
    this.#options = { max, keptMs, nowMs }
  }

  /** The value where it is known and still good. */
  peek(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    const isGood = entry.untilMs === Infinity || entry.untilMs > this.#options.nowMs()
    return isGood ? entry.value : undefined
  }

  /** The value, looked up where it is not known. A look-up that fails fails all who wait for it, and is not kept. */
  async get(key: Key, load: (key: Key) => Promise<Value>): Promise<Value> {
    const known = this.peek(key)
    return known === undefined ? (this.#loads.get(key) ?? this.#begin(key, load)) : known
  }

  set(key: Key, value: Value, sinceMs = this.#options.nowMs()): void {
    const { max, keptMs } = this.#options
    const ms = typeof keptMs === 'number' ? keptMs : keptMs(value)
    this.#entries.delete(key) // what is set anew is the youngest
    if (ms <= 0) return
    if (this.#entries.size >= max) this.#evict(max - Math.ceil(max / 10))
    this.#entries.set(key, { value, untilMs: sinceMs + ms })
  }

  /** Whether there was one. What is being looked up goes to those who wait for it, and is not kept. */
  delete(key: Key): boolean {
    this.#loads.delete(key)
    return this.#entries.delete(key)
  }

  /** For values that are not to stay in memory past their time. */
  evictExpired(): void {
    const { nowMs, keptMs } = this.#options
    const now = nowMs()
    for (const [key, { untilMs }] of this.#entries) {
      if (untilMs <= now) this.#entries.delete(key)
      else if (typeof keptMs === 'number') return // those behind it are younger
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
