// Signals "there may be work", so a loop need not wait for its next poll. Only a hint: a loop that misses it finds
// the work by polling. Hints stay in the process unless a relay shares them (src/hint-relay.ts).

export type Hint =
  | 'messages'
  | 'deliveries'
  | 'reviews'
  | 'clock'
  | 'forwardings'
  | 'media'
  | 'numbers'
  | 'tokens'
  | 'links'
  | 'exports'

/** While hints are shared, polls only find what a stopped process left behind, and what is not urgent. */
const SHARED_POLL_MS = 20_000

export class Hints {
  readonly #listeners = new Map<Hint, Set<() => void>>()
  #relay: ((hint: Hint) => void) | null = null

  notify(hint: Hint): void {
    this.receive(hint)
    this.#relay?.(hint)
  }

  /** The same for a hint that is not passed on, because it came from another process. */
  receive(hint: Hint): void {
    for (const listener of this.#listeners.get(hint) ?? []) listener()
  }

  /** Returns a function that unsubscribes. */
  subscribe(hint: Hint, listener: () => void): () => void {
    const listeners = this.#listeners.get(hint) ?? new Set()
    this.#listeners.set(hint, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  /** Null: other processes do not receive our hints, or we do not receive theirs. */
  share(relay: ((hint: Hint) => void) | null): void {
    this.#relay = relay
  }

  /** Whether work of other processes is announced here. */
  get areShared(): boolean {
    return this.#relay !== null
  }

  /** The time between polls that read across all accounts, which is expensive where hints are shared. */
  pollMs(ms: number): number {
    return this.#relay ? Math.max(ms, SHARED_POLL_MS) : ms
  }
}
