// Signals "there may be work" between parts of the process, so a loop need not wait for its next poll. Only a
// hint: a loop that misses it finds the work by polling.

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

export class Hints {
  readonly #listeners = new Map<Hint, Set<() => void>>()

  notify(hint: Hint): void {
    for (const listener of this.#listeners.get(hint) ?? []) listener()
  }

  /** Returns a function that unsubscribes. */
  subscribe(hint: Hint, listener: () => void): () => void {
    const listeners = this.#listeners.get(hint) ?? new Set()
    this.#listeners.set(hint, listeners.add(listener))
    return () => listeners.delete(listener)
  }
}
