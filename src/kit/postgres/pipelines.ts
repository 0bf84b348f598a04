// Connections on which a statement is sent before the one ahead of it is answered: the database goes
// from one to the next without waiting for us. For single statements that come in numbers, each a
// transaction of its own. What has the same key runs in order; everything else uses the pool.

import pg from 'pg'
import { asConnectFailure, DatabaseAbandoned, isConnectionOver } from './db-failure.js'
import type { Limits } from './db-limits.js'
import type { Deadlines } from './deadlines.js'
import { type Frame, type Run, runFramed } from './frame.js'
import { noteLoss, OpenClients, type Patience, runStatement } from './run-statement.js'
import type { Servers } from './servers.js'
import { type Statement, unprepared } from './sql.js'

/** One is enough for an account; several accounts may run side by side. */
const COUNT = 4

export interface PipelineOptions {
  settings: pg.ClientConfig
  /** Null where connections have their settings from the start. */
  frame: Frame | null
  servers: Servers
  limits: Limits
  deadlines: Deadlines
  onError: (error: Error) => void
}

export class Pipelines {
  readonly #options: PipelineOptions
  readonly #patience: Patience
  readonly #clients: (Promise<pg.Client> | undefined)[] = new Array(COUNT)
  readonly #open = new OpenClients()
  #isAbandoned = false

  constructor(options: PipelineOptions) {
    this.#options = options
    this.#patience = { deadlines: options.deadlines, answerMs: options.limits.answerMs }
  }

  async query<Row extends object>(key: string, statement: Statement): Promise<Row[]> {
    const index = pipelineOf(key)
    const opened = this.#clientOf(index)
    const client = await opened
    try {
      return await this.#run<Row>(client, statement)
    } catch (error) {
      if (isConnectionOver(error)) {
        this.#options.servers.forget()
        if (this.#clients[index] === opened) {
          this.#clients[index] = undefined
          void client.end().catch(() => {})
        }
      }
      throw error
    }
  }

  #run<Row extends object>(client: pg.Client, statement: Statement): Promise<Row[]> {
    const { frame } = this.#options
    if (frame === null) return runStatement<Row>(client, statement, this.#patience)
    const run: Run = (part) => runStatement(client, unprepared(part), this.#patience)
    return runFramed<Row>(run, frame, statement)
  }

  async end(): Promise<void> {
    const opened = await Promise.allSettled(this.#clients.splice(0))
    for (const one of opened) {
      if (one.status === 'fulfilled') void one.value?.end().catch(() => {})
    }
    await this.#open.farewell()
  }

  /** What is under way fails, and so does whatever comes. */
  abandon(): void {
    this.#isAbandoned = true
    this.#open.cut()
  }

  #clientOf(index: number): Promise<pg.Client> {
    const known = this.#clients[index]
    if (known) return known
    const opened = this.#openClient(() => {
      if (this.#clients[index] === opened) this.#clients[index] = undefined
    })
    this.#clients[index] = opened
    return opened
  }

  // A connection that breaks fails what is on it; the next statement opens another.
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

/** Which of them a key's statements go over: whoever shares one with another key waits for that one's there. */
export function pipelineOf(key: string): number {
  let hash = 0
  for (let i = 0; i < key.length; i += 1) hash = (hash * 31 + key.charCodeAt(i)) >>> 0
  return hash % COUNT
}
