// Natural batching: while one write is running, new items collect; when it returns, all of them go in the
// next. No delay when idle, large batches when busy.

/** For records that are written one by one as they come: many share a commit, and no statement takes long. */
export const RECORDS_PER_WRITE_MAX = 500

export interface BatchWriterOptions<Item, Result> {
  /** Writes a batch and returns a result for each item, in order. A rejection fails the whole batch. */
  write: (items: Item[]) => Promise<Result[]>
  batchMax: number
  /** How many writes may run at once. */
  concurrency?: number
  /** How many items may be in flight at once, in whole batches, at least one. */
  itemsMax?: number
  /**
   * With one write running, with two, …: how many items the next one waits for. Few large writes are cheaper.
   */
  alongsideMin?: readonly number[]
  /** The lane it shares with other writers, except for batches large enough to go alone. */
  lane?: Lane
  largeFrom?: number
  /** The minimum interval between the starts of two writes, for items that can wait. */
  everyMs?: number
  /** Nothing is waiting or in flight. */
  onIdle?: () => void
}

/**
 * A connection shared by several writers, one write at a time. A batch closed during another writer's write
 * would only wait there, so it keeps collecting until that write ends, or until it has enough items for a
 * second write. First come, first served.
 */
export class Lane {
  readonly #waiting = new Set<() => void>()
  #underWay = 0

  /** Whether a write may start. If not, `pump` runs when it may. */
  isFree(isWorthIt: boolean, pump: () => void): boolean {
    const isNext = this.#waiting.size === 0 || (this.#waiting.size === 1 && this.#waiting.has(pump))
    if (this.#underWay === 0 || (isWorthIt && isNext)) {
      this.#waiting.delete(pump)
      return true
    }
    this.#waiting.add(pump)
    return false
  }

  begin(): void {
    this.#underWay += 1
  }

  end(): void {
    this.#underWay -= 1
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const pump of waiting) pump()
  }
}

interface Waiting<Answer> {
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/** Items of one write, and who waits for them. */
interface Batch<Item, Result> {
  items: Item[]
  singles: (Waiting<Result> & { at: number })[]
  groups: (Waiting<Result[]> & { start: number; end: number })[]
}

export class BatchWriter<Item, Result> {
  readonly #options: BatchWriterOptions<Item, Result>
  /** Only the last one may have space left. */
  readonly #queue: Batch<Item, Result>[] = []
  #underWay = 0
  #inWrites = 0
  #idle: (() => void)[] = []
  #beganAt = Number.NEGATIVE_INFINITY
  readonly #pumpAgain = () => this.#pump()
  #timer: NodeJS.Timeout | null = null

  constructor(options: BatchWriterOptions<Item, Result>) {
    this.#options = options
  }

  /** The number of items that were added and have no result yet. */
  get depth(): number {
    return this.#waiting + this.#inWrites
  }

  get #waiting(): number {
    return this.#queue.reduce((sum, { items }) => sum + items.length, 0)
  }

  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const { items, singles } = this.#openBatch()
      singles.push({ at: items.length, resolve, reject })
      items.push(item)
      this.#pump()
    })
  }

  /** Many items at once, with one promise per write. */
  async addAll(items: readonly Item[]): Promise<Result[]> {
    const answers: Promise<Result[]>[] = []
    for (let taken = 0; taken < items.length; ) {
      const batch = this.#openBatch()
      const start = batch.items.length
      const portion = items.slice(taken, taken + this.#options.batchMax - start)
      batch.items.push(...portion)
      const end = batch.items.length
      answers.push(
        new Promise((resolve, reject) => batch.groups.push({ start, end, resolve, reject })),
      )
      taken += portion.length
      this.#pump()
    }
    return (await Promise.all(answers)).flat()
  }

  get isIdle(): boolean {
    return this.#underWay === 0 && this.#queue.length === 0
  }

  /** Resolves when nothing is waiting or in flight. */
  async drain(): Promise<void> {
    if (this.isIdle) return
    await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #openBatch(): Batch<Item, Result> {
    const last = this.#queue.at(-1)
    if (last && last.items.length < this.#options.batchMax) return last
    const opened: Batch<Item, Result> = { items: [], singles: [], groups: [] }
    this.#queue.push(opened)
    return opened
  }

  #pump(): void {
    const {
      concurrency = 1,
      itemsMax = Number.POSITIVE_INFINITY,
      alongsideMin = [],
    } = this.#options
    while (this.#underWay < concurrency) {
      const ready = this.#queue[0]?.items.length ?? 0
      if (this.#underWay > 0 && this.#inWrites + ready > itemsMax) return
      if (ready < (alongsideMin[this.#underWay - 1] ?? 1) || this.#isTooSoon()) return
      const lane = this.#laneFor(ready)
      if (lane?.isFree(ready >= (alongsideMin[0] ?? 1), this.#pumpAgain) === false) return
      this.#underWay += 1
      void this.#write(this.#queue.shift()!) // its failures go to those who wait for its items
    }
  }

  #laneFor(size: number): Lane | undefined {
    const { lane, largeFrom = Number.POSITIVE_INFINITY } = this.#options
    return size < largeFrom ? lane : undefined
  }

  #isTooSoon(): boolean {
    const { everyMs = 0, batchMax } = this.#options
    if (everyMs === 0 || this.#waiting >= batchMax) return false
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

  async #write({ items, singles, groups }: Batch<Item, Result>): Promise<void> {
    this.#inWrites += items.length
    const lane = this.#laneFor(items.length)
    lane?.begin()
    try {
      const results = await this.#options.write(items)
      for (const { at, resolve } of singles) resolve(results[at]!)
      for (const { start, end, resolve } of groups) resolve(results.slice(start, end))
    } catch (error) {
      for (const { reject } of singles) reject(error)
      for (const { reject } of groups) reject(error)
    }
    this.#underWay -= 1
    this.#inWrites -= items.length
    lane?.end() // others who wait come first
    this.#pump()
    if (this.isIdle) {
      this.#options.onIdle?.()
      for (const resolve of this.#idle.splice(0)) resolve()
    }
  }
}

export interface KeyedBatchWriterOptions<Item, Result>
  extends Omit<BatchWriterOptions<Item, Result>, 'write' | 'onIdle' | 'lane'> {
  write: (key: string, items: Item[]) => Promise<Result[]>
  /** Keys of one name share a lane. */
  laneOf?: (key: string) => string
  /** For this key, instead of the general limits. */
  limitsOf?: (key: string) => Pick<BatchWriterOptions<Item, Result>, 'batchMax' | 'itemsMax'>
}

/** One writer per key (an account), removed when idle: items of one key share their writes. */
export class KeyedBatchWriter<Item, Result> {
  readonly #writers = new Map<string, BatchWriter<Item, Result>>()
  readonly #lanes = new Map<string, Lane>()
  readonly #options: KeyedBatchWriterOptions<Item, Result>

  constructor(options: KeyedBatchWriterOptions<Item, Result>) {
    this.#options = options
  }

  /** The number of items that were added and have no result yet. */
  get depth(): number {
    let depth = 0
    for (const writer of this.#writers.values()) depth += writer.depth
    return depth
  }

  add(key: string, item: Item): Promise<Result> {
    return this.#writerOf(key).add(item)
  }

  addAll(key: string, items: readonly Item[]): Promise<Result[]> {
    return this.#writerOf(key).addAll(items)
  }

  async drain(): Promise<void> {
    await Promise.all([...this.#writers.values()].map((writer) => writer.drain()))
  }

  #laneFor(key: string): { lane?: Lane } {
    const name = this.#options.laneOf?.(key)
    if (name === undefined) return {}
    const lane = this.#lanes.get(name) ?? new Lane()
    this.#lanes.set(name, lane)
    return { lane }
  }

  #writerOf(key: string): BatchWriter<Item, Result> {
    let writer = this.#writers.get(key)
    if (!writer) {
      writer = new BatchWriter({
        ...this.#options,
        ...this.#options.limitsOf?.(key),
        write: (items) => this.#options.write(key, items),
        ...this.#laneFor(key),
        onIdle: () => this.#writers.delete(key),
      })
      this.#writers.set(key, writer)
    }
    return writer
  }
}
