// How many messages wait, for monitoring. Plain reads across accounts. A short queue is counted in the index of due
// messages. For a long one, the counters of unsent messages give its length.

import type { AccountId } from '../accounts/account.js'
import type { Queryable } from '../kit/postgres/db.js'
import { acrossAccounts, countAcross, NOTHING, piece, raw, sql } from '../kit/postgres/sql.js'
import type { Route } from './lane.js'

export interface Depth {
  /** Could be sent now, except for a limit or a lack of dispatchers. */
  waiting: number
  /** Including messages that are claimed, retried later, or scheduled. Messages sent immediately are in no queue. */
  pending: number
  /** Since when the longest waiting one could have been sent. Null if none waits. */
  oldestDueAt: Date | null
}

export interface RouteDepth extends Depth {
  route: Route
}

export interface LaneDepth extends RouteDepth {
  accountId: AccountId
  campaignId: string
}

type LaneKey = 'accountId' | 'campaignId' | 'route'

/** With more queued messages than this, the counters give their number. */
const EXACT_MAX = 5_000

/** Unsent messages by the counters, including pending changes. */
const OPEN = raw(`(
    select account_id, campaign_id, route, status, count from open_counts
    union all
    select account_id, campaign_id, route, from_status, -count from usage_changes
    where route is not null and from_status in ('QUEUED', 'SCHEDULED')
    union all
    select account_id, campaign_id, route, to_status, count from usage_changes
    where route is not null and to_status in ('QUEUED', 'SCHEDULED')
  ) open`)

/** QUEUED, and with SCHEDULED. */
interface Open {
  queued: number
  open: number
}

const OPEN_SUMS = raw(`coalesce(sum(count) filter (where status = 'QUEUED'), 0)::int as queued,
      coalesce(sum(count), 0)::int as open`)

async function findOpenRoutes(db: Queryable): Promise<(Open & { route: Route })[]> {
  const statement = sql`select route, ${OPEN_SUMS} from ${OPEN} group by route`
  return db.query<Open & { route: Route }>(acrossAccounts(statement))
}

/** Whether all queued messages can be counted quickly. */
function isCountable(open: readonly Open[]): boolean {
  return open.reduce((sum, one) => sum + one.open, 0) <= EXACT_MAX
}

/** An account's lanes with messages to send. */
export async function listOpenLanes(
  db: Queryable,
  accountId: AccountId,
  campaignId: string | null,
): Promise<(Open & { campaignId: string; route: Route })[]> {
  return db.query<Open & { campaignId: string; route: Route }>(sql`
    select campaign_id as "campaignId", route, ${OPEN_SUMS} from ${OPEN}
    where account_id = ${accountId} ${campaignId === null ? NOTHING : piece`and campaign_id = ${campaignId}`}
    group by 1, 2 having sum(count) > 0`)
}

/**
 * Exact up to EXACT_MAX messages. Beyond that, all QUEUED messages count as waiting, including claimed ones and
 * retries.
 */
export async function findRouteDepths(db: Queryable, now: Date): Promise<RouteDepth[]> {
  const open = await findOpenRoutes(db)
  if (isCountable(open)) return countRouteDepths(db, now)
  const oldest = await findOldestByRoute(db, now)
  return addUp(
    open.map(({ route, queued, open: pending }) => {
      const oldestDueAt = oldest.get(route) ?? null
      return { route, waiting: oldestDueAt === null ? 0 : queued, pending, oldestDueAt }
    }),
  )
}

async function countRouteDepths(db: Queryable, now: Date): Promise<RouteDepth[]> {
  const statement = sql`
    select route, count(*) filter (where due_at <= ${now})::int as waiting,
      count(*)::int as pending, min(due_at) filter (where due_at <= ${now}) as "oldestDueAt"
    from messages where due_at is not null group by route`
  return db.query<RouteDepth>(acrossAccounts(statement, { times: ['oldestDueAt'], combine: addUp }))
}

/** One index lookup for each lane with work to do. */
async function findOldestByRoute(db: Queryable, now: Date): Promise<Map<Route, Date>> {
  const statement = sql`
    select l.route, min(d.due_at) as "oldestDueAt"
    from lanes l cross join lateral (
      select due_at from messages m
      where m.account_id = l.account_id and m.campaign_id = l.campaign_id and m.route = l.route
        and m.due_at is not null and m.due_at <= ${now}
      order by m.due_at limit 1) d
    where l.next_due_at is not null group by l.route`
  const rows = await db.query<{ route: Route; oldestDueAt: Date }>(
    acrossAccounts(statement, { times: ['oldestDueAt'] }),
  )
  const oldest = new Map<Route, Date>()
  for (const { route, oldestDueAt } of rows) {
    const earlier = oldest.get(route)
    if (!earlier || oldestDueAt < earlier) oldest.set(route, oldestDueAt)
  }
  return oldest
}

/** By route, from several machines. */
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

/** The lanes with the most waiting messages. Their number is bounded, because each becomes a few lines. */
export async function findDeepestLanes(
  db: Queryable,
  now: Date,
  limit: number,
): Promise<LaneDepth[]> {
  if (isCountable(await findOpenRoutes(db))) return countDeepestLanes(db, now, limit)
  const statement = sql`
    select account_id as "accountId", campaign_id as "campaignId", route,
      sum(count)::int as waiting, sum(count)::int as pending, null::timestamptz as "oldestDueAt"
    from ${OPEN} where status = 'QUEUED' group by 1, 2, 3
    order by waiting desc limit ${limit}`
  const lanes = await db.query<LaneDepth>(acrossAccounts(statement, deepest(limit)))
  return lanes.length === 0 ? [] : withOldest(db, lanes, now)
}

/** A second statement: on a cluster, the deepest lanes are only known after all machines have answered. */
async function withOldest(
  db: Queryable,
  lanes: readonly LaneDepth[],
  now: Date,
): Promise<LaneDepth[]> {
  const statement = sql`
    select l.account_id as "accountId", l.campaign_id as "campaignId", l.route,
      d.due_at as "oldestDueAt"
    from lanes l cross join lateral (
      select due_at from messages m
      where m.account_id = l.account_id and m.campaign_id = l.campaign_id and m.route = l.route
        and m.due_at is not null and m.due_at <= ${now}
      order by m.due_at limit 1) d
    where l.account_id = any (${lanes.map((lane) => lane.accountId)})
      and l.campaign_id = any (${lanes.map((lane) => lane.campaignId)})`
  const rows = await db.query<Pick<LaneDepth, LaneKey> & { oldestDueAt: Date }>(
    acrossAccounts(statement, { times: ['oldestDueAt'] }),
  )
  const keyOf = ({ accountId, campaignId, route }: Pick<LaneDepth, LaneKey>) =>
    `${accountId} ${campaignId} ${route}`
  const oldest = new Map(rows.map((row) => [keyOf(row), row.oldestDueAt]))
  return lanes.flatMap((lane) => {
    const oldestDueAt = oldest.get(keyOf(lane))
    return oldestDueAt ? [{ ...lane, oldestDueAt }] : []
  })
}

async function countDeepestLanes(db: Queryable, now: Date, limit: number): Promise<LaneDepth[]> {
  const statement = sql`
    select account_id as "accountId", campaign_id as "campaignId", route, count(*)::int as waiting,
      count(*)::int as pending, min(due_at) as "oldestDueAt"
    from messages where due_at is not null and due_at <= ${now}
    group by account_id, campaign_id, route
    order by waiting desc limit ${limit}`
  return db.query<LaneDepth>(acrossAccounts(statement, deepest(limit)))
}

/** From several machines. */
function deepest(limit: number) {
  const combine = (lanes: LaneDepth[]) =>
    lanes.sort((a, b) => b.waiting - a.waiting).slice(0, limit)
  return { times: ['oldestDueAt'], combine }
}

/** Messages that wait for their next attempt. In a long queue, only among the first of it. */
export async function countBackingOff(db: Queryable, now: Date): Promise<number> {
  const statement = sql`
    select count(*)::int as count from (
      select due_at, attempts from messages where due_at is not null limit ${EXACT_MAX}) queued
    where due_at > ${now} and attempts > 0`
  const [row] = await db.query<{ count: number }>(countAcross(statement))
  return row!.count
}

export interface Unsettled {
  /** Messages that left with an unknown outcome. */
  messages: number
  /** Receipts whose message is not found yet, because the response with its ID may still arrive. */
  receipts: number
}

/** Counted up to a bound: more than that is a problem anyway. */
const UNSETTLED_MAX = 10_000

export async function countUnsettled(db: Queryable): Promise<Unsettled> {
  const unsettled = sql`select count(*)::integer as count from (
      select 1 from messages where settle_at is not null limit ${UNSETTLED_MAX}) unsettled`
  const [messages] = await db.query<{ count: number }>(countAcross(unsettled))
  const [receipts] = await db.query<{ count: number }>(sql`
    select count(*)::integer as count from (
      select 1 from unmatched_receipts where check_at is not null limit ${UNSETTLED_MAX}) waiting`)
  return { messages: messages!.count, receipts: receipts!.count }
}
