// Statements on messages whose outcome nobody knows, from when that is so until it is settled.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { composed, parametersOf, relation, valuesOf } from '../../kit/postgres/pieces.js'
import { sql } from '../../kit/postgres/sql.js'
import { type QueuedMessage, scheduleLanes, WAITING_COLUMNS } from '../lane-queries.js'
import { ENTRIES_MAX } from '../timeline.js'

export interface UnsettledMessage extends QueuedMessage {
  unknownLink: string | null
}

/** Those that it is time to settle, from all accounts; nobody else takes them until then. */
export async function takeUnsettled(
  db: Queryable,
  now: Date,
  { limit, leaseUntil }: { limit: number; leaseUntil: Date },
): Promise<UnsettledMessage[]> {
  const found = await db.query<{ accountId: AccountId; id: string }>(sql`
    select account_id as "accountId", id from messages
    where settle_at is not null and settle_at <= ${now} order by settle_at limit ${limit}`)
  if (found.length === 0) return []
  return db.query<UnsettledMessage>(sql`
    update messages m set settle_at = ${leaseUntil}
    from unnest(${found.map((one) => one.accountId)}::text[], ${found.map((one) => one.id)}::text[])
      as x (account_id, message_id)
    where m.account_id = x.account_id and m.id = x.message_id and m.settle_at <= ${now}
    returning m.account_id as "accountId", id, campaign_id as "campaignId", type, number, peer, route,
      body, media_urls as "mediaUrls", num_segments as "numSegments", is_reply as "isReply",
      ${WAITING_COLUMNS}, media_checked as "isMediaChecked", unknown_link as "unknownLink"`)
}

export async function settleLater(
  db: Queryable,
  { accountId, id }: Pick<QueuedMessage, 'accountId' | 'id'>,
  settleAt: Date,
): Promise<void> {
  await db.query(sql`
    update messages set settle_at = ${settleAt}
    where account_id = ${accountId} and id = ${id} and settle_at is not null`)
}

const REQUEUE_TYPES = { id: 'text', due_at: 'timestamptz', entry: 'text' } as const
const given = parametersOf(REQUEUE_TYPES, 2)
const REQUEUE = `
  with requeued as (
    update messages m set settle_at = null, unknown_link = null, due_at = ${given.due_at},
      timeline = case when cardinality(m.timeline) < ${ENTRIES_MAX}
        then m.timeline || ${given.entry} else m.timeline end
    where m.account_id = $1 and m.id = ${given.id} and m.status = 'QUEUED' and m.settle_at is not null
    returning m.campaign_id, m.route, m.due_at
  ) ${scheduleLanes(relation('requeued'))}`

/** Back into the queue, unless somebody has settled it meanwhile. */
export async function requeueUnsettled(
  db: Queryable,
  { accountId, id }: Pick<QueuedMessage, 'accountId' | 'id'>,
  { dueAt, entry }: { dueAt: Date; entry: string },
): Promise<void> {
  const values = valuesOf(REQUEUE_TYPES, { id, due_at: dueAt, entry })
  await db.query(composed(REQUEUE, [accountId, ...values]))
}
