// The consumer side of the outbox: the number of waiting deliveries, for monitoring. Plain reads across
// accounts.

import type { Queryable } from '../../kit/postgres/db.js'
import { acrossAccounts, sql } from '../../kit/postgres/sql.js'
import { EVERY_IN_PROGRESS } from './delivery-batch-queries.js'
import { isOfKind, type SubscriberKind } from './delivery-claim-queries.js'
import { isReady } from './delivery-lease-queries.js'

export interface DeliveryDepth {
  /** Their attempt is due now. */
  waiting: number
  /** Includes those whose next attempt is later or in progress. */
  pending: number
  oldestDueAt: Date | null
  /** Subscriptions of disabled webhooks. */
  disabledSubscriptions: number
}

/** Counted up to a limit, longest due first: above it, the exact number does not matter. */
const COUNTED_MAX = 10_000

export async function findDeliveryDepth(
  db: Queryable,
  kind: SubscriberKind,
  now: Date,
): Promise<DeliveryDepth> {
  const statement = sql`
    with queued as (
      select count(*) filter (where is_waiting)::int as waiting, count(*)::int as pending,
        min(due_at) filter (where is_waiting) as "oldestDueAt"
      from (select due_at, due_at <= ${now} and ${isReady('d', now)} as is_waiting
        from event_deliveries d where due_at is not null and ${isOfKind('d', kind)}
        order by due_at at time zone 'UTC' limit ${COUNTED_MAX}) pending
    ), direct as (
      select count(*)::int as direct
      from (select 1 from ${EVERY_IN_PROGRESS} and ${isOfKind('b', kind)} limit ${COUNTED_MAX}) in_progress
    ), disabled as (
      select count(*)::int as "disabledSubscriptions" from event_subscriptions s
      where not is_enabled and ${isOfKind('s', kind)}
    )
    select waiting, pending + direct as pending, "oldestDueAt", "disabledSubscriptions"
    from queued cross join direct cross join disabled`
  const across = acrossAccounts(statement, { times: ['oldestDueAt'], combine: addUp })
  const [row] = await db.query<DeliveryDepth>(across)
  return row!
}

/** Merges several workers. */
function addUp(depths: readonly DeliveryDepth[]): DeliveryDepth[] {
  const sum = (of: (depth: DeliveryDepth) => number) =>
    depths.reduce((all, depth) => all + of(depth), 0)
  const times = depths.flatMap(({ oldestDueAt }) => oldestDueAt?.getTime() ?? [])
  return [
    {
      waiting: sum(({ waiting }) => waiting),
      pending: sum(({ pending }) => pending),
      oldestDueAt: times.length > 0 ? new Date(Math.min(...times)) : null,
      disabledSubscriptions: sum(({ disabledSubscriptions }) => disabledSubscriptions),
    },
  ]
}
