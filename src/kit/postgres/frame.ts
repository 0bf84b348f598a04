// A transaction that brings its settings along, for connections that are another's after it: behind a pooler
// such as PgBouncer in transaction mode nothing that is said at the start of a connection holds. A single
// statement is framed too: its begin, itself and its commit leave together, so that it is one way there and back.

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
 * Tells Citus to hand what is set for a transaction on to its workers, which know nothing of what our connections bring
 * along; to PostgreSQL alone it is a name like any other.
 */
export const FOR_WORKERS = { 'citus.propagate_set_commands': "'local'" }

/** No gathering of rows to sort them. */
export const IN_ORDER = { enable_seqscan: 'off', enable_bitmapscan: 'off' }

export function frameOf(limits: Limits): Frame {
  return { begin: beginWith(BEGIN, serverSettings(limits)) }
}

/** The settings hold until the transaction ends. They are constants of the program, or numbers. */
export function beginWith(begin: Statement, settings: Record<string, string>): Statement {
  const set = Object.entries(settings).map(([name, value]) => `; set local ${name} = ${value}`)
  return plain(`${begin.text}${set.join('')}`)
}

/**
 * On a connection that takes all three before the first is answered. Where the statement fails, the commit
 * that follows rolls back; only a commit that was answered makes it a success.
 */
export async function runFramed<Row extends object>(
  run: Run,
  { begin }: Frame,
  statement: Statement,
): Promise<Row[]> {
  const begun = run(begin)
  const asked = run<Row>(unprepared(statement))
  const ended = run(COMMIT)
  const outcomes = await Promise.allSettled([begun, asked, ended])
  const failed = outcomes.find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
  return asked
}

/** For the end of a sentence where a pooler shows itself that the settings do not name. */
export const POOLER_REMEDY =
  'set LONGCODE_DATABASE_POOLER=transaction where DATABASE_URL leads to PgBouncer or the like'

/** PgBouncer does not pass the options of a connection on. */
export function isRefusedByPooler(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('unsupported startup parameter')
}

function plain(text: string): Statement {
  return { name: '', text, values: [] }
}
