// PostgreSQL: with pipelines.ts the only file that knows the driver. Queries take a Queryable, so the
// caller decides what runs in one transaction.

import pg from 'pg'
import { readUtcTime } from './pg-time.js'
import { Pipelines } from './pipelines.js'
import type { Statement } from './sql.js'

export interface Queryable {
  query: <Row extends object>(statement: Statement) => Promise<Row[]>
}

export interface Transaction extends Queryable {
  readonly isTransaction: true
}

export interface Database extends Queryable {
  /** For single statements of one key that come faster than they are answered; see pipelines.ts. */
  pipeline: (key: string) => Queryable
  transaction: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>
  /** Calls back on NOTIFY; reconnects by itself. A lost hint is no harm: polling is the truth. */
  listen: (channel: string, hear: (payload: string) => void) => Promise<() => Promise<void>>
  poolUse: () => { total: number; idle: number; waiting: number }
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

// Statements are planned once per connection, often while a table is still small enough to be read
// whole, and would go on doing so when it has grown a thousandfold. Before PostgreSQL 18 a scan that
// cannot be avoided then counts as endlessly costly, which must not set the compiler to work on it.
const PLANNER = '-c enable_seqscan=off -c jit=off'

// Deadlock, serialization failure: the transaction was rolled back whole and may be tried again.
const RETRYABLE = new Set(['40P01', '40001'])
const TRIES_MAX = 4

export interface DatabaseOptions {
  url: string
  poolMax: number
  applicationName: string
  onError: (error: Error) => void
}

export function openDatabase(options: DatabaseOptions): Database {
  const settings: pg.ClientConfig = {
    connectionString: options.url,
    application_name: options.applicationName,
    types: TYPES,
    connectionTimeoutMillis: 10_000,
    options: PLANNER,
  }
  const pool = new pg.Pool({ ...settings, max: options.poolMax, idleTimeoutMillis: 60_000 })
  let isEnding = false
  const onError = (error: Error) => {
    if (!isEnding) options.onError(error)
  }
  pool.on('error', onError) // an idle connection broke; the pool opens another
  const pipelines = new Pipelines(settings, onError)

  return {
    query: async <Row extends object>(statement: Statement) =>
      (await retryWhole(() => pool.query<Row>(statement))).rows,
    pipeline: (key) => ({
      query: (statement) => retryWhole(() => pipelines.query(key, statement)),
    }),
    transaction: (work) => retryWhole(() => runTransaction(pool, work)),
    listen: (channel, hear) => listen(options, channel, hear),
    poolUse: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    end: async () => {
      isEnding = true
      await pipelines.end()
      await pool.end()
    },
  }
}

/** The SQLSTATE of a failure, or null where the failure is not the database's. */
export function sqlState(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null
}

/** The constraint that a write broke, or null. */
export function brokenConstraint(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.constraint ?? null) : null
}

/** A statement by itself is a transaction, too. */
async function retryWhole<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run()
    } catch (error) {
      if (tries >= TRIES_MAX || !RETRYABLE.has(sqlState(error) ?? '')) throw error
    }
  }
}

async function runTransaction<T>(pool: pg.Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  // Cut between two statements, a connection says so by an event that ends the process if nobody
  // hears it. The next statement fails, and that is how the caller learns of it.
  const hear = () => {}
  client.on('error', hear)
  try {
    await client.query('begin')
    const result = await work({
      isTransaction: true,
      query: async <Row extends object>(statement: Statement) =>
        (await client.query<Row>(statement)).rows,
    })
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError // the connection is gone; do not give it back to the pool
    })
    throw error
  } finally {
    client.off('error', hear)
    client.release(broken)
  }
}

async function listen(
  options: DatabaseOptions,
  channel: string,
  hear: (payload: string) => void,
): Promise<() => Promise<void>> {
  let stopped = false
  let client: pg.Client | null = null
  let timer: NodeJS.Timeout | null = null

  const connect = async (): Promise<void> => {
    client = new pg.Client({
      connectionString: options.url,
      application_name: options.applicationName,
    })
    client.on('notification', (notice) => hear(notice.payload ?? ''))
    client.on('error', options.onError)
    client.on('end', () => {
      if (!stopped) timer = setTimeout(() => void connect().catch(options.onError), 1_000)
    })
    await client.connect()
    await client.query(`listen ${pg.escapeIdentifier(channel)}`)
  }

  await connect()
  return async () => {
    stopped = true
    if (timer) clearTimeout(timer)
    await client?.end().catch(() => {})
  }
}
