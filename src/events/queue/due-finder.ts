// Finds the subscribers of one kind that have something due. The usual poll reads only what became due since
// the last one, regardless of the queue's length. A slow sweep over all subscriptions finds the rest:
// deliveries that were due before this process started, or were committed late.

import { type HintedAccounts, type Hints, WAITING_POLL_MS } from '../../kit/hints.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { PollAhead, type PollRange } from '../../kit/work/poll-ahead.js'
import {
  type DueSubscriber,
  findDueSubscribers,
  listSubscribersWithDue,
  type SubscriberKey,
  type SubscriberKind,
} from './delivery-claim-queries.js'

/** A statement's `now` is older than its commit, and the clocks of nodes differ slightly. */
const OVERLAP_MS = 2_000
/** After a longer time without a poll (or a jump of the test clock), only the sweep reads back. */
const SPAN_MS_MAX = 10_000
const SPAN_MS_MAX_SHARED = WAITING_POLL_MS + 30_000
/** What an account's own polls read back, if it had one since. A poll of all reads further. */
const RECENT_MS = 1_000
const SCAN_EVERY_MS = 10_000
/** Where hints are shared, each sweep asks every shard. */
const SCAN_EVERY_MS_SHARED = 60_000
const SCAN_PAGE = 1_000

const START: SubscriberKey = { accountId: '', subscriberId: '' }

export interface DueFinderOptions {
  db: Queryable
  hints: Pick<Hints, 'areShared' | 'waitMs' | 'hasTurn' | 'notify'>
  kind: SubscriberKind
  /** Before each sweep: what is recovered then, and may be due. */
  recover?: (now: Date) => Promise<SubscriberKey[]>
}

export class DueFinder {
  #readAtMs = 0
  /** Of polls for single accounts since then. */
  readonly #ownReadAtMs = new Map<string, number>()
  #scannedAtMs = 0
  #scanAfter: SubscriberKey | null = START
  readonly #options: DueFinderOptions
  readonly #poll: PollAhead<DueSubscriber>

  constructor(options: DueFinderOptions) {
    this.#options = options
    const read = (range: PollRange) => this.#read(range)
    const { hints, kind } = options
    // Events for SMPP wait for a bind of their customer, which is in one of the processes.
    const turn = kind === 'webhook' ? 'deliver' : null
    this.#poll = new PollAhead({ hints, turn, announcedBy: 'deliveries', read })
  }

  /** There may be new deliveries. */
  hint(accountIds: HintedAccounts): void {
    this.#poll.hint(accountIds)
  }

  async look(now: Date): Promise<SubscriberKey[]> {
    const nowMs = now.getTime()
    if (
      nowMs - this.#readAtMs > this.#spanMsMax ||
      performance.now() - this.#scannedAtMs > this.#scanEveryMs
    ) {
      this.#scanAfter ??= START
    }
    const fresh = await this.#poll.find(now)
    return this.#scanAfter ? [...fresh, ...(await this.#scan(this.#scanAfter, now))] : fresh
  }

  get #spanMsMax(): number {
    return this.#options.hints.areShared ? SPAN_MS_MAX_SHARED : SPAN_MS_MAX
  }

  get #scanEveryMs(): number {
    const { hints, kind } = this.#options
    if (!hints.areShared) return SCAN_EVERY_MS
    const isOthersTurn = kind === 'webhook' && !hints.hasTurn('deliver')
    return isOthersTurn ? Number.POSITIVE_INFINITY : SCAN_EVERY_MS_SHARED
  }

  async #read({ now, until, accountIds }: PollRange): Promise<DueSubscriber[]> {
    const { db, kind } = this.#options
    const nowMs = now.getTime()
    const since = new Date(Math.max(this.#readAtMs - OVERLAP_MS, nowMs - this.#spanMsMax))
    if (accountIds !== null) return this.#readOf(accountIds, since, { now, until })
    const found = await findDueSubscribers(db, kind, since, until)
    this.#readAtMs = nowMs
    this.#ownReadAtMs.clear()
    return found
  }

  /** A busy account is hinted often, so each time only what is new is read. */
  async #readOf(
    accountIds: readonly string[],
    since: Date,
    { now, until }: Pick<PollRange, 'now' | 'until'>,
  ): Promise<DueSubscriber[]> {
    const { db, kind } = this.#options
    const nowMs = now.getTime()
    const isRecent = (id: string) => nowMs - (this.#ownReadAtMs.get(id) ?? 0) <= RECENT_MS
    const recentSince = new Date(nowMs - RECENT_MS - OVERLAP_MS)
    const groups = [
      { ids: accountIds.filter(isRecent), from: recentSince },
      { ids: accountIds.filter((id) => !isRecent(id)), from: since },
    ].filter(({ ids }) => ids.length > 0)
    const found = await Promise.all(
      groups.map(({ ids, from }) => findDueSubscribers(db, kind, from, until, ids)),
    )
    for (const id of accountIds) this.#ownReadAtMs.set(id, nowMs)
    return found.flat()
  }

  /** One page at a time, so no poll takes long. */
  async #scan(after: SubscriberKey, now: Date): Promise<SubscriberKey[]> {
    const { db, kind, recover } = this.#options
    const recovered = after === START ? await recover?.(now) : undefined
    const page = await listSubscribersWithDue(db, kind, after, now, SCAN_PAGE)
    const isLast = page.length < SCAN_PAGE
    this.#scanAfter = isLast ? null : page.at(-1)!
    if (isLast) this.#scannedAtMs = performance.now()
    const due = page.filter((subscriber) => subscriber.isDue)
    return recovered ? [...recovered, ...due] : due
  }
}
