// What the database server says of itself.

import type { Queryable } from './db.js'
import { sql } from './sql.js'

interface ServerVersion {
  /** 150004 for 15.4. */
  number: number
  text: string
}

/** The oldest that the statements are written for. */
export const SERVER_VERSION_MIN = 150_000

export async function findServerVersion(db: Queryable): Promise<ServerVersion> {
  const [row] = await db.query<ServerVersion>(sql`
    select current_setting('server_version_num')::int as number,
      current_setting('server_version') as text`)
  return row!
}

/** As it is for the statements of this connection. */
export async function findServerSetting(db: Queryable, name: string): Promise<string> {
  const [row] = await db.query<{ value: string }>(sql`select current_setting(${name}) as value`)
  return row!.value
}

/** For whoever compares it with this machine's: nothing is ever dated by it. */
export async function findServerTime(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>(sql`select clock_timestamp() as now`)
  return row!.now
}
