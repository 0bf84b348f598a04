// Notifications between the processes of one database.

import type { Queryable } from './db.js'
import { sql } from './sql.js'

/** For client.query, because nothing else may use the connection that listens. */
export const listenTo = (channel: string) => `listen ${channel}`
export const STILL_THERE = 'select 1'

export async function notifyOthers(db: Queryable, channel: string, payload: string): Promise<void> {
  await db.query(sql`select pg_notify(${channel}, ${payload})`)
}
