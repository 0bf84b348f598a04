// Notifications between the processes of one database.

import type { Queryable } from './db.js'
import { sql } from './sql.js'

/** For client.query, because nothing else may use the connection that listens. */
export const listenTo = (channel: string) => `listen ${channel}`
export const SILENCE_LIMIT = "set idle_session_timeout = '20s'"

/** Those of these turns that no other connection holds. They end with the connection. */
export function takeTurns(turns: readonly string[]): { text: string; values: unknown[] } {
  const text = `select turn from unnest($1::text[]) as turn
    where pg_try_advisory_lock(hashtextextended('longcode turn ' || turn, 0))`
  return { text, values: [turns] }
}

export async function notifyOthers(db: Queryable, channel: string, payload: string): Promise<void> {
  await db.query(sql`select pg_notify(${channel}, ${payload})`)
}
