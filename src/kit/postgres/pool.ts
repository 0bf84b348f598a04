// Connections for a statement or a transaction. The driver's pool opens and keeps them. This file decides who
// waits for one, and how long, without a timer for each.

import pg from 'pg'
import { asConnectFailure, DatabaseAbandoned, isConnectionOver, isTimedOut } from './db-failure.js'
import type { Limits } from './db-limits.js'
import type { Deadlines } from './deadlines.js'
import {
  BEGIN,
  beginWith,
  COLLECTING,
  COMMIT,
  FOR_WORKERS,
  type Frame,
  IN_ORDER,
  ROLLBACK,
  type Run,
  runFramed,
} from './frame.js'
import { isLost, noteLoss, OpenClients, type Patience, runStatement } from './run-statement.js'
import type { Servers } from './servers.js'
import { Slots } from './slots.js'
import { type Statement, unprepared } from './sql.js'
import type { Traffic } from './workers/traffic.js'

const IDLE_KEPT_MS = 60_000

export interface TransactionOptions {
  /** Whose records it is about: on a cluster it then counts as a transaction at that account's worker. */
  accountId?: string
  /** How long to wait for a lock. Default: as long as the connection allows. */
  lockMs?: number
  /** Reads rows by an index in their order, and only as many as needed. */
  isInOrder?: boolean
  /** Collects rows by an index without an order, and sorts them. */
  isCollecting?: boolean
  /** How long a statement may take. Default: as long as the connection allows. */
  statementMs?: number
}

type Connected = (error: unknown, client?: pg.PoolClient) => void

export interface PoolOptions {
  settings: pg.ClientConfig
  /** Null if connections get their settings at the start. */
  frame: Frame | null
  servers: Servers
  max: number
  limits: Limits
  deadlines: Deadlines
  onError: (error: Error) => void
  /** Null for questions about the workers themselves. */
  traffic: Traffic | null
}

/**
 * Connects to the server that currently accepts writes, and gives up automatically. As a setting of the pool,
 * that would be a timer per statement.
 */
function timelyClient(
  servers: Servers,
  connectMs: number,
  open: OpenClients,
): NonNullable<pg.PoolConfig['Client']> {
  class TimelyClient extends pg.Client {
    constructor(settings: pg.ClientConfig) {
      const connectionString = servers.writable ?? undefined
      super({ ...settings, connectionString, connectionTimeoutMillis: connectMs })
      open.add(this)
    }
  }
  return TimelyClient as unknown as NonNullable<pg.PoolConfig['Client']>
}

export class Pool {
  readonly max: number
  readonly #pool: pg.Pool
  readonly #frame: Frame | null
  readonly #servers: Servers
  readonly #slots: Slots
  readonly #patience: Patience
  readonly #traffic: Traffic | null
  readonly #open = new OpenClients()
  #isAbandoned = false

  constructor(options: PoolOptions) {
    const { settings, frame, servers, max, limits, deadlines, onError, traffic } = options
    this.max = max
    this.#traffic = traffic
    this.#frame = frame
    this.#servers = servers
    this.#pool = new pg.Pool({
      ...settings,
      max,
      idleTimeoutMillis: IDLE_KEPT_MS,
      Client: timelyClient(servers, limits.connectMs, this.#open),
    })
    this.#pool.on('connect', noteLoss)
    this.#pool.on('error', onError) // an idle connection broke; the pool opens another
    this.#slots = new Slots({ count: max, waitMsMax: limits.connectMs, deadlines })
    this.#patience = { deadlines, answerMs: limits.answerMs }
  }

  get use(): { total: number; idle: number; waiting: number } {
    const { totalCount: total, idleCount: idle } = this.#pool
    return { total, idle, waiting: this.#slots.waiting }
  }

  query<Row extends object>(statement: Statement): Promise<Row[]> {
    const frame = this.#frame
    return this.#lend((run) =>
      frame === null ? run<Row>(statement) : runFramed<Row>(run, frame, statement),
    )
  }

  transaction<T>(work: (run: Run) => Promise<T>, how: TransactionOptions = {}): Promise<T> {
    return this.#lend(async (run) => {
      await run(this.#begin(how))
      try {
        const result = await work(run)
        await run(COMMIT)
        return result
      } catch (error) {
        if (!isConnectionOver(error) && !isTimedOut(error)) await run(ROLLBACK).catch(() => {})
        throw error
      }
    })
  }

  /** Waits for statements in flight. */
  async end(): Promise<void> {
    await this.#pool.end()
    await this.#open.farewell()
  }

  /** Statements in flight fail, and so do new ones. */
  abandon(): void {
    this.#isAbandoned = true
    this.#open.cut()
  }

  /** One round trip for all of it. */
  #begin({ lockMs, statementMs, isInOrder, isCollecting }: TransactionOptions): Statement {
    const begin = this.#frame?.begin ?? BEGIN
    const settings = {
      ...(lockMs !== undefined && { lock_timeout: String(lockMs) }),
      ...(statementMs !== undefined && { statement_timeout: String(statementMs) }),
      ...(isInOrder && IN_ORDER),
      ...(isCollecting && COLLECTING),
    }
    if (Object.keys(settings).length === 0) return begin
    return beginWith(begin, { ...FOR_WORKERS, ...settings })
  }

  async #lend<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const client = await this.#take()
    const lending = this.#traffic?.begin(client)
    let isOver = false
    const run: Run = async <Row extends object>(statement: Statement) => {
      try {
        const asItGoes = this.#frame === null ? statement : unprepared(statement)
        const ask = () => runStatement<Row>(client, asItGoes, this.#patience)
        return await (lending ? lending.run(statement, ask) : ask())
      } catch (error) {
        // On a cluster the server may wait for a worker before it takes the next statement.
        isOver ||= isTimedOut(error) || isLost(client)
        if (isConnectionOver(error)) {
          isOver = true
          this.#servers.forget()
        }
        throw error
      }
    }
    try {
      return await work(run)
    } finally {
      if (lending) this.#traffic?.end(lending)
      client.release(isOver)
      this.#slots.release()
    }
  }

  #take(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      this.#slots.take((failure) => {
        if (failure) return reject(failure)
        this.#connect((error, client) => {
          if (client) return resolve(client)
          this.#slots.release()
          reject(asConnectFailure(error))
        })
      })
    })
  }

  /** If the server that accepted writes is down, another one may accept them now. */
  #connect(done: Connected, isLast = !this.#servers.areSeveral): void {
    if (this.#isAbandoned) {
      done(new DatabaseAbandoned())
      return
    }
    if (this.#servers.writable === null) {
      this.#servers.search().then(() => this.#connect(done, true), done)
      return
    }
    this.#pool.connect((error, client) => {
      if (client || isLast) return done(error, client)
      this.#servers.forget()
      this.#connect(done, true)
    })
  }
}
