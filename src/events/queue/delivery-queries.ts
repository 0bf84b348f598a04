// Statements on the event_deliveries table as a queue; append-events.ts makes the rows, and
// delivery-record-queries.ts reads them as records. The row is the queue: due_at says when to try
// next, and lease_until how long it belongs to a deliverer.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { plainArray } from '../../kit/postgres/pg-array.js'
import { raw, sql } from '../../kit/postgres/sql.js'
import { deliveryId } from '../append-events.js'
import { isFree } from '../lease.js'
import type { SubscriberKey } from '../subscription-queries.js'

/**
 * Who has something that became due in this span. Crosses accounts, so it only reads. Leases that
 * ended unrecorded are left to the sweep over all subscriptions.
 */
export async function findDueSubscribers(
  db: Queryable,
  since: Date,
  now: Date,
): Promise<SubscriberKey[]> {
  return db.query<SubscriberKey>(sql`
    select distinct account_id as "accountId", subscriber_id as "subscriberId"
    from event_deliveries
    where due_at at time zone 'UTC' > ${since}::timestamptz at time zone 'UTC'
      and due_at at time zone 'UTC' <= ${now}::timestamptz at time zone 'UTC'
      and due_at is not null and lease_until is null`)
}

export interface ClaimedDelivery {
  id: string
  subscriberId: string
  eventId: string
  messageId: string | null
  sequence: number | null
  attempts: number
  attemptsBefore: number
  /** False where it waits for an earlier event of its message, or where another process was faster. */
  isClaimed: boolean
}

/**
 * Leases what is due of some subscribers, each with its number of free places. What waits for an
 * earlier event of its message is set aside until that one is done (`wakeLaterDeliveries`) or has
 * its next try.
 *
 * It is set aside by compare-and-set on due_at, and nothing is locked before: `due` and the look for
 * earlier events must see one snapshot. Whoever finishes an earlier event after that snapshot
 * changes due_at of the later one, so the comparison fails and the later one stays due.
 *
 * The commit does not wait for the disk: a lease that a crash of the database takes away is an event
 * told twice at worst, and the record of how a try went is durable.
 *
 * The planner cannot know how few rows `due` has, and its figures of a queue are those of a moment
 * at which it was empty, so that it takes every index of what is due for a free lunch. Hence `any
 * (array(…))`, which makes it look rows up by their key, and comparisons of due_at that no index can
 * serve.
 */
export async function claimDeliveries(
  db: Queryable,
  accountId: AccountId,
  wanted: readonly { subscriberId: string; places: number }[],
  now: Date,
  leaseUntil: Date,
): Promise<ClaimedDelivery[]> {
  return db.query<ClaimedDelivery>(sql`
    with due as materialized (
      select d.*, earlier.due_at as earlier_due_at
      from unnest(${wanted.map((w) => w.subscriberId)}::text[],
        ${wanted.map((w) => w.places)}::int[]) as w (subscriber_id, places)
      join event_subscriptions s on s.account_id = ${accountId}
        and s.subscriber_id = w.subscriber_id and s.is_enabled
      cross join lateral (
        select q.id, q.subscriber_id, q.event_id, q.message_id, q.sequence, q.due_at, q.attempts,
          q.attempts_before
        from event_deliveries q
        where q.account_id = ${accountId} and q.subscriber_id = w.subscriber_id
          and q.due_at <= ${now} and ${isFree('q', now)}
        order by q.due_at limit w.places) d
      left join lateral (
        select greatest(p.due_at, p.lease_until) as due_at from event_deliveries p
        where d.sequence > 1 and p.account_id = ${accountId}
          and p.subscriber_id = d.subscriber_id and p.message_id = d.message_id
          and p.sequence < d.sequence and p.state = 'pending'
        order by p.sequence desc limit 1) earlier on true
    ), claimed as (
      update event_deliveries d set lease_until = ${leaseUntil}
      where d.account_id = ${accountId}
        and d.id = any (array(select id from due where earlier_due_at is null))
        and coalesce(d.due_at <= ${now}, false) and ${isFree('d', now)}
      returning d.id
    ), set_aside as (
      update event_deliveries d
      set lease_until = null,
        due_at = greatest(due.earlier_due_at, ${leaseUntil}) + interval '1 millisecond'
      from due
      where d.account_id = ${accountId}
        and d.id = any (array(select id from due where earlier_due_at is not null))
        and d.id = due.id and d.due_at is not distinct from due.due_at
    )
    select id, subscriber_id as "subscriberId", event_id as "eventId", message_id as "messageId",
      sequence, attempts, attempts_before as "attemptsBefore",
      id in (select id from claimed) as "isClaimed"
    from due cross join (select set_config('synchronous_commit', 'off', true)) as unhurried`)
}

/** Gives claims back unused, so that another process need not wait for the lease to end. */
export async function releaseDeliveries(
  db: Queryable,
  accountId: AccountId,
  ids: readonly string[],
  leases: readonly Date[],
  now: Date,
): Promise<void> {
  await db.query(sql`
    update event_deliveries set lease_until = null, due_at = ${now}
    where account_id = ${accountId} and id = any (${ids}::text[])
      and lease_until = any (${leases}::timestamptz[])`)
}

/**
 * Deliveries that have arrived, as a piece of a longer statement with $1 account and $2 now. `ids` and
 * `leases` name its parameters: a lease that another process has taken over is none of these.
 */
export function deliveredPiece(ids: string, leases: string): string {
  return `
    delivered as (
      update event_deliveries d
      set state = 'delivered', due_at = null, lease_until = null, attempts = d.attempts + 1,
        finished_at = $2
      where d.account_id = $1 and d.id = any (${ids}::text[])
        and d.lease_until = any (${leases}::timestamptz[])
      returning d.id
    )`
}

/**
 * The same for those that have not. The source has the columns id, subscriber_id, lease_until and
 * due_at: when to try again, or null where every try is used up.
 */
export function undeliveredPiece(source: string): string {
  return `
    undelivered as (
      update event_deliveries d
      set state = case when o.due_at is null then 'failed' when s.is_enabled then 'pending'
          else 'held' end,
        due_at = case when s.is_enabled then o.due_at end, lease_until = null,
        attempts = d.attempts + 1, finished_at = case when o.due_at is null then $2::timestamptz end
      from ${source} o
      left join event_subscriptions s on s.account_id = $1 and s.subscriber_id = o.subscriber_id
      where d.account_id = $1 and d.id = any (array(select id from ${source})) and d.id = o.id
        and d.lease_until = o.lease_until
      returning d.id
    )`
}

export interface FinishedEvent {
  subscriberId: string
  messageId: string
  sequence: number
}

/**
 * The next event of each message may go now. Comes after the commit of what finished the earlier
 * one, and not with it: an event that appears in between would see the earlier one unfinished, and
 * be set aside unseen. Returns the subscribers that have something due by this.
 */
export async function wakeLaterDeliveries(
  db: Queryable,
  accountId: AccountId,
  finished: readonly FinishedEvent[],
  now: Date,
): Promise<string[]> {
  // A microsecond off, so that no comparison with a former due_at can succeed: these are whole
  // milliseconds.
  const rows = await db.query<{ subscriberId: string }>(sql`
    update event_deliveries d set due_at = ${now}::timestamptz - interval '1 microsecond'
    where d.account_id = ${accountId} and d.state = 'pending' and d.lease_until is null
      and d.id = any (array(
        select later.id
        from unnest(${plainArray(finished.map((f) => f.subscriberId))}::text[],
          ${plainArray(finished.map((f) => f.messageId))}::text[],
          ${plainArray(finished.map((f) => f.sequence))}::smallint[]) as f (subscriber_id, message_id, sequence)
        cross join lateral (
          select q.id from event_deliveries q
          where q.account_id = ${accountId} and q.subscriber_id = f.subscriber_id
            and q.message_id = f.message_id and q.sequence > f.sequence and q.state = 'pending'
          order by q.sequence limit 1) later))
    returning d.subscriber_id as "subscriberId"`)
  return [...new Set(rows.map((row) => row.subscriberId))]
}

/** Nothing is sent to a subscriber that is disabled or gone: what is pending is paused, in portions. */
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

/** A delivery outside the fan-out: an event for one subscriber alone. Returns its id. */
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

/** One more round, with every try before it. False for one that is being sent at this moment. */
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
  return rows.length > 0
}

/** A portion, oldest first, of what was held or has failed since the id floor. Returns how many. */
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
