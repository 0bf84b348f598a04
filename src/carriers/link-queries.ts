// Every statement on what processes say of their links, and on the request to reload them. Times are the
// machines' own, which a jump of the test clock does not end.

import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'
import type { LinkReport } from './link-report.js'

/** A row that was not renewed for so long is that of a process that has ended. */
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

/** With those that nobody renews any more. */
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
