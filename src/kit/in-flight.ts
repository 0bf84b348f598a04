// The items that a process holds under leases, from the claim until they are recorded or released. Code that
// claims checks the size first, so it stays bounded. A stop waits until nothing is left.

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

  /** Once: code that may claim the same item again checks `get` first and renews its lease. */
  hold(id: string, item: Item): void {
    assert.ok(!this.#items.has(id), 'it is held already')
    this.#items.set(id, item)
  }

  /** Once: it was recorded, or belongs to another process. */
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
