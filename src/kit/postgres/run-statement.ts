// One statement on one connection, with a time limit. After that, the outcome is unknown and the connection
// is closed, because the server or the network may be down. Also closes connections, which needs no response
// from the server.

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
 * Why a connection was lost: reported outside of a statement, and needed by the next statement. The first
 * error counts. After it, only the end of the connection is reported.
 */
const losses = new WeakMap<pg.ClientBase, Error>()

/** An unhandled connection error would end the process. */
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
    // Makes the stack lead to the code that ran the statement, not to the socket.
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  }
}

/** Ends it for this reason, which whatever is on it fails with. */
export function cutOff(client: pg.ClientBase, reason: Error): void {
  if (!losses.has(client)) losses.set(client, reason)
  cut(client)
}

/** The connection can no longer be used. */
export function isLost(client: pg.ClientBase): boolean {
  return losses.has(client)
}

/** The number of the process that serves a connection. */
export function pidOf(client: pg.ClientBase): number {
  return (client as unknown as { processID: number }).processID
}

/** A hung server does not answer a termination message. */
const FAREWELL_MS = 1_000

/** The connections of one pool, from before they connect until they have ended. */
export class OpenClients {
  readonly #open = new Set<pg.Client>()

  add(client: pg.Client): void {
    this.#open.add(client)
    client.once('end', () => this.#open.delete(client))
  }

  cut(): void {
    for (const client of this.#open) cut(client)
  }

  /** They were told to end. Those that the server does not release soon are closed. */
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

/** Without a termination message, which a hung server would not read. Statements on the connection fail. */
function cut(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: { destroy: () => void } } }
  connection.stream.destroy()
}
