// What `longcode doctor` reports about the database: whether it can be reached, whether a pooler drops settings of our
// connections, and the state of Citus workers and partitions.

import type { Config } from '../../kit/config.js'
import { findBehind } from '../../kit/partitions/partitions.js'
import type { Database } from '../../kit/postgres/db.js'
import { isRefusedByPooler, POOLER_REMEDY } from '../../kit/postgres/frame.js'
import {
  findServerSetting,
  findServerVersion,
  SERVER_VERSION_MIN,
} from '../../kit/postgres/server-queries.js'
import { findDefaultRetention } from '../../operator/accounts/retention-queries.js'
import { MESSAGES } from '../../operator/retention/remove-records.js'
import { plural } from '../../text/plural.js'
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
      isRefusedByPooler(error) ? `To fix it, ${POOLER_REMEDY}.` : remedyOf(code),
    )
  }
}

/** One of the checks below could not be carried out. */
export function checkUnfinished(error: unknown): Finding {
  return fail(
    'database',
    `A check could not be completed: ${(error as Error).message}.`,
    'Run `longcode doctor` again. On a slow database, raise LONGCODE_DATABASE_TIMEOUT.',
  )
}

/** Empty if connections go directly to the server, as most do. */
export async function checkPooler(
  db: Database,
  { databasePooler }: Pick<Config, 'databasePooler'>,
): Promise<Finding[]> {
  if (databasePooler === 'transaction') {
    return [
      ok(
        'pooler',
        'Every transaction sets its own time limits. Nothing depends on session state, including migrate and distribute.',
      ),
    ]
  }
  // A pooler configured to ignore startup parameters drops them silently.
  if ((await findServerSetting(db, 'enable_seqscan')) === 'off') return []
  return [
    fail(
      'pooler',
      'A connection pooler drops the settings of our connections. Time limits are not enforced, and statements can fail.',
      `To fix it, ${POOLER_REMEDY}.`,
    ),
  ]
}

/** Empty without Citus. */
export async function checkWorkers(db: Database): Promise<Finding[]> {
  await db.workers.look()
  const away = await db.workers.listAway()
  return away.map(({ name, accounts }) =>
    fail(
      'workers',
      `The worker ${name} does not answer. ${plural(accounts, 'account on it gets', 'accounts on it get')} 503. Others are not affected.`,
      'Start it, or replace it with a standby (`citus_update_node`). Waiting work then continues automatically.',
    ),
  )
}

/** Empty while partitions exist for new rows, or the tables are not partitioned. */
export async function checkPartitions(db: Database, now: Date): Promise<Finding[]> {
  const behind = await findBehind(db, [RECORDS, MESSAGES], now)
  if (behind.length === 0) return []
  return [
    note(
      'partitions',
      `The next partition is missing for ${behind.join(', ')}. Rows go into the last partition, and nothing is lost.`,
      'Check that a node with the schedule role is running, and look for partitions in its log.',
    ),
  ]
}

/** Empty, except in the first days after the upgrade that brought a default retention. */
export async function checkRetention(
  db: Database,
  { recordDays }: Pick<Config, 'recordDays'>,
  now: Date,
): Promise<Finding[]> {
  const { appliesFrom } = await findDefaultRetention(db)
  if (recordDays === null || now >= appliesFrom) return []
  const day = appliesFrom.toISOString().slice(0, 10)
  return [
    note(
      'retention',
      `From ${day} on, messages older than ${recordDays} days are deleted, of accounts without their own retention. Charges and statistics stay.`,
      'To keep them, set LONGCODE_RECORD_DAYS=never on every node, or `longcode account change ID --record-days never` for one account.',
    ),
  ]
}

function remedyOf(code: string | undefined): string {
  if (code === '28P01' || code === '28000') {
    return 'Check the user and password in DATABASE_URL and the server’s pg_hba.conf.'
  }
  if (code === '3D000') return 'Create the database, or change DATABASE_URL.'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'Check the host name in DATABASE_URL.'
  return 'Check that PostgreSQL is running, that the host and port in DATABASE_URL are correct, and that no firewall blocks the connection.'
}
