// Every statement on the link_evidence table: counts by link and hour.

import { HOUR_MS } from '../../kit/clock.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'

export interface Evidence {
  /** Accepted by the carrier, with an ID. */
  sent: number
  /** Ended by a receipt. */
  receipted: number
  /** Submitted without a response. */
  unknown: number
  /** Receipts with unknown IDs that were matched to a message. */
  matched: number
  resent: number
  /** Settled without evidence. */
  refunded: number
  /** Refunded, delivered after all, and charged again. */
  recharged: number
  /** The same, where the balance was too low. */
  forgiven: number
}

export type EvidenceCounts = Partial<Evidence>

export async function addEvidence(
  db: Queryable,
  counts: ReadonlyMap<string, EvidenceCounts>,
  now: Date,
): Promise<void> {
  const rows = [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
  const column = (name: keyof Evidence) => rows.map(([, one]) => one[name] ?? 0)
  const hour = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS)
  await db.query(sql`
    insert into link_evidence as e
      (link, hour, sent, receipted, unknown, matched, resent, refunded, recharged, forgiven)
    select x.link, ${hour}::timestamptz, x.sent, x.receipted, x.unknown, x.matched, x.resent, x.refunded,
      x.recharged, x.forgiven
    from unnest(${rows.map(([link]) => link)}::text[], ${column('sent')}::bigint[],
      ${column('receipted')}::bigint[], ${column('unknown')}::bigint[], ${column('matched')}::bigint[],
      ${column('resent')}::bigint[], ${column('refunded')}::bigint[], ${column('recharged')}::bigint[],
      ${column('forgiven')}::bigint[])
      as x (link, sent, receipted, unknown, matched, resent, refunded, recharged, forgiven)
    on conflict (link, hour) do update set sent = e.sent + excluded.sent,
      receipted = e.receipted + excluded.receipted, unknown = e.unknown + excluded.unknown,
      matched = e.matched + excluded.matched, resent = e.resent + excluded.resent,
      refunded = e.refunded + excluded.refunded, recharged = e.recharged + excluded.recharged,
      forgiven = e.forgiven + excluded.forgiven`)
}

/** Totals since then, by link. The empty name: messages whose link is unknown. */
export async function findEvidence(
  db: Queryable,
  since: Date,
  link: string | null = null,
): Promise<(Evidence & { link: string })[]> {
  return db.query<Evidence & { link: string }>(sql`
    select link, sum(sent)::float8 as sent, sum(receipted)::float8 as receipted,
      sum(unknown)::float8 as unknown, sum(matched)::float8 as matched, sum(resent)::float8 as resent,
      sum(refunded)::float8 as refunded, sum(recharged)::float8 as recharged,
      sum(forgiven)::float8 as forgiven
    from link_evidence where hour > ${since} and (${link}::text is null or link = ${link}::text)
    group by link order by link`)
}

export async function deleteOldEvidence(db: Queryable, before: Date): Promise<void> {
  await db.query(sql`delete from link_evidence where hour < ${before}`)
}
