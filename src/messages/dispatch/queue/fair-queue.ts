// First in, first out for each key, and the keys take turns: a key with a long queue delays only itself.

export class FairQueue<Item> {
  /** In the order of their turns. */
  readonly #queues = new Map<string, Item[]>()
  #length = 0

  get length(): number {
    return this.#length
  }

  push(key: string, item: Item): void {
    const queue = this.#queues.get(key)
    if (queue) queue.push(item)
    else this.#queues.set(key, [item])
    this.#length += 1
  }

  /** The oldest of the key whose turn it is. */
  shift(): Item | undefined {
    const [turn] = this.#queues
    if (!turn) return undefined
    const [key, queue] = turn
    const item = queue.shift()!
    this.#queues.delete(key)
    if (queue.length > 0) this.#queues.set(key, queue) // behind the others
    this.#length -= 1
    return item
  }
}
