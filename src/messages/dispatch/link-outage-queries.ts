// Dispatchers that lost the carrier. Only they know it, but timelines and doctor run in other processes.

import type { Queryable } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'

/** A row that was not renewed for this long belongs to a stopped process. */
const FRESH_MS = 30_000

export interface LinkOutage {
  dispatcher: string
  carrier: string
  downSince: Date
}

export async function saveLinkOutage(db: Queryable, lost: LinkOutage, now: Date): Promise<void> {
  await db.query(sql`
    insert into link_outages (dispatcher, carrier, down_since, seen_at)
    values (${lost.dispatcher}, ${lost.carrier}, ${lost.downSince}, ${now})
    on conflict (dispatcher) do update
      set down_since = excluded.down_since, seen_at = excluded.seen_at`)
}

/** Also deletes rows that nobody renews anymore. */
export async function deleteLinkOutage(
  db: Queryable,
  dispatcher: string,
  now: Date,
): Promise<void> {
  await db.query(sql`
    delete from link_outages where dispatcher = ${dispatcher} or seen_at < ${freshFrom(now)}`)
}

export async function listLinkOutages(db: Queryable, now: Date): Promise<LinkOutage[]> {
  return db.query<LinkOutage>(sql`
    select dispatcher, carrier, down_since as "downSince" from link_outages
    where seen_at >= ${freshFrom(now)} order by down_since`)
}

function freshFrom(now: Date): Date {
  return new Date(now.getTime() - FRESH_MS)
}
