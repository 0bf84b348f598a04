// How much waits to be sent, for whoever watches the service. Plain reads across accounts, over the
// index of what is due: their cost grows with the queue, not with the messages ever sent.

import type { AccountId } from '../accounts/account.js'
import type { Queryable } from '../kit/postgres/db.js'
import { acrossAccounts, type Statement, sql } from '../kit/postgres/sql.js'
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
  const statement = sql`
    select route, count(*) filter (where due_at <= ${now})::int as waiting,
      count(*)::int as pending, min(due_at) filter (where due_at <= ${now}) as "oldestDueAt"
    from messages where due_at is not null group by route`
  return db.query<RouteDepth>(acrossAccounts(statement, { times: ['oldestDueAt'], combine: addUp }))
}

/** By route, of several machines. */
function addUp(depths: readonly RouteDepth[]): RouteDepth[] {
  const byRoute = new Map<Route, RouteDepth>()
  for (const depth of depths) {
    const sum = byRoute.get(depth.route)
    byRoute.set(depth.route, sum ? { ...depth, ...addDepths([sum, depth]) } : depth)
  }
  return [...byRoute.values()]
}

function addDepths(depths: readonly Depth[]): Depth {
  const times = depths.flatMap(({ oldestDueAt }) => oldestDueAt?.getTime() ?? [])
  return {
    waiting: depths.reduce((sum, { waiting }) => sum + waiting, 0),
    pending: depths.reduce((sum, { pending }) => sum + pending, 0),
    oldestDueAt: times.length > 0 ? new Date(Math.min(...times)) : null,
  }
}

/** The lanes in which most waits. Their number is bounded, since each becomes a few lines. */
export async function findDeepestLanes(
  db: Queryable,
  now: Date,
  limit: number,
): Promise<LaneDepth[]> {
  const statement = sql`
    select account_id as "accountId", campaign_id as "campaignId", route, count(*)::int as waiting,
      count(*)::int as pending, min(due_at) as "oldestDueAt"
    from messages where due_at is not null and due_at <= ${now}
    group by account_id, campaign_id, route
    order by waiting desc limit ${limit}`
  const combine = (lanes: LaneDepth[]) =>
    lanes.sort((a, b) => b.waiting - a.waiting).slice(0, limit)
  return db.query<LaneDepth>(acrossAccounts(statement, { times: ['oldestDueAt'], combine }))
}

/** Messages that wait for their next attempt. */
export async function countBackingOff(db: Queryable, now: Date): Promise<number> {
  const statement = sql`
    select count(*)::int as count from messages
    where due_at is not null and due_at > ${now} and attempts > 0`
  return countAcross(db, statement)
}

async function countAcross(db: Queryable, statement: Statement): Promise<number> {
  const combine = (rows: { count: number }[]) => [
    { count: rows.reduce((sum, { count }) => sum + count, 0) },
  ]
  const [row] = await db.query<{ count: number }>(acrossAccounts(statement, { combine }))
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
  const messages = await countAcross(
    db,
    sql`select count(*)::integer as count from (
      select 1 from messages where settle_at is not null limit ${UNSETTLED_MAX}) unsettled`,
  )
  const [receipts] = await db.query<{ count: number }>(sql`
    select count(*)::integer as count from (
      select 1 from stray_receipts where look_at is not null limit ${UNSETTLED_MAX}) waiting`)
  return { messages, receipts: receipts!.count }
}
