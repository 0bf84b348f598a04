// Connections that send a statement before the previous one is answered, so the database works without
// waiting for us. For many single statements, each its own transaction. Statements with the same key run in
// order. Everything else uses the pool.

import pg from 'pg'
import { asConnectFailure, DatabaseAbandoned, isConnectionOver } from './db-failure.js'
import type { Limits } from './db-limits.js'
import type { Deadlines } from './deadlines.js'
import { type Frame, type Run, runFramed } from './frame.js'
import { isLost, noteLoss, OpenClients, type Patience, runStatement } from './run-statement.js'
import type { Servers } from './servers.js'
import { type Statement, unprepared } from './sql.js'
import type { Places } from './workers/places.js'
import type { Traffic } from './workers/traffic.js'

/** One is enough for an account; several accounts can run in parallel. */
const COUNT = 4
/** For each worker of a cluster, at the least. */
const WORKER_COUNT = 2

export interface PipelineOptions {
  settings: pg.ClientConfig
  /** Null if connections get their settings at the start. */
  frame: Frame | null
  servers: Servers
  limits: Limits
  deadlines: Deadlines
  onError: (error: Error) => void
  traffic: Traffic
  /** Null but on a cluster. */
  places: () => Places | null
}

export class Pipelines {
  readonly #options: PipelineOptions
  readonly #patience: Patience
  readonly #clients = new Map<string, Promise<pg.Client>>()
  readonly #open = new OpenClients()
  #isAbandoned = false

  constructor(options: PipelineOptions) {
    this.#options = options
    this.#patience = { deadlines: options.deadlines, answerMs: options.limits.answerMs }
  }

  async query<Row extends object>(key: string, statement: Statement): Promise<Row[]> {
    const name = pipelineOf(key, this.#options.places())
    const opened = this.#clientOf(name)
    const client = await opened
    const { traffic, servers } = this.#options
    const lending = traffic.begin(client)
    try {
      return await lending.run(statement, () => this.#run<Row>(client, statement))
    } catch (error) {
      if (isConnectionOver(error)) servers.forget()
      if (isConnectionOver(error) || isLost(client)) {
        this.#forget(name, opened)
        void client.end().catch(() => {})
      }
      throw error
    } finally {
      traffic.end(lending)
    }
  }

  #run<Row extends object>(client: pg.Client, statement: Statement): Promise<Row[]> {
    const { frame } = this.#options
    if (frame === null) return runStatement<Row>(client, statement, this.#patience)
    const run: Run = (part) => runStatement(client, unprepared(part), this.#patience)
    return runFramed<Row>(run, frame, statement)
  }

  async end(): Promise<void> {
    const opened = await Promise.allSettled(this.#clients.values())
    this.#clients.clear()
    for (const one of opened) {
      if (one.status === 'fulfilled') void one.value?.end().catch(() => {})
    }
    await this.#open.farewell()
  }

  /** Statements in flight fail, and so do new ones. */
  abandon(): void {
    this.#isAbandoned = true
    this.#open.cut()
  }

  #clientOf(name: string): Promise<pg.Client> {
    const existing = this.#clients.get(name)
    if (existing) return existing
    const opened = this.#openClient(() => this.#forget(name, opened))
    this.#clients.set(name, opened)
    return opened
  }

  #forget(name: string, opened: Promise<pg.Client>): void {
    if (this.#clients.get(name) === opened) this.#clients.delete(name)
  }

  // A broken connection fails its statements. The next statement opens another one.
  async #openClient(forget: () => void): Promise<pg.Client> {
    const { servers } = this.#options
    try {
      if (this.#isAbandoned) throw new DatabaseAbandoned()
      if (servers.writable === null) await servers.search()
      return await this.#connect(forget)
    } catch (error) {
      forget()
      servers.forget()
      throw asConnectFailure(error)
    }
  }

  async #connect(forget: () => void): Promise<pg.Client> {
    const { settings, servers, limits, onError } = this.#options
    const client = new pg.Client({
      ...settings,
      connectionString: servers.writable ?? undefined,
      connectionTimeoutMillis: limits.connectMs,
      pipeline: true,
    } as pg.ClientConfig)
    this.#open.add(client)
    noteLoss(client)
    client.on('error', (error) => {
      forget()
      onError(error)
    })
    client.on('end', forget)
    await client.connect()
    return client
  }
}

/**
 * The connection for a key's statements. Keys that share one wait for each other. On a cluster
 * each worker has its own, so nobody waits behind a worker that hangs but its accounts.
 */
export function pipelineOf(key: string, places: Places | null): string {
  const groupId = places?.groupOf(key) ?? null
  const count =
    groupId === null ? COUNT : Math.max(WORKER_COUNT, Math.floor(COUNT / places!.workers))
  let hash = 0
  for (let i = 0; i < key.length; i += 1) hash = (hash * 31 + key.charCodeAt(i)) >>> 0
  return `${groupId ?? ''}:${hash % count}`
}
