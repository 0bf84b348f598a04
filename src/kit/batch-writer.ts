// Natural batching: while one write is on its way, arriving items gather; when it returns, all of
// them go in the next. No timer and no delay when idle, large batches when busy.

export interface BatchWriterOptions<Item, Result> {
  /** Writes a batch and answers for each item, in order. A rejection fails the whole batch. */
  write: (items: Item[]) => Promise<Result[]>
  batchMax: number
  /** How many writes may be on their way at once. */
  concurrency?: number
}

interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

export class BatchWriter<Item, Result> {
  readonly #options: BatchWriterOptions<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #underWay = 0
  #idle: (() => void)[] = []

  constructor(options: BatchWriterOptions<Item, Result>) {
    this.#options = options
  }

  /** How many items wait for their turn: the measure for refusing more. */
  get depth(): number {
    return this.#waiting.length
  }

  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#pump()
    })
  }

  /** Resolves when nothing waits and nothing is on its way. */
  async drain(): Promise<void> {
    if (this.#underWay === 0 && this.#waiting.length === 0) return
    await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #pump(): void {
    const { concurrency = 1, batchMax } = this.#options
    while (this.#underWay < concurrency && this.#waiting.length > 0) {
      const batch =
        this.#waiting.length <= batchMax ? this.#waiting : this.#waiting.slice(0, batchMax)
      this.#waiting = batch === this.#waiting ? [] : this.#waiting.slice(batchMax)
      this.#underWay += 1
      void this.#write(batch)
    }
  }

  async #write(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.write(batch.map((entry) => entry.item))
      for (let i = 0; i < batch.length; i += 1) batch[i]!.resolve(results[i]!)
    } catch (error) {
      for (const entry of batch) entry.reject(error)
    }
    this.#underWay -= 1
    this.#pump()
    if (this.#underWay === 0 && this.#waiting.length === 0) {
      for (const resolve of this.#idle.splice(0)) resolve()
    }
  }
}
