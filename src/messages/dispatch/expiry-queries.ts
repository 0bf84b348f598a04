// Finds waiting messages whose validity has ended, lane by lane, by index. Messages without an attempt are first in
// their lane's queue. The rows of all others store when they expire.

import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { acrossAccounts, piece, raw, sql } from '../../kit/postgres/sql.js'
import type { Route } from '../lane.js'
import { type LaneKey, type QueuedMessage, submitting, WAITING_COLUMNS } from '../lane-queries.js'
import { VALIDITY_SECONDS } from '../validity.js'

/** The position of a walk over the lanes. */
export interface LaneCursor {
  nextDueAt: Date
  campaignId: string
  route: Route | ''
}

export const FIRST_LANE: LaneCursor = { nextDueAt: new Date(0), campaignId: '', route: '' }

export interface WaitingLane extends LaneKey {
  nextDueAt: Date
  hasExpired: boolean
}

export type WaitingMessage = Pick<
  QueuedMessage,
  'id' | 'status' | 'attempts' | 'validitySeconds' | 'expiresAt' | 'createdAt' | 'dueAt'
>

// A lease or a later attempt has its due_at in the future. Those are left alone.
const UNTRIED = raw('due_at is not null and expires_at is null and due_at')
const TRIED = raw('due_at is not null and expires_at is not null and expires_at')

/** A message that was due before this time and has had no attempt is expired. */
function dueBefore(now: Date): Date {
  return new Date(now.getTime() - VALIDITY_SECONDS * 1000)
}

/**
 * Lanes with messages that wait only for a limit, the link, or a dispatcher: the next ones after the cursor. The
 * validity does not run while a lane is held at its daily cap. A plain read across accounts. Without `exists`,
 * because PostgreSQL may then read all messages.
 */
export async function listWaitingLanes(
  db: Queryable,
  now: Date,
  after: LaneCursor,
  limit: number,
): Promise<WaitingLane[]> {
  const statement = sql`
    select account_id as "accountId", campaign_id as "campaignId", route,
      next_due_at as "nextDueAt",
      coalesce((select true from messages m where m.account_id = l.account_id
          and m.campaign_id = l.campaign_id and m.route = l.route
          and ${UNTRIED} <= ${dueBefore(now)} limit 1),
        (select true from messages m where m.account_id = l.account_id
          and m.campaign_id = l.campaign_id and m.route = l.route
          and ${TRIED} <= ${now} and due_at <= ${now} limit 1), false) as "hasExpired"
    from lanes l
    where next_due_at is not null
      and (next_due_at <= ${now} or (held_from is not null and route <> 'tmo'))
      and (next_due_at, campaign_id, route)
        > (${after.nextDueAt}, ${after.campaignId}, ${after.route})
    order by next_due_at, campaign_id, route limit ${limit}`
  const order = ['nextDueAt', 'campaignId', 'route']
  return db.query<WaitingLane>(acrossAccounts(statement, { order, limit, times: ['nextDueAt'] }))
}

/**
 * Under the lane's lock, so nobody claims them at the same time. Messages that may have left are settled by the
 * submit journal, not refunded here.
 */
export async function findExpired(
  tx: Transaction,
  lane: LaneKey,
  now: Date,
  limit: number,
): Promise<WaitingMessage[]> {
  const isIn = piece`account_id = ${lane.accountId} and campaign_id = ${lane.campaignId}
    and route = ${lane.route} and id not in (${submitting(lane.accountId)})`
  return tx.query<WaitingMessage>(sql`
    (select id, ${WAITING_COLUMNS} from messages
      where ${isIn} and ${UNTRIED} <= ${dueBefore(now)} order by due_at limit ${limit})
    union all
    (select id, ${WAITING_COLUMNS} from messages
      where ${isIn} and ${TRIED} <= ${now} and due_at <= ${now}
      order by expires_at limit ${limit})`)
}
