// The consumer side of the outbox: rounds of a delivery that start or end outside a claim. One for a single
// subscriber, another one after the last attempt, and none while the subscriber is disabled.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { raw, sql } from '../../kit/postgres/sql.js'
import { deliveryId } from '../append-queries.js'
import { restartDeliveredEvent } from './delivered-event-queries.js'
import { isFree } from './delivery-lease-queries.js'

/** Nothing is sent to a disabled or deleted subscriber: pending deliveries are paused, in batches. */
export async function pauseDeliveries(
  db: Queryable,
  accountId: AccountId,
  subscriberId: string,
  now: Date,
  limit: number,
): Promise<number> {
  const rows = await db.query(sql`
    update event_deliveries d set state = 'held', due_at = null, lease_until = null
    where d.account_id = ${accountId} and d.id in (
      select q.id from event_deliveries q
      where q.account_id = ${accountId} and q.subscriber_id = ${subscriberId}
        and q.due_at is not null and ${isFree('q', now)}
        and not exists (select 1 from event_subscriptions s where s.account_id = ${accountId}
          and s.subscriber_id = ${subscriberId} and s.is_enabled)
      limit ${limit})
      and ${isFree('d', now)}
    returning 1`)
  return rows.length
}

/** A delivery outside the fan-out: an event for one subscriber only. Returns its ID. */
export async function insertDelivery(
  tx: Transaction,
  accountId: AccountId,
  subscriberId: string,
  eventId: string,
  now: Date,
): Promise<string> {
  const [row] = await tx.query<{ id: string }>(sql`
    insert into event_deliveries (account_id, id, subscriber_id, event_id, event_type, state, due_at,
      created_at)
    select e.account_id, ${raw(deliveryId('e.id', 's.id'))}, s.id, e.id, e.event_type, 'pending',
      ${now}, ${now}
    from events e cross join (select ${subscriberId}::text as id) s
    where e.account_id = ${accountId} and e.id = ${eventId}
    returning id`)
  return row!.id
}

/** Starts another round with all its attempts. False for one that is being sent. */
export async function restartDelivery(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update event_deliveries d set state = 'pending', due_at = ${now}, lease_until = null,
      attempts_before = attempts, finished_at = null
    where account_id = ${accountId} and id = ${id} and ${isFree('d', now)}
    returning 1`)
  return rows.length > 0 || restartDeliveredEvent(tx, accountId, id, now)
}

/**
 * Restarts a batch of deliveries, oldest first, that are paused or failed since the ID floor. Returns how
 * many.
 */
export async function restartUndelivered(
  tx: Transaction,
  accountId: AccountId,
  subscriberId: string,
  sinceId: string,
  now: Date,
  limit: number,
): Promise<number> {
  const rows = await tx.query(sql`
    update event_deliveries set state = 'pending', due_at = ${now}, attempts_before = attempts,
      finished_at = null
    where account_id = ${accountId} and id in (
      select id from event_deliveries
      where account_id = ${accountId} and subscriber_id = ${subscriberId} and id >= ${sinceId}
        and state in ('held', 'failed')
      order by id limit ${limit})
      and state in ('held', 'failed')
    returning 1`)
  return rows.length
}

export interface Undelivered {
  held: number
  failed: number
  oldestAt: Date | null
}

/** The size of a restartUndelivered batch, and whether more would follow. */
export async function countUndelivered(
  db: Queryable,
  accountId: AccountId,
  subscriberId: string,
  sinceId: string,
  limit: number,
): Promise<Undelivered & { hasMore: boolean }> {
  const [row] = await db.query<Undelivered & { hasMore: boolean }>(sql`
    select count(*) filter (where state = 'held' and nth <= ${limit})::int as held,
      count(*) filter (where state = 'failed' and nth <= ${limit})::int as failed,
      min(created_at) as "oldestAt", count(*) > ${limit} as "hasMore"
    from (
      select state, created_at, row_number() over (order by id) as nth from event_deliveries
      where account_id = ${accountId} and subscriber_id = ${subscriberId} and id >= ${sinceId}
        and state in ('held', 'failed')
      order by id limit ${limit + 1}) undelivered`)
  return row!
}
