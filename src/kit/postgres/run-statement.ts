// One statement on one connection, answered within its time. When that has passed, nobody knows what
// became of the statement, and the connection is cut: the server may be gone, or the way to it. And the end of
// connections, which no server has to agree to.

import type pg from 'pg'
import { asFailure, DatabaseFailure, SILENT } from './db-failure.js'
import type { Deadlines } from './deadlines.js'
import type { Statement } from './sql.js'

/** For those who only pass it on. */
export type Connection = pg.ClientBase

export interface Patience {
  deadlines: Deadlines
  answerMs: number
}

/**
 * Why a connection was lost: told when nobody asks, and needed by whoever asks next. The first word counts;
 * after it comes only that the connection has ended.
 */
const losses = new WeakMap<pg.ClientBase, Error>()

/** A lost connection that nobody listens to would end the process. */
export function noteLoss(client: pg.ClientBase): void {
  client.on('error', (error) => {
    if (!losses.has(client)) losses.set(client, error)
  })
}

export async function runStatement<Row extends object>(
  client: pg.ClientBase,
  statement: Statement,
  { deadlines, answerMs }: Patience,
): Promise<Row[]> {
  try {
    return await new Promise<Row[]>((resolve, reject) => {
      const wait = deadlines.begin(answerMs, () => {
        const words = `the database has not answered within ${answerMs} ms`
        reject(new DatabaseFailure('database_unavailable', words, SILENT))
        cut(client)
      })
      client.query<Row>(statement, (error, result) => {
        deadlines.end(wait)
        if (error) reject(asFailure(losses.get(client) ?? error))
        else resolve(result.rows)
      })
    })
  } catch (error) {
    // Leads to whoever asked, not to the socket that answered.
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  }
}

/** Ends it for this reason, which whatever is on it fails with. */
export function cutOff(client: pg.ClientBase, reason: Error): void {
  if (!losses.has(client)) losses.set(client, reason)
  cut(client)
}

/** Nothing more can be asked of it. */
export function isLost(client: pg.ClientBase): boolean {
  return losses.has(client)
}

/** The number of the process that serves a connection. */
export function pidOf(client: pg.ClientBase): number {
  return (client as unknown as { processID: number }).processID
}

/** A server that is hung does not answer a farewell. */
const FAREWELL_MS = 1_000

/** Those of one pool, from before they are connected until they have ended. */
export class OpenClients {
  readonly #open = new Set<pg.Client>()

  add(client: pg.Client): void {
    this.#open.add(client)
    client.once('end', () => this.#open.delete(client))
  }

  cut(): void {
    for (const client of this.#open) cut(client)
  }

  /** They have been told to end. Those that the server does not let go soon are cut. */
  async farewell(): Promise<void> {
    const ends = [...this.#open].map(
      (client) => new Promise<void>((resolve) => client.once('end', resolve)),
    )
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FAREWELL_MS)
    })
    await Promise.race([Promise.all(ends), patience])
    clearTimeout(timer)
    this.cut()
  }
}

/** Without a farewell: a hung server would not read it. Whatever is on the connection fails. */
function cut(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: { destroy: () => void } } }
  connection.stream.destroy()
}
