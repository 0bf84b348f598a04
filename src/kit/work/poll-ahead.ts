// Finds work in a queue that spans all accounts. On a cluster, each read asks every shard, even if the queue is empty.
// So a read that finds nothing due also returns what becomes due before the next one, and until then only a hint
// causes a read.

import type { Hints } from '../hints.js'

/** How far ahead the queue is read while processes share hints. Otherwise reads are cheap, and it is not. */
const AHEAD_MS = 5_000

export interface Due {
  dueAt: Date
}

export interface PollAheadOptions<Found extends Due> {
  hints: Pick<Hints, 'areShared'>
  read: (until: Date, now: Date) => Promise<Found[]>
}

export class PollAhead<Found extends Due> {
  readonly #options: PollAheadOptions<Found>
  #upcoming: Found[] = []
  #readUntilMs = Number.NEGATIVE_INFINITY
  #isHinted = false

  constructor(options: PollAheadOptions<Found>) {
    this.#options = options
  }

  /** There may be work that no read has seen. */
  hint(): void {
    this.#isHinted = true
  }

  /** What is due now. Each result is returned once. */
  async find(now: Date): Promise<Found[]> {
    const isKnown = !this.#isHinted && now.getTime() < this.#readUntilMs
    if (!isKnown) await this.#read(now)
    const isDue = ({ dueAt }: Found) => dueAt <= now
    const due = this.#upcoming.filter(isDue)
    this.#upcoming = this.#upcoming.filter((found) => !isDue(found))
    // Where there is work, there may be more.
    if (due.length > 0) this.#readUntilMs = Number.NEGATIVE_INFINITY
    return due
  }

  async #read(now: Date): Promise<void> {
    const untilMs = now.getTime() + (this.#options.hints.areShared ? AHEAD_MS : 0)
    this.#isHinted = false
    this.#readUntilMs = Number.NEGATIVE_INFINITY
    this.#upcoming = await this.#options.read(new Date(untilMs), now)
    this.#readUntilMs = untilMs
  }
}
