// Every statement on the audit_log table: one appends, the others read. The database refuses to change a row.

import type { Page } from '../kit/contract/schema.js'
import { idFloor, newId } from '../kit/ids.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'
import type { ActName, Actor, AuditAct, AuditEntry } from './audit.js'

/** Runs in the transaction of the action itself, so neither exists without the other. */
export async function recordAct(
  tx: Transaction,
  actor: Actor,
  { act, accountId, subject, before, after }: AuditAct,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into audit_log (id, at, actor_kind, actor_id, actor_name, origin, request_id, act,
      account_id, subject, before, after)
    values (${newId('aud', now)}, ${now}, ${actor.kind}, ${actor.id}, ${actor.name},
      ${actor.origin}, ${actor.requestId}, ${act}, ${accountId}, ${subject}, ${before}, ${after})`)
}

export interface AuditFilter {
  accountId: string | null
  act: string | null
  actor: string | null
  subject: string | null
  since: Date | null
  until: Date | null
}

/** Newest first, one more than the page has. The actor is a token's ID or a name. */
export async function listAudit(
  db: Queryable,
  filter: AuditFilter,
  page: Page,
): Promise<AuditEntry[]> {
  return db.query<AuditEntry>(sql`
    select id, at, act, account_id as "accountId", subject, before, after,
      json_build_object('kind', actor_kind, 'id', actor_id, 'name', actor_name, 'origin', origin,
        'requestId', request_id) as actor
    from audit_log
    where (${filter.accountId}::text is null or account_id = ${filter.accountId})
      and (${filter.act}::text is null or act = ${filter.act})
      and (${filter.actor}::text is null or ${filter.actor} in (actor_id, actor_name))
      and (${filter.subject}::text is null or subject = ${filter.subject})
      and (${filter.since}::timestamptz is null or at >= ${filter.since})
      and (${filter.until}::timestamptz is null or at < ${filter.until})
      and (${page.after}::text is null or id < ${page.after})
    order by id desc limit ${page.limit + 1} offset ${page.skip}`)
}

/** How often an action was done to each of these records. */
export async function countActs(
  db: Queryable,
  act: ActName,
  subjects: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db.query<{ subject: string; count: number }>(sql`
    select subject, count(*)::int as count from audit_log
    where subject = any (${subjects}::text[]) and act = ${act} group by subject`)
  return new Map(rows.map(({ subject, count }) => [subject, count]))
}

export interface ReviewPace {
  decided: number
  /** The median waiting time; null if none is known. */
  medianSeconds: number | null
}

/** How many such actions there were since then, and how long the records had waited. */
export async function findPace(
  db: Queryable,
  acts: readonly ActName[],
  since: Date,
): Promise<ReviewPace> {
  const [row] = await db.query<ReviewPace>(sql`
    select count(*)::int as decided, percentile_cont(0.5) within group (order by
      extract(epoch from at - (before->>'submittedAt')::timestamptz))::float8 as "medianSeconds"
    from audit_log where act = any (${acts}::text[]) and id >= ${idFloor('aud', since)}`)
  return row!
}
