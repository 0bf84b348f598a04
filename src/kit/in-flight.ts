// What a machine holds under leases, from its claim until it is recorded or released. Whoever claims asks
// for the size first, so that it stays bounded; a stop waits until nothing is left.

import assert from 'node:assert/strict'

export class InFlight<Item> {
  readonly #items = new Map<string, Item>()
  readonly #drained: (() => void)[] = []

  get size(): number {
    return this.#items.size
  }

  get(id: string): Item | undefined {
    return this.#items.get(id)
  }

  values(): MapIterator<Item> {
    return this.#items.values()
  }

  /** Once: whoever may claim the same again asks `get` first, and renews its lease. */
  hold(id: string, item: Item): void {
    assert.ok(!this.#items.has(id), 'it is held already')
    this.#items.set(id, item)
  }

  /** Once: it is recorded, or somebody else's. */
  release(id: string): void {
    assert.ok(this.#items.delete(id), 'it is not held')
    if (this.#items.size === 0) for (const resolve of this.#drained.splice(0)) resolve()
  }

  /** Resolves when nothing is held. */
  async drain(): Promise<void> {
    if (this.#items.size === 0) return
    await new Promise<void>((resolve) => this.#drained.push(resolve))
  }
}
