// What `longcode doctor` says of the way to the database: whether it can be reached, and whether something stands
// between that forgets what it is told.

import type { Config } from '../../kit/config.js'
import { findBehind } from '../../kit/partitions/partitions.js'
import type { Database } from '../../kit/postgres/db.js'
import { isRefusedByPooler, POOLER_REMEDY } from '../../kit/postgres/frame.js'
import {
  findServerSetting,
  findServerVersion,
  SERVER_VERSION_MIN,
} from '../../kit/postgres/server-queries.js'
import { MESSAGES } from '../../operator/care/remove-records.js'
import { RECORDS } from '../../webhooks/retention.js'
import { type Finding, fail, note, ok } from './doctor-checks.js'

export async function checkDatabase(db: Database, where: string): Promise<Finding> {
  try {
    const { number, text } = await findServerVersion(db)
    if (number >= SERVER_VERSION_MIN) return ok('database', `PostgreSQL ${text} at ${where}`)
    return fail(
      'database',
      `PostgreSQL ${text} at ${where} is too old.`,
      'Use PostgreSQL 15 or later.',
    )
  } catch (error) {
    const { message, code } = error as { message?: string; code?: string }
    return fail(
      'database',
      `The database at ${where} cannot be reached: ${message || code}.`,
      isRefusedByPooler(error) ? `To mend it, ${POOLER_REMEDY}.` : remedyOf(code),
    )
  }
}

/** Nothing to say where connections lead to the server itself, as most do. */
export async function checkPooler(
  db: Database,
  { databasePooler }: Pick<Config, 'databasePooler'>,
): Promise<Finding[]> {
  if (databasePooler === 'transaction') {
    return [
      ok(
        'pooler',
        'Every transaction brings its limits of time along. Nothing needs a session of its own, migrate and distribute included.',
      ),
    ]
  }
  // Told to leave out what connections bring along, a pooler does so silently.
  if ((await findServerSetting(db, 'enable_seqscan')) === 'off') return []
  return [
    fail(
      'pooler',
      'A pooler leaves out what our connections bring along: limits of time do not hold, and statements may fail.',
      `To mend it, ${POOLER_REMEDY}.`,
    ),
  ]
}

/** Nothing to say of PostgreSQL alone. */
export async function checkWorkers(db: Database): Promise<Finding[]> {
  await db.workers.look()
  const away = await db.workers.listAway()
  return away.map(({ name, accounts }) =>
    fail(
      'workers',
      `The worker ${name} does not answer: ${accounts} accounts on it get 503, all others are served.`,
      'Start it, or let a standby take its place (`citus_update_node`). What waits for it goes on by itself.',
    ),
  )
}

/** Nothing to say while rows find the partition that was made for them, or all go into one. */
export async function checkPartitions(db: Database, now: Date): Promise<Finding[]> {
  const behind = await findBehind(db, [RECORDS, MESSAGES], now)
  if (behind.length === 0) return []
  return [
    note(
      'partitions',
      `No partition was made ahead for ${behind.join(', ')}: rows go into the last one, and nothing is lost.`,
      'See that a node with the role schedule runs, and what its log says of partitions.',
    ),
  ]
}

function remedyOf(code: string | undefined): string {
  if (code === '28P01' || code === '28000') {
    return 'Check user and password in DATABASE_URL, and pg_hba.conf of the server.'
  }
  if (code === '3D000') return 'Create the database, or name another in DATABASE_URL.'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'Check the host name in DATABASE_URL.'
  return 'Check that PostgreSQL is running, that host and port in DATABASE_URL are right, and that no firewall is between.'
}
