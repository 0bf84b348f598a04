// One statement on one connection, answered within its time. When that has passed, nobody knows what
// became of the statement, and the connection is cut: the server may be gone, or the way to it.

import type pg from 'pg'
import { asFailure, DatabaseFailure, SILENT } from './db-failure.js'
import type { Deadlines } from './deadlines.js'
import type { Statement } from './sql.js'

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

/** Without a farewell: a hung server would not read it. Whatever is on the connection fails. */
export function cut(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: { destroy: () => void } } }
  connection.stream.destroy()
}
