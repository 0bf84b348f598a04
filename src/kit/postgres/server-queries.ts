// What the database server reports about itself.

import type { Queryable } from './db.js'
import { sql } from './sql.js'

interface ServerVersion {
  /** 150004 for 15.4. */
  number: number
  text: string
}

/** The oldest version that the statements support. */
export const SERVER_VERSION_MIN = 150_000

export async function findServerVersion(db: Queryable): Promise<ServerVersion> {
  const [row] = await db.query<ServerVersion>(sql`
    select current_setting('server_version_num')::int as number,
      current_setting('server_version') as text`)
  return row!
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
