// A first-in, first-out queue whose operations take constant time.

export class WaitingMessages<T> {
  #items: T[] = []
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  push(item: T): void {
    this.#items.push(item)
  }

  peek(): T | undefined {
    return this.#items[this.#head]
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined
    const item = this.#items[this.#head++]
    // At most half of the space is unused.
    if (this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  /** Removes and returns everything. */
  takeAll(): T[] {
    const all = this.#items.slice(this.#head)
    this.#items = []
    this.#head = 0
    return all
  }
}
