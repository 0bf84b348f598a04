// Every statement about the link reports of processes, reload requests, and the shares of a shared link's rate.
// Times are real time, unaffected by the test clock.

import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'
import type { LinkReport } from './link-reporter.js'
import type { ShareRow } from './link-shares.js'

/** A row that was not renewed for this long belongs to a process that has ended. */
const FRESH_MS = 30_000

export async function saveLinkReport(
  db: Queryable,
  report: LinkReport,
  machineNow: Date,
): Promise<void> {
  const { process, loadedAt, reloadId, reloadError } = report
  const links = JSON.stringify(report.links)
  await db.query(sql`
    insert into carrier_links (process, links, loaded_at, reload_id, reload_error, seen_at)
    values (${process}, ${links}::jsonb, ${loadedAt}, ${reloadId}, ${reloadError}, ${machineNow})
    on conflict (process) do update
      set links = excluded.links, loaded_at = excluded.loaded_at, reload_id = excluded.reload_id,
        reload_error = excluded.reload_error, seen_at = excluded.seen_at`)
}

/** Includes rows that are no longer renewed. */
export async function deleteLinkReport(
  db: Queryable,
  process: string,
  machineNow: Date,
): Promise<void> {
  await db.query(sql`
    delete from carrier_links where process = ${process} or seen_at < ${freshFrom(machineNow)}`)
}

export async function listLinkReports(db: Queryable, machineNow: Date): Promise<LinkReport[]> {
  return db.query<LinkReport>(sql`
    select process, links, loaded_at as "loadedAt", reload_id as "reloadId",
      reload_error as "reloadError"
    from carrier_links where seen_at >= ${freshFrom(machineNow)} order by process`)
}

export interface ReloadRequest {
  id: string
  requestedAt: Date
}

export async function saveReloadRequest(
  tx: Transaction,
  { id, requestedAt }: ReloadRequest,
  requestedBy: string,
): Promise<void> {
  await tx.query(sql`
    insert into carrier_reloads (id, requested_at, requested_by)
    values (${id}, ${requestedAt}, ${requestedBy})
    on conflict (only_row) do update
      set id = excluded.id, requested_at = excluded.requested_at,
        requested_by = excluded.requested_by`)
}

export async function findReloadRequest(db: Queryable): Promise<ReloadRequest | null> {
  const [row] = await db.query<ReloadRequest>(sql`
    select id, requested_at as "requestedAt" from carrier_reloads`)
  return row ?? null
}

function freshFrom(machineNow: Date): Date {
  return new Date(machineNow.getTime() - FRESH_MS)
}

/** A row that was not renewed for this long is deleted. Its renewals decide whether it still counts. */
const PURGE_MS = 10 * 60_000

/** All rows of a link, ordered by process. They are locked until the transaction ends. */
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

/** Shares of processes that ended long ago. */
export async function purgeShares(db: Queryable, link: string, machineNow: Date): Promise<void> {
  const before = new Date(machineNow.getTime() - PURGE_MS)
  await db.query(sql`delete from link_shares where link = ${link} and seen_at < ${before}`)
}
