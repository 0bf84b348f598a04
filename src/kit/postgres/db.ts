// Assembles PostgreSQL access: the pools, the pipelines, and the patient connections, each with its time
// limits. Queries take a Queryable, so the caller decides what runs in one transaction.

import pg from 'pg'
import { elapsedMs } from '../clock.js'
import { splitDatabaseUrl } from '../settings/database-url.js'
import { asFailure, DatabaseFailure } from './db-failure.js'
import {
  type Limits,
  limitsOf,
  PATIENT,
  pipelineLimits,
  STATEMENT_MS,
  startOptions,
} from './db-limits.js'
import { Deadlines } from './deadlines.js'
import { Detours } from './detours.js'
import { frameOf, type Run } from './frame.js'
import { Listener, type ListenerOptions } from './listener.js'
import { readUtcTime } from './pg-time.js'
import { Pipelines, pipelineOf } from './pipelines.js'
import { Pool, type TransactionOptions } from './pool.js'
import { POOL_NAMES, type PoolName, poolLimits, shareLimits, splitPool } from './pool-split.js'
import { pidOf } from './run-statement.js'
import { Servers } from './servers.js'
import { KeyedSlots } from './slots.js'
import type { Statement } from './sql.js'
import { Traffic, WorkerBudget } from './workers/traffic.js'
import { cancelBackends } from './workers/worker-queries.js'
import { type AwayWorker, Workers } from './workers/workers.js'

export interface Queryable {
  query: <Row extends object>(statement: Statement) => Promise<Row[]>
}

export interface Transaction extends Queryable {
  readonly isTransaction: true
}

/** Statements and transactions. */
export interface Store extends Queryable {
  transaction: <T>(
    work: (tx: Transaction) => Promise<T>,
    options?: TransactionOptions,
  ) => Promise<T>
}

/** For work that runs again: if others hold a lock, it is left to the next time. */
export const BRIEFLY: TransactionOptions = { lockMs: 500 }

/** The same for what belongs to one account. */
export function brieflyFor(accountId: string): TransactionOptions {
  return { ...BRIEFLY, accountId }
}

export interface Database extends Store {
  /** For single statements of one key that arrive faster than they are answered; see pipelines.ts. */
  pipeline: (key: string) => Queryable
  /** Keys with the same answer wait for each other there. */
  pipelineOf: (key: string) => string
  /** For long work such as migrations and purges, on separate connections. */
  patient: Store
  /** Separate connections for checks of the database itself: whether it responds, and its workers. */
  probe: Store
  /** The same database through another pool; see pool-split.ts. Unassigned work runs in the worker pool. */
  pool: (name: PoolName) => Database
  /** At most the account's share of this pool's connections. Refused with 429 after a bounded wait. */
  shareOf: (key: string) => Store
  /** The same for a whole request: holds one connection's worth of the share while `work` runs. */
  admit: <T>(key: string, work: () => Promise<T>) => Promise<T>
  /** The workers behind a Citus coordinator. */
  workers: Pick<
    Workers,
    'away' | 'isOutage' | 'isCluster' | 'isKnownCluster' | 'listAway' | 'assertNear' | 'look'
  >
  /** For all pools together. */
  poolUse: () => PoolUse
  /** For each pool; one line if the connections are not divided. */
  poolUses: () => (PoolUse & { name: PoolName | 'all'; max: number })[]
  /** Uses a separate connection, because the open ones may hang. */
  isAnswering: (withinMs: number) => Promise<boolean>
  /** Receives notifications on its own connection until it is stopped. Not through a pooler. */
  listen: (options: ListenerOptions) => Pick<Listener, 'stop' | 'holds'>
  /** It is down and we must stop: work in flight and new work fail with DatabaseAbandoned. */
  abandon: () => void
  end: () => Promise<void>
}

interface PoolUse {
  total: number
  idle: number
  waiting: number
}

const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    // bigint columns contain micros of a dollar: exact, never a float.
    if (oid === pg.types.builtins.INT8) return (text: string) => BigInt(text)
    const readAny = pg.types.getTypeParser(oid, format)
    if (oid !== pg.types.builtins.TIMESTAMPTZ || format === 'binary') return readAny
    return (text: string) => readUtcTime(text) ?? readAny(text)
  }) as pg.CustomTypesConfig['getTypeParser'],
}

// Deadlock, serialization failure: the transaction was rolled back and may be retried.
const RETRYABLE = new Set(['40P01', '40001'])
const ATTEMPTS_MAX = 4
// The same for one whose process stood still for a moment. After longer it is not retried, because its times
// are in the past.
const WE_WERE_SILENT = '25P03'
const SILENT_MS_MAX = 10_000

const PATIENT_MAX = 2
/** One may wait for a hung worker: the other then answers whether the server does. */
const PROBES_MAX = 2
/** One in this many connections may be used by accounts that wait for a lock. */
const DETOURS_PART = 4

export interface DatabaseOptions {
  url: string
  poolMax: number
  /** How long a statement may take, except on patient connections. */
  statementMs?: number
  /** What is between us and the server; see frame.ts. Default: nothing relevant. */
  pooler?: 'none' | 'transaction'
  applicationName: string
  onError: (error: Error) => void
  /** A worker with some of the accounts went down, or is back. */
  onWorker?: (worker: AwayWorker, isAway: boolean) => void
}

export function openDatabase(options: DatabaseOptions): Database {
  const { poolMax, statementMs = STATEMENT_MS } = options
  const deadlines = new Deadlines()
  let isEnding = false
  const onError = (error: Error) => {
    if (!isEnding) options.onError(asFailure(error) as Error)
  }
  const limits = limitsOf(statementMs)
  const servers = new Servers(splitDatabaseUrl(options.url) ?? [options.url], limits.connectMs)
  const common = (limits: Limits) => ({
    settings: settingsOf(options, limits),
    frame: options.pooler === 'transaction' ? frameOf(limits) : null,
    servers,
    limits,
    deadlines,
    onError,
  })
  const { onWorker = () => {} } = options
  const probes = new Pool({ ...common(limits), max: PROBES_MAX, traffic: null })
  const probe = storeOf(probes)
  const cancel = async (clients: readonly pg.ClientBase[]) => {
    // A pooler uses its own numbers.
    if (options.pooler !== 'transaction') await cancelBackends(probe, clients.map(pidOf))
  }
  const workers: Workers = new Workers({
    store: probe,
    deadlines,
    onAway: (worker) => onWorker(worker, true),
    onBack: (worker) => onWorker(worker, false),
    onHung: (groupIds) => void traffic.cutStuck(groupIds, cancel),
  })
  const traffic = new Traffic(workers)
  const openPool = (name: PoolName, max: number) =>
    new Pool({ ...common(poolLimits(name, statementMs)), max, traffic })
  const pools = openPools(poolMax, openPool)
  const patient = new Pool({ ...common(PATIENT), max: Math.min(PATIENT_MAX, poolMax), traffic })
  const places = () => workers.places
  const pipelines = new Pipelines({ ...common(pipelineLimits(statementMs)), traffic, places })
  const waiting = { waitMsMax: limits.connectMs, deadlines }
  const detoursMax = Math.max(1, Math.floor(pools.send.max / DETOURS_PART))
  const detours = new Detours({ ...waiting, countMax: detoursMax })
  const all = [...new Set(Object.values(pools))]
  const budgetOf = (pool: Pool) => new WorkerBudget(workers, pool.max, waiting)
  const patientStore = storeOf(patient, { workers, budget: budgetOf(patient) }, PATIENT.lockMs)

  const whole = {
    pool: (name: PoolName) => views[name],
    patient: patientStore,
    probe,
    pipelineOf: (key: string) => pipelineOf(key, places()),
    pipeline: (key: string) => ({
      query: <Row extends object>(statement: Statement) => {
        const run = () =>
          detours.run(
            key,
            () => retryWhole(() => pipelines.query<Row>(key, statement), workers),
            () => retryWhole(() => pools.send.query<Row>(statement), workers),
          )
        return workers.isOutage ? workers.assertNear(key).then(run) : run()
      },
    }),
    workers,
    poolUse: () => sumUses(all),
    poolUses: () => usesOf(pools),
    isAnswering: (withinMs: number) => servers.isAnswering(withinMs),
    listen: (listening: ListenerOptions) =>
      new Listener(servers, settingsOf(options, limits), listening),
    abandon: () => {
      isEnding = true
      for (const one of [servers, pipelines, ...all, patient, probes]) one.abandon()
    },
    end: async () => {
      isEnding = true
      const others = [...all, patient, probes].map((pool) => pool.end())
      await Promise.all([pipelines.end(), ...others])
      deadlines.stop()
    },
  }
  const views = viewsOf(pools, (pool) => {
    const store = storeOf(pool, { workers, budget: budgetOf(pool) })
    const isForReports = pool === pools.report && pool !== pools.worker
    const shares = new KeyedSlots({ ...waiting, ...shareLimits(pool.max, isForReports) })
    return {
      ...whole,
      ...store,
      shareOf: (key) => ({
        query: (statement) => shares.run(key, () => store.query(statement)),
        transaction: (work, how) =>
          shares.run(key, () => store.transaction(work, { accountId: key, ...how })),
      }),
      admit: (key, work) => shares.run(key, work),
    }
  })
  return views.worker
}

type Pools = Record<PoolName, Pool>

/** One for each kind of work, or one for all if there are few connections. */
function openPools(max: number, open: (name: PoolName, max: number) => Pool): Pools {
  const split = splitPool(max)
  const only = split ? null : open('worker', max)
  const pools = POOL_NAMES.map((name) => [name, only ?? open(name, split![name])])
  return Object.fromEntries(pools) as Pools
}

/** Each pool as a database. Names that share a pool share its view, so an account's share counts once. */
function viewsOf(pools: Pools, view: (pool: Pool) => Database): Record<PoolName, Database> {
  const made = new Map<Pool, Database>()
  const views = POOL_NAMES.map((name) => {
    const own = made.get(pools[name]) ?? view(pools[name])
    made.set(pools[name], own)
    return [name, own]
  })
  return Object.fromEntries(views) as Record<PoolName, Database>
}

function sumUses(pools: readonly Pool[]): PoolUse {
  const sum = { total: 0, idle: 0, waiting: 0 }
  for (const { use } of pools) {
    sum.total += use.total
    sum.idle += use.idle
    sum.waiting += use.waiting
  }
  return sum
}

function usesOf(pools: Pools): ReturnType<Database['poolUses']> {
  const { worker } = pools
  if (pools.send === worker) return [{ name: 'all', max: worker.max, ...worker.use }]
  return POOL_NAMES.map((name) => ({ name, max: pools[name].max, ...pools[name].use }))
}

/** Without the address, which the servers have. */
function settingsOf(options: DatabaseOptions, limits: Limits): pg.ClientConfig {
  const common = { application_name: options.applicationName, types: TYPES }
  if (options.pooler !== 'transaction') return { ...common, options: startOptions(limits) }
  return { ...common, pipeline: true } as pg.ClientConfig
}

interface Cluster {
  workers: Workers
  budget: WorkerBudget
}

function storeOf(pool: Pool, cluster: Cluster | null = null, lockMs?: number): Store {
  const workers = cluster?.workers ?? null
  const ask = <Row extends object>(statement: Statement) => {
    const run = () => pool.query<Row>(statement)
    return retryWhole(cluster ? () => cluster.budget.ofStatement(statement, run) : run, workers)
  }
  const transact: Store['transaction'] = (work, { accountId, ...how } = {}) => {
    const limits = lockMs === undefined ? how : { lockMs, ...how }
    const run = () => pool.transaction((run) => work(transactionOf(run, workers)), limits)
    return retryWhole(cluster ? () => cluster.budget.ofAccount(accountId, run) : run, workers)
  }
  return {
    query: <Row extends object>(statement: Statement) =>
      statement.across && workers
        ? workers.query<Row>(statement, ask, transact)
        : ask<Row>(statement),
    transaction: transact,
  }
}

function transactionOf(run: Run, workers: Workers | null): Transaction {
  return {
    isTransaction: true,
    query: <Row extends object>(statement: Statement) =>
      statement.across && workers
        ? workers.queryIn<Row>({ query: run }, statement)
        : run<Row>(statement),
  }
}

/** The SQLSTATE of a failure, or null if it is not a database failure. */
function sqlState(error: unknown): string | null {
  if (error instanceof DatabaseFailure) return error.code
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null
}

/**
 * The constraint that a write violated, or null. On Citus, a worker's refusal names it only in its text, and
 * an index is that of a shard: our name plus the shard's number.
 */
export function brokenConstraint(error: unknown): string | null {
  if (!(error instanceof pg.DatabaseError) || !error.code?.startsWith('23')) return null
  const name = error.constraint ?? /"(\w+)"\W*$/.exec(error.message)?.[1]
  return name?.replace(/_\d+$/, '') ?? null
}

/** A single statement is a transaction, too. */
async function retryWhole<T>(run: () => Promise<T>, workers: Workers | null): Promise<T> {
  const startedMs = elapsedMs()
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await (workers ? workers.watch(run) : run())
    } catch (error) {
      const state = sqlState(error) ?? ''
      const isRetryable =
        RETRYABLE.has(state) || (state === WE_WERE_SILENT && elapsedMs(startedMs) < SILENT_MS_MAX)
      if (attempts >= ATTEMPTS_MAX || !isRetryable) {
        workers?.note(error)
        throw error
      }
    }
  }
}
