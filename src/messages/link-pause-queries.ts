// Every statement on paused carrier links. There are few, and every dispatching process reads them each second.

import type { Queryable } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'

export interface LinkPause {
  link: string
  pausedAt: Date
  pausedBy: string
  reason: string
  /** The repeated refusal. Null: an operator paused the link. */
  code: string | null
  /** When one message may try again. Null: only an operator resumes it. */
  probeAt: Date | null
  probes: number
}

const PAUSES_MAX = 1_000

export async function listLinkPauses(db: Queryable): Promise<LinkPause[]> {
  return db.query<LinkPause>(sql`
    select link, paused_at as "pausedAt", paused_by as "pausedBy", reason, code,
      probe_at as "probeAt", probes
    from link_pauses order by link limit ${PAUSES_MAX}`)
}

/** By an operator. Replaces an automatic pause. */
export async function saveLinkPause(
  db: Queryable,
  {
    link,
    pausedAt,
    pausedBy,
    reason,
  }: Pick<LinkPause, 'link' | 'pausedAt' | 'pausedBy' | 'reason'>,
): Promise<void> {
  await db.query(sql`
    insert into link_pauses (link, paused_at, paused_by, reason)
    values (${link}, ${pausedAt}, ${pausedBy}, ${reason})
    on conflict (link) do update
      set paused_at = excluded.paused_at, paused_by = excluded.paused_by,
        reason = excluded.reason, code = null, probe_at = null, probes = 0`)
}

/** Automatic. False if the link is already paused. */
export async function insertLinkPause(db: Queryable, pause: LinkPause): Promise<boolean> {
  const rows = await db.query(sql`
    insert into link_pauses (link, paused_at, paused_by, reason, code, probe_at)
    values (${pause.link}, ${pause.pausedAt}, ${pause.pausedBy}, ${pause.reason}, ${pause.code},
      ${pause.probeAt})
    on conflict (link) do nothing
    returning link`)
  return rows.length > 0
}

/** `isAutomaticOnly`: an operator's pause stays. False if there was no pause to end. */
export async function deleteLinkPause(
  db: Queryable,
  link: string,
  isAutomaticOnly = false,
): Promise<boolean> {
  const rows = await db.query(sql`
    delete from link_pauses
    where link = ${link} and (code is not null or not ${isAutomaticOnly}::boolean)
    returning link`)
  return rows.length > 0
}

/** True for exactly one of the processes that see that a probe is due. */
export async function claimProbe(
  db: Queryable,
  link: string,
  { now, nextAt }: { now: Date; nextAt: Date },
): Promise<boolean> {
  const rows = await db.query(sql`
    update link_pauses set probe_at = ${nextAt}, probes = probes + 1
    where link = ${link} and probe_at <= ${now}
    returning link`)
  return rows.length > 0
}
