// Finds the message that a carrier's ID means. On PostgreSQL alone one query answers that. On a cluster the rows are with
// their accounts, so the account comes first: it has the number that the receipt names. If it does not lead there, because
// the number is unknown, was released, or has moved to another account, every worker is searched, rarely and for many
// receipts at once. See docs/decisions/0142.

import type { AccountId } from '../../accounts/account.js'
import { KeyedBatchWriter, RECORDS_PER_WRITE_MAX } from '../../kit/batch-writer.js'
import { DAY_MS, elapsedMs } from '../../kit/clock.js'
import type { Counter } from '../../kit/metrics.js'
import type { World } from '../../kit/world.js'
import type { Receipt } from '../carrier-port.js'
import {
  findCarrierIds,
  findFoldedIds,
  type IdLookup,
  listIdTables,
  type StoredId,
} from './carrier-id-queries.js'
import { retryUnlessAway, retryWhileDatabaseDown } from './move-recorder.js'
import type { FindHolders } from './number-holders.js'

/** The least time between two searches of every worker for receipts of one link. */
const SEARCH_EVERY_MS = 100
/** No older ID is stored (week-slots.ts), so an account that has had a number for longer sent every message from it. */
const STORED_MS = 28 * DAY_MS
const TABLES_KNOWN_MS = 60_000

type Deps = Pick<World, 'clock' | 'metrics'> & {
  db: Pick<World['db'], 'query'> & {
    workers: Pick<World['db']['workers'], 'isCluster' | 'isOutage'>
  }
}
type Scope = Omit<IdLookup, 'carrierIds'>
type Spellings = readonly string[]

/** Away: its account is on a worker that does not respond. */
type Found = StoredId | null | 'away'

export interface WantedId extends Pick<Receipt, 'link'> {
  clue: Receipt['clue'] | undefined
  /** Every spelling that the submit response may have used, most likely first. */
  carrierIds: Spellings
  /** It was looked up before, so its message is not just about to be recorded. */
  isLate: boolean
}

export class CarrierIdFinder {
  readonly #deps: Deps
  readonly #holdersOf: FindHolders
  readonly #searched: Counter
  /** By link. */
  readonly #lookups: KeyedBatchWriter<Spellings, StoredId | null>
  readonly #searches: KeyedBatchWriter<Spellings, StoredId | null>
  /** By account and link. */
  readonly #own: KeyedBatchWriter<Spellings, Found>
  #idTables!: ReturnType<typeof listIdTables>
  #tablesAtMs = Number.NEGATIVE_INFINITY

  constructor(deps: Deps, holdersOf: FindHolders) {
    this.#deps = deps
    this.#holdersOf = holdersOf
    this.#searched = deps.metrics.counter(
      'longcode_receipt_searches_total',
      'Receipts whose message was searched on every worker, because their number did not lead to it',
      ['link'],
    )
    const everywhere = {
      batchMax: RECORDS_PER_WRITE_MAX,
      write: (link: string, wanted: Spellings[]) =>
        retryWhileDatabaseDown(() => this.#lookUp({ link }, wanted)),
    }
    this.#lookups = new KeyedBatchWriter(everywhere)
    this.#searches = new KeyedBatchWriter({ ...everywhere, everyMs: SEARCH_EVERY_MS })
    this.#own = new KeyedBatchWriter({
      batchMax: RECORDS_PER_WRITE_MAX,
      write: (key, wanted) =>
        retryUnlessAway<Found[]>(
          () => this.#lookUp(scopeOf(key), wanted),
          wanted.map(() => 'away'),
        ),
    })
  }

  async find({ link, carrierIds, clue, isLate }: WantedId): Promise<Found> {
    const { workers } = this.#deps.db
    if (!(await workers.isCluster())) return this.#lookups.add(link, carrierIds)
    const named = clue?.() ?? null
    const holders = named === null ? [] : await this.#holders([named.number, named.peer])
    const found = await Promise.all(
      holders.map(({ accountId, since }) => this.#findOwn(accountId, since, { link, carrierIds })),
    )
    const stored = found.filter((one) => one !== null && one !== 'away')
    if (stored.length > 0) return stored.reduce((a, b) => (b.sentAt > a.sentAt ? b : a))
    if (found.includes('away')) return 'away'
    // Its account may be on the worker that is away, and others may have used the ID before.
    if (workers.isOutage && named !== null) return null
    const storedSince = this.#deps.clock.now().getTime() - STORED_MS
    if (!isLate && holders.some(({ since }) => since.getTime() < storedSince)) return null
    this.#searched.add(1, link)
    return this.#searches.add(link, carrierIds)
  }

  /** By its account alone: a message that the account sent before it got the number went out by another one. */
  async #findOwn(
    accountId: AccountId,
    since: Date,
    { link, carrierIds }: Pick<WantedId, 'link' | 'carrierIds'>,
  ): Promise<Found> {
    const found = await this.#own.add(keyOf({ accountId, link }), carrierIds)
    return found !== null && found !== 'away' && found.sentAt < since ? null : found
  }

  /** The accounts that have one of the numbers, and since when. Two if an account texts another one. */
  async #holders(numbers: readonly string[]): Promise<{ accountId: AccountId; since: Date }[]> {
    const holders = await this.#holdersOf(numbers)
    const sinceByAccount = new Map<AccountId, Date>()
    for (const number of numbers) {
      const holder = holders.get(number)
      const known = holder && sinceByAccount.get(holder.accountId)
      if (!holder || (known && known <= holder.purchasedAt)) continue
      sinceByAccount.set(holder.accountId, holder.purchasedAt)
    }
    return [...sinceByAccount].map(([accountId, since]) => ({ accountId, since }))
  }

  async #lookUp(scope: Scope, wanted: readonly Spellings[]): Promise<(StoredId | null)[]> {
    const { db } = this.#deps
    const tables = await this.#tables()
    const found = await findCarrierIds(db, { ...scope, carrierIds: wanted.flat() }, tables)
    const matches = wanted.map((ids) => firstOf(ids, found))
    const carrierIds = wanted.flatMap((ids, i) => (matches[i] ? [] : ids[0]!))
    if (carrierIds.length === 0) return matches
    const folded = await findFoldedIds(db, { ...scope, carrierIds }, tables)
    return matches.map((one, i) => one ?? onlyOf(wanted[i]!, folded))
  }

  #tables(): ReturnType<typeof listIdTables> {
    if (elapsedMs(this.#tablesAtMs) >= TABLES_KNOWN_MS) {
      this.#tablesAtMs = elapsedMs()
      this.#idTables = listIdTables(this.#deps.db)
      this.#idTables.catch(() => {
        this.#tablesAtMs = Number.NEGATIVE_INFINITY
      })
    }
    return this.#idTables
  }
}

/** The first known spelling, if letter case leaves no doubt. */
function firstOf(ids: Spellings, found: ReadonlyMap<string, StoredId>): StoredId | null {
  const [written = ''] = ids
  const exact = found.get(written)
  if (exact) return exact
  const carrierIds = ids.flatMap((id) => found.get(id) ?? [])
  const sameLetters = carrierIds.filter(({ carrierId }) => isSameWord(carrierId, written))
  return sameLetters.length > 1 ? null : (carrierIds[0] ?? null)
}

function onlyOf(
  [written = '']: Spellings,
  folded: ReadonlyMap<string, readonly StoredId[]>,
): StoredId | null {
  const spelled = folded.get(written.toLowerCase()) ?? []
  return spelled.length === 1 ? spelled[0]! : null
}

function isSameWord(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

function keyOf({ accountId, link }: Scope): string {
  return `${accountId} ${link}`
}

function scopeOf(key: string): Scope {
  const at = key.indexOf(' ')
  return { accountId: key.slice(0, at) as AccountId, link: key.slice(at + 1) }
}
