// Finds work in a queue that spans all accounts. On a cluster, each read asks every shard, even if the queue is empty.
// So a read that finds nothing due also returns what becomes due before the next one, and until then only a hint
// causes a read. One process at a time has the turn to read without a hint. It announces what it finds, so the others
// join in until the queue is empty.

import { elapsedMs } from '../clock.js'
import type { Hint, Hints, Turn } from '../hints.js'

/** How far ahead the queue is read while processes share hints. Otherwise reads are cheap, and it is not. */
const AHEAD_MS = 10_000

export interface Due {
  dueAt: Date
}

export interface PollAheadOptions<Found extends Due> {
  hints: Pick<Hints, 'areShared' | 'waitMs' | 'hasTurn' | 'notify'>
  /** What this queue belongs to. Null: what is due may be for this process only, so each one polls. */
  turn: Turn | null
  /** Announces its work. */
  announcedBy: Hint
  read: (until: Date, now: Date) => Promise<Found[]>
}

export class PollAhead<Found extends Due> {
  readonly #options: PollAheadOptions<Found>
  #upcoming: Found[] = []
  #readUntilMs = Number.NEGATIVE_INFINITY
  #isHinted = false
  /** The other processes know that there is work. */
  #isAnnounced = false
  #passedAtMs = Number.NEGATIVE_INFINITY

  constructor(options: PollAheadOptions<Found>) {
    this.#options = options
  }

  /** There may be work that no read has seen. */
  hint(): void {
    this.#isHinted = true
    this.#isAnnounced = true
  }

  /** What is due now. Each result is returned once. */
  async find(now: Date): Promise<Found[]> {
    const isKnown = !this.#isHinted && now.getTime() < this.#readUntilMs
    if (!isKnown) await this.#read(now)
    const isDue = ({ dueAt }: Found) => dueAt <= now
    const due = this.#upcoming.filter(isDue)
    this.#upcoming = this.#upcoming.filter((found) => !isDue(found))
    if (due.length === 0) this.#isAnnounced = this.#isHinted
    else {
      // Where there is work, there may be more.
      this.#readUntilMs = Number.NEGATIVE_INFINITY
      this.#announce()
    }
    return due
  }

  /** This process cannot take work now. If it has the turn, the others read the queue instead. */
  pass(): void {
    const { hints, turn } = this.#options
    if (!turn || !hints.hasTurn(turn) || elapsedMs(this.#passedAtMs) < AHEAD_MS) return
    this.#passedAtMs = elapsedMs()
    this.#isAnnounced = false
    this.#announce()
  }

  #announce(): void {
    const { hints, announcedBy } = this.#options
    if (this.#isAnnounced || !hints.areShared) return
    this.#isAnnounced = true
    hints.notify(announcedBy)
  }

  async #read(now: Date): Promise<void> {
    const { hints, turn } = this.#options
    const aheadMs = hints.areShared ? AHEAD_MS : 0
    const restMs = turn ? Math.max(aheadMs, hints.waitMs(turn)) : aheadMs
    this.#isHinted = false
    this.#readUntilMs = Number.NEGATIVE_INFINITY
    this.#upcoming = await this.#options.read(new Date(now.getTime() + aheadMs), now)
    this.#readUntilMs = now.getTime() + restMs
  }
}
