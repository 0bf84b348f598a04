// What the database server reports about itself.

import type { Queryable } from './db.js'
import { raw, sql } from './sql.js'

interface ServerVersion {
  /** 150004 for 15.4. */
  number: number
  text: string
}

/** A header of /readyz: `longcode doctor` compares it. */
export const IDENTITY_HEADER = 'x-longcode-database'

/** The oldest version that the statements support. */
export const SERVER_VERSION_MIN = 150_000

export async function findServerVersion(db: Queryable): Promise<ServerVersion> {
  const [row] = await db.query<ServerVersion>(sql`
    select current_setting('server_version_num')::int as number,
      current_setting('server_version') as text`)
  return row!
}

/**
 * Identifies a database while its server runs. A copy has another identity, even one restored from a base backup, whose
 * system identifier is the same.
 */
export const DATABASE_IDENTITY = raw(`
  hashtextextended(extract(epoch from pg_postmaster_start_time()) || ' ' || current_database(), 0)::text`)

export async function findDatabaseIdentity(db: Queryable): Promise<string> {
  const [row] = await db.query<{ identity: string }>(sql`select ${DATABASE_IDENTITY} as identity`)
  return row!.identity
}

/** For the statements of this connection. */
export async function findServerSetting(db: Queryable, name: string): Promise<string> {
  const [row] = await db.query<{ value: string }>(sql`select current_setting(${name}) as value`)
  return row!.value
}

/** To compare with this machine's clock. Nothing is ever dated by it. */
export async function findServerTime(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>(sql`select clock_timestamp() as now`)
  return row!.now
}
