// The workers of a Citus cluster that store the accounts, and which of them are down. As long as none is, nothing
// is queried and nothing changes. PostgreSQL alone is checked once, after something was slow. While a worker is
// down, the others serve reads across all accounts, each for itself, and requests of accounts on the one that is
// down are refused immediately instead of waiting for it.

import { Clock, elapsedMs } from '../../clock.js'
import type { Queryable, Store } from '../db.js'
import { DatabaseFailure, isWorkerAway, mayBeWorkerAway } from '../db-failure.js'
import type { Deadlines } from '../deadlines.js'
import { findCitusVersion } from '../distribution-queries.js'
import type { Statement } from '../sql.js'
import type { Place, Places } from './places.js'
import { combineAnswers, type ShardGroup, shardCommand } from './shard-queries.js'
import {
  askAlive,
  askWorkers,
  countAccountsByGroup,
  limitConnecting,
  limitStatement,
  listShardGroups,
  listWorkers,
  type PlacedGroup,
  readPlaces,
  type Worker,
} from './worker-queries.js'

/** While one is down: how often its return is checked. */
const POLL_EVERY_MS = 2_000
/** While none is: the least time between two checks, however many statements are slow. */
const SUSPECT_EVERY_MS = 750
/** A worker that has not accepted a connection by then is down. */
const CONNECT_MS = 1_000
/**
 * A statement that takes longer may be waiting for a hung worker. With the tick of the deadlines and
 * CONNECT_MS, an outage is known within two seconds, long before the statement fails.
 */
const SUSPECT_MS = 250
/** Accounts move only when an operator rebalances the cluster. */
const LAYOUT_KEPT_MS = 30_000

export interface AwayWorker {
  /** Host and port, as the coordinator knows them. */
  name: string
  since: Date
}

export interface WorkersOptions {
  /** Uses separate connections: a hung worker must not keep us from checking it. */
  store: Store
  deadlines: Pick<Deadlines, 'begin' | 'end'>
  /** Once for each change. */
  onAway: (worker: AwayWorker) => void
  onBack: (worker: AwayWorker) => void
  /** After each check that found some away: statements that wait for them wait in vain. */
  onHung?: (groupIds: ReadonlySet<number>) => void
}

interface KnownWorker extends Worker, AwayWorker {}

/** What is known while some are down. */
interface Outage {
  away: ReadonlyMap<number, KnownWorker>
  near: readonly { worker: Worker; groups: readonly ShardGroup[] }[]
}

/** What lies where, while nothing is moved. */
interface Layout {
  places: Places
  shards: readonly PlacedGroup[]
}

type InTransaction = <T>(work: (tx: Queryable) => Promise<T>) => Promise<T>

export class Workers {
  readonly #options: WorkersOptions
  readonly #store: Store
  /** Null: not checked yet. */
  #isCluster: boolean | null = null
  #asking: Promise<string | null> | null = null
  #outage: Outage | null = null
  #looking: Promise<void> | null = null
  #polledAtMs = Number.NEGATIVE_INFINITY
  #layout: Layout | null = null
  #layoutAtMs = Number.NEGATIVE_INFINITY

  constructor(options: WorkersOptions) {
    this.#options = options
    this.#store = options.store
  }

  get isOutage(): boolean {
    return this.#outage !== null
  }

  get away(): readonly AwayWorker[] {
    return this.#outage ? [...this.#outage.away.values()] : []
  }

  /** Where accounts are. Null on PostgreSQL alone, and until it has been read for the first time. */
  get places(): Places | null {
    if (this.#isCluster !== false && elapsedMs(this.#layoutAtMs) >= LAYOUT_KEPT_MS) {
      this.#layoutAtMs = elapsedMs()
      void this.#readLayout().catch(() => {}) // the next one may succeed
    }
    return this.#layout?.places ?? null
  }

  /** It is one: known without a question. */
  get isKnownCluster(): boolean {
    return this.#isCluster === true
  }

  /** Checked once, by code that works differently on a cluster. `db`: connections that are in use anyway. */
  async isCluster(db: Queryable = this.#store): Promise<boolean> {
    if (this.#isCluster !== null) return this.#isCluster
    this.#asking ??= this.#ask(db)
    this.#isCluster = (await this.#asking) !== null
    return this.#isCluster
  }

  async #ask(db: Queryable): Promise<string | null> {
    await null // the statement itself needs the answer, and must find that it is on its way
    return findCitusVersion(db).finally(() => {
      this.#asking = null
    })
  }

  /** With the number of accounts that cannot be reached. */
  async listAway(): Promise<(AwayWorker & { accounts: number })[]> {
    if (!this.#outage) return []
    const away = [...this.#outage.away.values()]
    const counts = await countAccountsByGroup(this.#store)
    return away.map(({ name, since, groupId }) => {
      const own = counts.find((one) => one.groupId === groupId)
      return { name, since, accounts: own?.accounts ?? 0 }
    })
  }

  /** Something failed: if a worker may be the cause, it is checked. */
  note(error: unknown): void {
    if (this.#mayBeOurs(error)) void this.look().catch(() => {}) // the failure was already reported
  }

  /** Runs it. If it takes long, the workers are checked, so the next request need not wait for a hung one. */
  async watch<T>(run: () => Promise<T>): Promise<T> {
    if (this.#isCluster === false) return run()
    const { deadlines } = this.#options
    const suspect = (): void => {
      wait = deadlines.begin(SUSPECT_MS, suspect)
      this.#lookAgain(this.#outage ? POLL_EVERY_MS : SUSPECT_EVERY_MS)
    }
    let wait = deadlines.begin(SUSPECT_MS, suspect)
    try {
      return await run()
    } finally {
      deadlines.end(wait)
    }
  }

  /**
   * The same in a transaction, which a worker that is down would end, so it checks only if the state is
   * unknown.
   */
  queryIn<Row extends object>(tx: Queryable, statement: Statement): Promise<Row[]> {
    return this.#outage
      ? this.#askNear<Row>(statement, this.#outage, (work) => work(tx))
      : tx.query<Row>(statement)
  }

  /** A plain read across all accounts, or across those that can be reached. */
  async query<Row extends object>(
    statement: Statement,
    ask: (statement: Statement) => Promise<Row[]>,
    inTransaction: InTransaction,
  ): Promise<Row[]> {
    if (!this.#outage) {
      try {
        return await ask(statement)
      } catch (error) {
        if (!this.#mayBeOurs(error)) throw error
        if (!this.#outage) await this.look()
        if (!this.#outage && isWorkerAway(error)) return ask(statement) // already back
        if (!this.#outage) throw error
      }
    }
    return this.#askNear<Row>(statement, this.#outage, inTransaction)
  }

  /** Rejects immediately if the account is on a worker that is down. */
  async assertNear(accountId: string): Promise<void> {
    const refusal = this.places && this.refusalOf(this.places.ofAccount(accountId))
    if (refusal) throw refusal
  }

  /** The failure of a statement that needs a worker that is away, or null. One over all accounts may try. */
  refusalOf({ groupIds, isSpread }: Place): DatabaseFailure | null {
    if (!this.#outage || isSpread) return null
    this.#lookAgain()
    const { away } = this.#outage
    const groupId = groupIds.find((one) => away.has(one))
    if (groupId === undefined) return null
    const words = `the worker ${away.get(groupId)!.name}, which has this account, does not answer`
    return new DatabaseFailure('database_unavailable', words, null, true)
  }

  /** Finds out which are down. One check at a time, for all who wait. */
  look(): Promise<void> {
    this.#looking ??= this.#find().finally(() => {
      this.#looking = null
      this.#polledAtMs = elapsedMs()
    })
    return this.#looking
  }

  #lookAgain(everyMs = POLL_EVERY_MS): void {
    if (elapsedMs(this.#polledAtMs) >= everyMs) void this.look().catch(() => {}) // the next one may succeed
  }

  #mayBeOurs(error: unknown): boolean {
    if (this.#isCluster === false) return isWorkerAway(error)
    return mayBeWorkerAway(error)
  }

  async #find(): Promise<void> {
    if (!(await this.isCluster())) return
    const workers = await listWorkers(this.#store)
    const answers = await this.#store.transaction(async (tx) => {
      await limitConnecting(tx, CONNECT_MS)
      await limitStatement(tx, 2 * CONNECT_MS)
      return askAlive(tx, workers)
    })
    const isGood = (worker: Worker) =>
      answers.some((one) => one.isGood && one.host === worker.host && one.port === worker.port)
    const away = workers.filter((worker) => !isGood(worker))
    if (away.length > 0 && !this.#layout) await this.#readLayout()
    const { shards } = this.#layout ?? { shards: [] }
    this.#become(
      away,
      workers.filter(isGood).map((worker) => ({
        worker,
        groups: shards.filter((one) => one.groupId === worker.groupId).map((one) => one.shards),
      })),
    )
  }

  #become(away: readonly Worker[], near: Outage['near']): void {
    const before = this.#outage?.away ?? new Map<number, KnownWorker>()
    const outages = away.map((worker) => {
      const name = `${worker.host}:${worker.port}`
      return before.get(worker.groupId) ?? { ...worker, name, since: new Clock().machineNow() }
    })
    const after = new Map(outages.map((worker) => [worker.groupId, worker]))
    this.#outage = outages.length > 0 ? { away: after, near } : null
    for (const worker of outages) if (!before.has(worker.groupId)) this.#options.onAway(worker)
    for (const worker of before.values()) {
      if (!after.has(worker.groupId)) this.#options.onBack(worker)
    }
    if (outages.length > 0) this.#options.onHung?.(new Set(after.keys()))
  }

  async #readLayout(): Promise<void> {
    if (!(await this.isCluster())) return
    const places = await readPlaces(this.#store)
    this.#layout = { places, shards: await listShardGroups(this.#store) }
    this.#layoutAtMs = elapsedMs()
  }

  async #askNear<Row extends object>(
    statement: Statement,
    { near, away }: Outage,
    within: InTransaction,
  ): Promise<Row[]> {
    this.#lookAgain()
    const queries = near
      .filter(({ groups }) => groups.length > 0)
      .map(({ worker, groups }) => ({ ...worker, command: shardCommand(statement, groups) }))
    const answers = await within(async (tx) => {
      await limitConnecting(tx, CONNECT_MS)
      return askWorkers(tx, queries)
    })
    const good = answers.filter(({ isGood }) => isGood)
    for (const { isGood, text } of answers) if (!isGood) this.note(failureOf(text))
    const across = statement.across!
    const rows = combineAnswers<Row>(
      good.map(({ text }) => text),
      across,
    )
    if (across.isOne && rows.length === 0) throw mayBeOn([...away.values()])
    return rows
  }
}

function mayBeOn(away: readonly AwayWorker[]): DatabaseFailure {
  const names = away.map(({ name }) => name).join(', ')
  const words = `the record may be on ${names}, which does not respond`
  return new DatabaseFailure('database_unavailable', words, null, true)
}

/** The errors of Citus for the connection, not the statement. */
const LOST = /^(?:failed to (?:connect|send query) to|connection lost|query result unavailable)/

/** Throws if the worker is not the cause. */
function failureOf(words: string): DatabaseFailure {
  if (!LOST.test(words)) throw new Error(`a worker refused a read over all accounts: ${words}`)
  return new DatabaseFailure('database_unavailable', words, null, true)
}
