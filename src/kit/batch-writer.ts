// Natural batching: while one write is on its way, arriving items gather; when it returns, all of
// them go in the next. No delay when idle, large batches when busy.

export interface BatchWriterOptions<Item, Result> {
  /** Writes a batch and answers for each item, in order. A rejection fails the whole batch. */
  write: (items: Item[]) => Promise<Result[]>
  batchMax: number
  /** How many writes may be on their way at once. */
  concurrency?: number
  /** Beside another write, one waits for this many items: few large writes are cheaper. */
  besideMin?: number
  /** A write begins no sooner than this after the last one began: for what can wait a moment. */
  everyMs?: number
  /** Nothing waits and nothing is on its way. */
  onIdle?: () => void
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
  #inWrites = 0
  #idle: (() => void)[] = []
  #beganAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | null = null

  constructor(options: BatchWriterOptions<Item, Result>) {
    this.#options = options
  }

  /** How many items were added and are not yet answered. */
  get depth(): number {
    return this.#waiting.length + this.#inWrites
  }

  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#pump()
    })
  }

  get isIdle(): boolean {
    return this.#underWay === 0 && this.#waiting.length === 0
  }

  /** Resolves when nothing waits and nothing is on its way. */
  async drain(): Promise<void> {
    if (this.isIdle) return
    await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #pump(): void {
    const { concurrency = 1, batchMax, besideMin = 1 } = this.#options
    while (
      this.#underWay < concurrency &&
      this.#waiting.length >= (this.#underWay === 0 ? 1 : besideMin)
    ) {
      if (this.#isTooSoon()) return
      const batch =
        this.#waiting.length <= batchMax ? this.#waiting : this.#waiting.slice(0, batchMax)
      this.#waiting = batch === this.#waiting ? [] : this.#waiting.slice(batchMax)
      this.#underWay += 1
      void this.#write(batch)
    }
  }

  #isTooSoon(): boolean {
    const { everyMs = 0, batchMax } = this.#options
    if (everyMs === 0 || this.#waiting.length >= batchMax) return false
    if (this.#timer) return true
    const nowMs = performance.now()
    const waitMs = this.#beganAt + everyMs - nowMs
    if (waitMs < 1) {
      this.#beganAt = nowMs
      return false
    }
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#beganAt = Number.NEGATIVE_INFINITY
      this.#pump()
    }, waitMs)
    return true
  }

  async #write(batch: Waiting<Item, Result>[]): Promise<void> {
    this.#inWrites += batch.length
    try {
      const results = await this.#options.write(batch.map((entry) => entry.item))
      for (let i = 0; i < batch.length; i += 1) batch[i]!.resolve(results[i]!)
    } catch (error) {
      for (const entry of batch) entry.reject(error)
    }
    this.#underWay -= 1
    this.#inWrites -= batch.length
    this.#pump()
    if (this.isIdle) {
      this.#options.onIdle?.()
      for (const resolve of this.#idle.splice(0)) resolve()
    }
  }
}

export interface KeyedBatchWriterOptions<Item, Result>
  extends Omit<BatchWriterOptions<Item, Result>, 'write' | 'onIdle'> {
  write: (key: string, items: Item[]) => Promise<Result[]>
}

/** One writer per key (an account), forgotten when idle: what belongs to one key shares its writes. */
export class KeyedBatchWriter<Item, Result> {
  readonly #writers = new Map<string, BatchWriter<Item, Result>>()
  readonly #options: KeyedBatchWriterOptions<Item, Result>

  constructor(options: KeyedBatchWriterOptions<Item, Result>) {
    this.#options = options
  }

  /** How many items were added and are not yet answered. */
  get depth(): number {
    let depth = 0
    for (const writer of this.#writers.values()) depth += writer.depth
    return depth
  }

  add(key: string, item: Item): Promise<Result> {
    return this.#writerOf(key).add(item)
  }

  async drain(): Promise<void> {
    await Promise.all([...this.#writers.values()].map((writer) => writer.drain()))
  }

  #writerOf(key: string): BatchWriter<Item, Result> {
    let writer = this.#writers.get(key)
    if (!writer) {
      writer = new BatchWriter({
        ...this.#options,
        write: (items) => this.#options.write(key, items),
        onIdle: () => this.#writers.delete(key),
      })
      this.#writers.set(key, writer)
    }
    return writer
  }
}
