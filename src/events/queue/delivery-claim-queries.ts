// The consumer side of the outbox: who has due deliveries, and how they are claimed. The row is the queue:
// due_at is when the next attempt is due, and lease_until is how long it belongs to a deliverer. The
// statements that append events create the rows.

import type { AccountId } from '../../accounts/account.js'
import type { HintedAccounts } from '../../kit/hints.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { acrossAccounts, raw, sql } from '../../kit/postgres/sql.js'
import { ofAccounts } from '../../kit/postgres/workers/account-queries.js'
import { earlierInFlight, inFlight } from './delivery-batch-queries.js'
import { isReady } from './delivery-lease-queries.js'

export interface SubscriberKey {
  accountId: AccountId
  subscriberId: string
}

/** When the first of its deliveries is due. */
export interface DueSubscriber extends SubscriberKey {
  dueAt: Date
}

/** The recipients of deliveries: webhooks, or SMPP customers, whose subscriber is their token. */
export type SubscriberKind = 'webhook' | 'smpp'

/** One condition for all queries for the deliveries of one kind. */
export const isOfKind = (row: string, kind: SubscriberKind) =>
  raw(`${kind === 'smpp' ? '' : 'not '}starts_with(${row}.subscriber_id, 'tok_')`)

/**
 * The subscribers with something that is due in this period. Crosses accounts, so it only reads. Leases
 * that ended unrecorded are left to the sweep over all subscriptions.
 */
export async function findDueSubscribers(
  db: Queryable,
  kind: SubscriberKind,
  since: Date,
  until: Date,
  accountIds: HintedAccounts = null,
): Promise<DueSubscriber[]> {
  const statement = sql`
    select account_id as "accountId", subscriber_id as "subscriberId", min(due_at) as "dueAt"
    from event_deliveries d
    where due_at at time zone 'UTC' > ${since}::timestamptz at time zone 'UTC'
      and due_at at time zone 'UTC' <= ${until}::timestamptz at time zone 'UTC'
      and due_at is not null and lease_until is null and ${isOfKind('d', kind)} ${ofAccounts(accountIds)}
    group by account_id, subscriber_id`
  return db.query<DueSubscriber>(acrossAccounts(statement, { times: ['dueAt'] }))
}

/**
 * A page of all subscriptions, and whether each has something due: the reliable way to find work, at one
 * index lookup per subscription. Crosses accounts, so it only reads.
 */
export async function listSubscribersWithDue(
  db: Queryable,
  kind: SubscriberKind,
  after: SubscriberKey,
  now: Date,
  limit: number,
): Promise<(SubscriberKey & { isDue: boolean })[]> {
  const statement = sql`
    select s.account_id as "accountId", s.subscriber_id as "subscriberId",
      exists (select 1 from event_deliveries d where d.account_id = s.account_id
        and d.subscriber_id = s.subscriber_id and d.due_at <= ${now}
        and ${isReady('d', now)}) as "isDue"
    from event_subscriptions s
    where (s.account_id, s.subscriber_id) > (${after.accountId}, ${after.subscriberId})
      and ${isOfKind('s', kind)}
    order by s.account_id, s.subscriber_id limit ${limit}`
  return db.query(acrossAccounts(statement, { order: ['accountId', 'subscriberId'], limit }))
}

export interface ClaimedDelivery {
  id: string
  subscriberId: string
  eventId: string
  messageId: string | null
  sequence: number | null
  attempts: number
  attemptsBefore: number
  /** False if it waits for an earlier event of its message, or if another process was faster. */
  isClaimed: boolean
}

/** How long an event waits behind one that is being sent, before it is checked again. */
const WAIT_MS = 2_000

/**
 * Leases due deliveries of some subscribers, up to each one's free slots. A delivery that waits for an
 * earlier event of its message is set aside until that one is done (`wakeLaterDeliveries`) or has its next
 * attempt. It is set aside by waits_until, which is in no index, while the earlier one is due before it.
 * Otherwise it is set aside by due_at, so not every claim has to skip it. An earlier event that was claimed
 * and released is due again, and the later one moves behind it: enough of those in front would block
 * everything else.
 *
 * Setting aside is a compare-and-set on both columns, and nothing is locked before, because `due` and the
 * search for earlier events must see one snapshot. A process that finishes an earlier event after that
 * snapshot changes waits_until of the later one. The comparison then fails, and the later one stays due.
 *
 * The commit does not wait for the disk: if a database crash loses a lease, an event is sent twice at worst.
 * The results of attempts are durable.
 *
 * The planner cannot know how few rows `due` has. Its statistics of a queue may come from a time when it was
 * empty, so it considers every index on due rows free. Hence `any (array(…))`, which makes it look rows up by
 * their key, and comparisons of due_at that no index can serve. The time of the next check is computed in
 * `due`: an update may not compute with columns (tenant-queries.ts).
 */
export async function claimDeliveries(
  db: Queryable,
  accountId: AccountId,
  requests: readonly { subscriberId: string; slots: number }[],
  now: Date,
  leaseUntil: Date,
): Promise<ClaimedDelivery[]> {
  const waitUntil = new Date(now.getTime() + WAIT_MS)
  const subscriberIds = requests.map((w) => w.subscriberId)
  return db.query<ClaimedDelivery>(sql`
    with in_flight as materialized (${inFlight(accountId, subscriberIds)}
    ), due as materialized (
      select d.*, earlier.due_at as earlier_due_at, earlier.due_at < d.due_at as is_behind,
        case when earlier.due_at <= ${now} then earlier.due_at
          else greatest(earlier.due_at, earlier.lease_until, ${leaseUntil}) end
          + interval '1 millisecond' as next_due_at
      from unnest(${subscriberIds}::text[],
        ${requests.map((w) => w.slots)}::int[]) as w (subscriber_id, slots)
      join event_subscriptions s on s.account_id = ${accountId}
        and s.subscriber_id = w.subscriber_id and s.is_enabled
      cross join lateral (
        select q.id, q.subscriber_id, q.event_id, q.message_id, q.sequence, q.due_at, q.waits_until,
          q.attempts, q.attempts_before
        from event_deliveries q
        where q.account_id = ${accountId} and q.subscriber_id = w.subscriber_id
          and q.due_at <= ${now} and ${isReady('q', now)}
        order by q.due_at limit w.slots) d
      left join lateral (
        (select p.sequence, p.due_at, p.lease_until from event_deliveries p
        where d.sequence > 1 and p.account_id = ${accountId}
          and p.subscriber_id = d.subscriber_id and p.message_id = d.message_id
          and p.sequence < d.sequence and p.state = 'pending'
        order by p.sequence desc limit 1)
        union all
        (${earlierInFlight(accountId)})
        order by sequence desc limit 1) earlier on true
    ), claimed as (
      update event_deliveries d set lease_until = ${leaseUntil}
      where d.account_id = ${accountId}
        and d.id = any (array(select id from due where earlier_due_at is null))
        and coalesce(d.due_at <= ${now}, false) and ${isReady('d', now)}
      returning d.id
    ), set_aside as (
      update event_deliveries d set lease_until = null,
        due_at = case when due.is_behind then d.due_at else due.next_due_at end,
        waits_until = case when due.is_behind then ${waitUntil}::timestamptz end
      from due
      where d.account_id = ${accountId}
        and d.id = any (array(select id from due where earlier_due_at is not null))
        and d.id = due.id and d.due_at is not distinct from due.due_at
        and d.waits_until is not distinct from due.waits_until
    )
    select id, subscriber_id as "subscriberId", event_id as "eventId", message_id as "messageId",
      sequence, attempts, attempts_before as "attemptsBefore",
      id in (select id from claimed) as "isClaimed"
    from due cross join (select set_config('synchronous_commit', 'off', true)) as asynchronous_commit`)
}
