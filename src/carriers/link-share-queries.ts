// Every statement on the link_shares table: how much of a shared link's rate each process may use.

import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'
import type { ShareRow } from './link-shares.js'

/** A row that nobody has renewed for this long is deleted. Whether one still counts is decided by its renewals. */
const PURGE_MS = 10 * 60_000

/** All rows of a link, ordered by process; no other process changes them until the transaction ends. */
export async function lockShares(tx: Transaction, link: string): Promise<ShareRow[]> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`link shares ${link}`}, 0))`)
  return tx.query<ShareRow>(sql`
    select process, per_second as "perSecond", per_second_before as "perSecondBefore", wanted,
      renewals::int as renewals
    from link_shares where link = ${link} order by process`)
}

export async function saveShare(
  tx: Transaction,
  link: string,
  row: ShareRow,
  machineNow: Date,
): Promise<void> {
  await tx.query(sql`
    insert into link_shares (link, process, per_second, per_second_before, wanted, renewals, seen_at)
    values (${link}, ${row.process}, ${row.perSecond}, ${row.perSecondBefore}, ${row.wanted},
      ${row.renewals}, ${machineNow})
    on conflict (link, process) do update
      set per_second = excluded.per_second, per_second_before = excluded.per_second_before,
        wanted = excluded.wanted, renewals = excluded.renewals, seen_at = excluded.seen_at`)
}

export async function deleteShare(db: Queryable, link: string, process: string): Promise<void> {
  await db.query(sql`delete from link_shares where link = ${link} and process = ${process}`)
}

/** Those of processes that ended long ago. */
export async function purgeShares(db: Queryable, link: string, machineNow: Date): Promise<void> {
  const before = new Date(machineNow.getTime() - PURGE_MS)
  await db.query(sql`delete from link_shares where link = ${link} and seen_at < ${before}`)
}
