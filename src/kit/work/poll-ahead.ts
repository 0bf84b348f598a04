// Finds work in a queue that spans all accounts. On a cluster, each read of it asks every shard, even if it is empty.
// So a read that finds nothing due also returns what becomes due before the next one, and until then only a hint
// causes a read, of the accounts that it names. One process at a time has the turn to read without a hint. It announces
// what it finds, so the others join in until the queue is empty.

import { elapsedMs } from '../clock.js'
import type { Hint, HintedAccounts, Hints, Turn } from '../hints.js'

/** How far ahead the queue is read while processes share hints. Otherwise reads are cheap, and it is not. */
const AHEAD_MS = 30_000
/** A read of more accounts reaches nearly as many shards as one of all. */
const ACCOUNTS_MAX = 16

export interface Due {
  accountId: string
  dueAt: Date
}

/** What a read covers: work that is due by then, of these accounts or of all. */
export interface PollRange {
  now: Date
  until: Date
  accountIds: HintedAccounts
}

export interface PollAheadOptions<Found extends Due> {
  hints: Pick<Hints, 'areShared' | 'waitMs' | 'hasTurn' | 'notify'>
  /** What this queue belongs to. Null: what is due may be for this process only, so each one polls. */
  turn: Turn | null
  /** Announces its work. */
  announcedBy: Hint
  read: (range: PollRange) => Promise<Found[]>
  /** A read that returns this many may have left some out. */
  limit?: number
}

export class PollAhead<Found extends Due> {
  readonly #options: PollAheadOptions<Found>
  #upcoming: Found[] = []
  #readUntilMs = Number.NEGATIVE_INFINITY
  /** The last read of all may have left some out. */
  #isCut = false
  #isHinted = false
  /** Accounts that may have work that no read has seen. */
  #hinted = new Set<string>()
  /** The other processes know that there is work, of any account or of these. */
  #isAnnounced = false
  #announced = new Set<string>()
  #passedAtMs = Number.NEGATIVE_INFINITY

  constructor(options: PollAheadOptions<Found>) {
    this.#options = options
  }

  /** There may be work that no read has seen. */
  hint(accountIds: HintedAccounts): void {
    if (accountIds === null || !this.#options.hints.areShared) {
      this.#isHinted = true
      this.#isAnnounced = true
      return
    }
    for (const accountId of accountIds) {
      this.#hinted.add(accountId)
      this.#announced.add(accountId)
    }
  }

  /** What is due now. Each result is returned once. */
  async find(now: Date): Promise<Found[]> {
    await this.#read(now)
    const isDue = ({ dueAt }: Found) => dueAt <= now
    const due = this.#upcoming.filter(isDue)
    this.#upcoming = this.#upcoming.filter((found) => !isDue(found))
    if (due.length === 0) {
      this.#isAnnounced = this.#isHinted
      this.#announced = new Set(this.#hinted)
    } else {
      this.#readAgain(due)
      this.#announce(due)
    }
    return due
  }

  /** This process cannot take work now. If it has the turn, the others read the queue instead. */
  pass(): void {
    const { hints, turn, announcedBy } = this.#options
    if (!turn || !hints.hasTurn(turn) || elapsedMs(this.#passedAtMs) < AHEAD_MS) return
    this.#passedAtMs = elapsedMs()
    if (hints.areShared) hints.notify(announcedBy)
  }

  /** Where there is work, there may be more. */
  #readAgain(due: readonly Found[]): void {
    const isCut = this.#isCut || due.length >= this.#limit
    if (!this.#options.hints.areShared || isCut) this.#readUntilMs = Number.NEGATIVE_INFINITY
    else for (const { accountId } of due) this.#hinted.add(accountId)
  }

  #announce(due: readonly Found[]): void {
    const { hints, announcedBy } = this.#options
    if (this.#isAnnounced || !hints.areShared) return
    const found = new Set(due.map(({ accountId }) => accountId))
    const fresh = [...found].filter((accountId) => !this.#announced.has(accountId))
    for (const accountId of fresh) this.#announced.add(accountId)
    if (fresh.length > 0) hints.notify(announcedBy, fresh)
  }

  async #read(now: Date): Promise<void> {
    const isKnown = !this.#isHinted && now.getTime() < this.#readUntilMs
    if (!isKnown || this.#hinted.size > ACCOUNTS_MAX) return this.#readAll(now)
    if (this.#hinted.size > 0) await this.#readHinted(now)
  }

  async #readAll(now: Date): Promise<void> {
    const { hints, turn } = this.#options
    const restMs = turn ? Math.max(this.#aheadMs, hints.waitMs(turn)) : this.#aheadMs
    this.#isHinted = false
    this.#hinted.clear()
    this.#upcoming = await this.#ask(now, null)
    this.#isCut = this.#upcoming.length >= this.#limit
    this.#readUntilMs = now.getTime() + restMs
  }

  async #readHinted(now: Date): Promise<void> {
    const accountIds = new Set(this.#hinted)
    const readUntilMs = this.#readUntilMs
    this.#hinted.clear()
    const found = await this.#ask(now, [...accountIds])
    const others = this.#upcoming.filter(({ accountId }) => !accountIds.has(accountId))
    this.#upcoming = [...others, ...found]
    this.#readUntilMs = readUntilMs
  }

  /** If it fails, everything is read next. */
  #ask(now: Date, accountIds: HintedAccounts): Promise<Found[]> {
    const until = new Date(now.getTime() + this.#aheadMs)
    this.#readUntilMs = Number.NEGATIVE_INFINITY
    return this.#options.read({ now, until, accountIds })
  }

  get #limit(): number {
    return this.#options.limit ?? Number.POSITIVE_INFINITY
  }

  get #aheadMs(): number {
    return this.#options.hints.areShared ? AHEAD_MS : 0
  }
}
