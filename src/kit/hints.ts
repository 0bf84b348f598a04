// Says "there may be work" from one part of the process to another, so that a loop need not wait for
// its next look. Only a hint: whoever misses it finds the work by polling.

export type Hint = 'messages' | 'deliveries' | 'reviews' | 'clock'

export class Hints {
  readonly #ears = new Map<Hint, Set<() => void>>()

  give(hint: Hint): void {
    for (const hear of this.#ears.get(hint) ?? []) hear()
  }

  /** Returns the way to stop hearing. */
  on(hint: Hint, hear: () => void): () => void {
    const ears = this.#ears.get(hint) ?? new Set()
    this.#ears.set(hint, ears.add(hear))
    return () => ears.delete(hear)
  }
}
