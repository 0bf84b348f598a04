// Finds messages whose validity has passed while they wait, lane by lane, by index: those that never were
// tried are the first of their lane's queue, and of the others the row says when they expire.

import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { acrossAccounts, piece, raw, sql } from '../../kit/postgres/sql.js'
import type { Route } from '../lane.js'
import { type LaneKey, type QueuedMessage, submitting, WAITING_COLUMNS } from '../lane-queries.js'
import { VALIDITY_SECONDS } from '../validity.js'

/** How far a walk over the lanes has come. */
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

// A lease, or an attempt that is to come, has its due_at in the future: those are left alone.
const UNTRIED = raw('due_at is not null and expires_at is null and due_at')
const TRIED = raw('due_at is not null and expires_at is not null and expires_at')

/** What was due before then and has not been tried is valid no longer. */
function dueBefore(now: Date): Date {
  return new Date(now.getTime() - VALIDITY_SECONDS * 1000)
}

/**
 * Lanes in which something waits that could go out, were it not for a limit, the link or a lack of
 * dispatchers; the next ones after the cursor. While a lane is held at its daily cap, time stands still
 * there. A plain read across accounts; not with exists, which PostgreSQL may answer from all messages.
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
 * Under the lane's lock, so that nobody claims them at the same time. What may have gone out is left to the
 * journal of submits: it is not paid back for having come too late.
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
