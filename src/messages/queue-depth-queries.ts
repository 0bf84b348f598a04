// How much waits to be sent, for whoever watches the service. Plain reads across accounts, over the
// index of what is due: their cost grows with the queue, not with the messages ever sent.

import type { AccountId } from '../accounts/account.js'
import type { Queryable } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'
import type { Route } from './lane.js'

export interface Depth {
  /** Could be sent now, but for a limit or a lack of dispatchers. */
  waiting: number
  /** With what is claimed, tried again later, or scheduled. What is sent at once is in no queue. */
  pending: number
  /** Since when the longest waiting one could have been sent; null where none waits. */
  oldestDueAt: Date | null
}

export interface RouteDepth extends Depth {
  route: Route
}

export interface LaneDepth extends RouteDepth {
  accountId: AccountId
  campaignId: string
}

export async function findRouteDepths(db: Queryable, now: Date): Promise<RouteDepth[]> {
  return db.query<RouteDepth>(sql`
    select route, count(*) filter (where due_at <= ${now})::int as waiting,
      count(*)::int as pending, min(due_at) filter (where due_at <= ${now}) as "oldestDueAt"
    from messages where due_at is not null group by route`)
}

/** The lanes in which most waits. Their number is bounded, since each becomes a few lines. */
export async function findDeepestLanes(
  db: Queryable,
  now: Date,
  limit: number,
): Promise<LaneDepth[]> {
  return db.query<LaneDepth>(sql`
    select account_id as "accountId", campaign_id as "campaignId", route, count(*)::int as waiting,
      count(*)::int as pending, min(due_at) as "oldestDueAt"
    from messages where due_at is not null and due_at <= ${now}
    group by account_id, campaign_id, route
    order by waiting desc limit ${limit}`)
}

/** Messages that wait for their next attempt. */
export async function countBackingOff(db: Queryable, now: Date): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from messages
    where due_at is not null and due_at > ${now} and attempts > 0`)
  return row!.count
}

export interface Unsettled {
  /** Messages that left and of which nobody knows yet whether the carrier has them. */
  messages: number
  /** Receipts whose message is not found yet: the answer that gives its id may still be on its way. */
  receipts: number
}

/** Counted as far as it matters: more than that is trouble all the same. */
const UNSETTLED_MAX = 10_000

export async function countUnsettled(db: Queryable): Promise<Unsettled> {
  const [messages] = await db.query<{ count: number }>(sql`
    select count(*)::integer as count from (
      select 1 from messages where settle_at is not null limit ${UNSETTLED_MAX}) unsettled`)
  const [receipts] = await db.query<{ count: number }>(sql`
    select count(*)::integer as count from (
      select 1 from stray_receipts where look_at is not null limit ${UNSETTLED_MAX}) waiting`)
  return { messages: messages!.count, receipts: receipts!.count }
}
