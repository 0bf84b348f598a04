// A transaction that sets its own settings, for connections that other clients use after it: behind a pooler
// such as PgBouncer in transaction mode, settings from the start of a connection are lost. A single statement
// is framed too: begin, statement, and commit are sent together, in one round trip.

import { type Limits, serverSettings } from './db-limits.js'
import { type Statement, unprepared } from './sql.js'

export interface Frame {
  begin: Statement
}

export type Run = <Row extends object>(statement: Statement) => Promise<Row[]>

export const BEGIN = plain('begin')
export const COMMIT = plain('commit')
export const ROLLBACK = plain('rollback')

/**
 * Makes Citus pass settings of a transaction to its workers, which do not have our connection settings.
 * PostgreSQL alone ignores the name.
 */
export const FOR_WORKERS = { 'citus.propagate_set_commands': "'local'" }

/** No collecting of rows to sort them. */
export const IN_ORDER = { enable_seqscan: 'off', enable_bitmapscan: 'off' }

/** No reading of all rows in their order. */
export const COLLECTING = {
  enable_seqscan: 'off',
  enable_indexscan: 'off',
  enable_indexonlyscan: 'off',
}

export function frameOf(limits: Limits): Frame {
  return { begin: beginWith(BEGIN, serverSettings(limits)) }
}

/** The settings apply until the transaction ends. They are constants of the program, or numbers. */
export function beginWith(begin: Statement, settings: Record<string, string>): Statement {
  const set = Object.entries(settings).map(([name, value]) => `; set local ${name} = ${value}`)
  return plain(`${begin.text}${set.join('')}`)
}

/**
 * On a connection that accepts all three before the first is answered. If the statement fails, the following
 * commit rolls back. Only a confirmed commit is a success.
 */
export async function runFramed<Row extends object>(
  run: Run,
  { begin }: Frame,
  statement: Statement,
): Promise<Row[]> {
  const begun = run(begin)
  const rows = run<Row>(unprepared(statement))
  const ended = run(COMMIT)
  const outcomes = await Promise.allSettled([begun, rows, ended])
  const failed = outcomes.find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
  return rows
}

/** The end of an error text if a pooler that the settings do not mention is detected. */
export const POOLER_REMEDY =
  'set LONGCODE_DATABASE_POOLER=transaction where DATABASE_URL leads to PgBouncer or the like'

/** PgBouncer does not pass the options of a connection on. */
export function isRefusedByPooler(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('unsupported startup parameter')
}

function plain(text: string): Statement {
  return { name: '', text, values: [] }
}
