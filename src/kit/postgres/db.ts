// PostgreSQL, put together: the pool, the pipelines, and the patient connections, each with its limits of
// time. Queries take a Queryable, so the caller decides what runs in one transaction.

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
import { readUtcTime } from './pg-time.js'
import { Pipelines } from './pipelines.js'
import { Pool, type TransactionOptions } from './pool.js'
import { Servers } from './servers.js'
import { KeyedSlots } from './slots.js'
import type { Statement } from './sql.js'
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

/** For work that comes round again: a lock that others hold is left to the next time. */
export const BRIEFLY: TransactionOptions = { lockMs: 500 }

export interface Database extends Store {
  /** For single statements of one key that come faster than they are answered; see pipelines.ts. */
  pipeline: (key: string) => Queryable
  /** For what takes its time, such as migrations and clearing up: on connections of its own. */
  patient: Store
  /** No more than its share of the connections, so that one account's waiting is nobody else's. */
  shareOf: (key: string) => Store
  /** The machines behind a Citus coordinator. */
  workers: Pick<Workers, 'away' | 'isOutage' | 'isCluster' | 'listAway' | 'assertNear' | 'look'>
  poolUse: () => { total: number; idle: number; waiting: number }
  /** Asked on a connection of its own, for those that are open may hang. */
  isAnswering: (withinMs: number) => Promise<boolean>
  /** It is away and we must go: what is under way and whatever comes fails with DatabaseAbandoned. */
  abandon: () => void
  end: () => Promise<void>
}

const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    // bigint columns hold micros of a dollar: exact, never a float.
    if (oid === pg.types.builtins.INT8) return (text: string) => BigInt(text)
    const readAny = pg.types.getTypeParser(oid, format)
    if (oid !== pg.types.builtins.TIMESTAMPTZ || format === 'binary') return readAny
    return (text: string) => readUtcTime(text) ?? readAny(text)
  }) as pg.CustomTypesConfig['getTypeParser'],
}

// Deadlock, serialization failure: the transaction was rolled back whole and may be attempted again.
const RETRYABLE = new Set(['40P01', '40001'])
const ATTEMPTS_MAX = 4
// So is one whose process stood still for a moment. After longer it is not: its times are of the past.
const WE_WERE_SILENT = '25P03'
const SILENT_MS_MAX = 10_000

const PATIENT_MAX = 2
/** Of the pool, how much may go to accounts that wait for a lock, and to one account: a part of so many. */
const DETOURS_PART = 4
const ACCOUNT_PART = 3

export interface DatabaseOptions {
  url: string
  poolMax: number
  /** How long a statement may take, unless it is a patient one. */
  statementMs?: number
  /** What stands between us and the server; see frame.ts. Default: nothing that is to be noticed. */
  pooler?: 'none' | 'transaction'
  applicationName: string
  onError: (error: Error) => void
  /** A machine behind the server, with some of the accounts, is away, or back. */
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
  const pool = new Pool({ ...common(limits), max: poolMax })
  const patient = new Pool({ ...common(PATIENT), max: Math.min(PATIENT_MAX, poolMax) })
  const pipelines = new Pipelines(common(pipelineLimits(statementMs)))
  const waiting = { waitMsMax: limits.connectMs, deadlines }
  const countMax = Math.max(1, Math.floor(poolMax / DETOURS_PART))
  const detours = new Detours({ ...waiting, countMax })
  const count = Math.max(2, Math.floor(poolMax / ACCOUNT_PART))
  const shares = new KeyedSlots({ ...waiting, count })
  const { onWorker = () => {} } = options
  const workers = new Workers({
    store: storeOf(pool),
    onAway: (worker) => onWorker(worker, true),
    onBack: (worker) => onWorker(worker, false),
  })
  const store = storeOf(pool, workers)

  return {
    ...store,
    patient: storeOf(patient, workers, { lockMs: PATIENT.lockMs }),
    shareOf: (key) => ({
      query: (statement) => shares.run(key, () => store.query(statement)),
      transaction: (work, how) => shares.run(key, () => store.transaction(work, how)),
    }),
    pipeline: (key) => ({
      query: <Row extends object>(statement: Statement) => {
        const run = () =>
          detours.run(
            key,
            () => retryWhole(() => pipelines.query<Row>(key, statement), workers),
            () => retryWhole(() => pool.query<Row>(statement), workers),
          )
        return workers.isOutage ? workers.assertNear(key).then(run) : run()
      },
    }),
    workers,
    poolUse: () => pool.use,
    isAnswering: (withinMs) => servers.isAnswering(withinMs),
    abandon: () => {
      isEnding = true
      for (const one of [servers, pipelines, pool, patient]) one.abandon()
    },
    end: async () => {
      isEnding = true
      await Promise.all([pipelines.end(), pool.end(), patient.end()])
      deadlines.stop()
    },
  }
}

/** Without the address, which the servers know. */
function settingsOf(options: DatabaseOptions, limits: Limits): pg.ClientConfig {
  const common = { application_name: options.applicationName, types: TYPES }
  if (options.pooler !== 'transaction') return { ...common, options: startOptions(limits) }
  return { ...common, pipeline: true } as pg.ClientConfig
}

function storeOf(pool: Pool, workers: Workers | null = null, usual?: TransactionOptions): Store {
  const ask = <Row extends object>(statement: Statement) =>
    retryWhole(() => pool.query<Row>(statement), workers)
  return {
    query: <Row extends object>(statement: Statement) =>
      statement.across && workers ? workers.query<Row>(statement, ask) : ask<Row>(statement),
    transaction: (work, how = usual) =>
      retryWhole(() => pool.transaction((run) => work(transactionOf(run, workers)), how), workers),
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

/** The SQLSTATE of a failure, or null where the failure is not the database's. */
function sqlState(error: unknown): string | null {
  if (error instanceof DatabaseFailure) return error.code
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null
}

/**
 * The constraint that a write broke, or null. On Citus the refusal of a worker names it in its words alone, and an index is
 * that of a shard, named after ours and the shard's number.
 */
export function brokenConstraint(error: unknown): string | null {
  if (!(error instanceof pg.DatabaseError) || !error.code?.startsWith('23')) return null
  const name = error.constraint ?? /"(\w+)"\W*$/.exec(error.message)?.[1]
  return name?.replace(/_\d+$/, '') ?? null
}

/** A statement by itself is a transaction, too. */
async function retryWhole<T>(run: () => Promise<T>, workers: Workers | null): Promise<T> {
  const startedMs = elapsedMs()
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await run()
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
