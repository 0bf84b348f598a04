// The consumer side of the outbox: deliveries that skip the queue (direct-deliveries.ts) have no rows while they are in progress. A
// row of delivery_batches has the events that one statement leased to one subscriber. Those that are in neither of the two tables of
// deliveries are in progress. The last result deletes the row.

import type { AccountId } from '../../accounts/account.js'
import { idRestOf, numberOfSuffix } from '../../kit/id-queries.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { binaryTextArray, plainArray } from '../../kit/postgres/pg-array.js'
import { composed, parametersOf, unnested, valuesOf } from '../../kit/postgres/pieces.js'
import { acrossAccounts, piece, raw, sql } from '../../kit/postgres/sql.js'
import { fromTenantRow } from '../../kit/tenant-queries.js'
import { deliveryId } from '../append-queries.js'
import { FIRST_ATTEMPTS } from './delivered-event-queries.js'
import type { SubscriberKey } from './delivery-claim-queries.js'
import type { DirectBatch } from './direct-deliveries.js'

/** At a time. A busy process that dies leaves some hundreds, and none should wait for the next sweep. */
const REQUEUED_MAX = 500

const EACH_EVENT = raw('cross join unnest(b.event_ids) as one (event_id)')
const ID = raw(deliveryId('one.event_id', 'b.subscriber_id'))
const isInProgress = (accountId: AccountId | typeof ID) => piece`
    not exists (select 1 from event_arrivals a where a.account_id = ${accountId} and a.id = ${ID})
    and not exists (select 1 from event_deliveries q where q.account_id = ${accountId} and q.id = ${ID})`

/** As a relation with the initial columns of a delivery. */
export function inProgress(accountId: AccountId, subscriberId: string) {
  return piece`(
    select b.account_id, ${ID} as id, b.subscriber_id, e.id as event_id, e.event_type, e.message_id, e.sequence,
      b.created_at, null::timestamptz as finished_at
    from delivery_batches b ${EACH_EVENT}
      join events e on e.account_id = ${accountId} and e.id = one.event_id
    where b.account_id = ${accountId} and b.subscriber_id = ${subscriberId} and ${isInProgress(accountId)}
  ) as in_progress`
}

/** Of all accounts. */
export const EVERY_IN_PROGRESS = piece`
    delivery_batches b ${EACH_EVENT} where ${isInProgress(raw('b.account_id'))}`

/** The relation `in_flight` of a statement: what some subscribers have in batches, maybe recorded since. */
export function inFlight(accountId: AccountId, subscriberIds: readonly string[]) {
  return piece`
      select b.subscriber_id, b.created_at as due_at, b.lease_until, one.event_id,
        ${raw(idRestOf('one.event_id'))} as rest, ${raw(numberOfSuffix('one.event_id'))} as sequence
      from delivery_batches b ${EACH_EVENT}
      where b.account_id = ${accountId} and b.subscriber_id = any (${subscriberIds}::text[])`
}

const REST = raw(idRestOf('d.message_id'))

/** Those of them that a delivery d must wait for. The first condition is hashed, and true for few. */
export function earlierInFlight(accountId: AccountId) {
  return piece`
        select b.sequence, b.due_at, b.lease_until
        from in_flight b cross join lateral (select b.event_id) as one
        where d.sequence > 1 and (d.subscriber_id, ${REST}) in (select subscriber_id, rest from in_flight)
          and b.subscriber_id = d.subscriber_id and b.rest = ${REST} and b.sequence < d.sequence
          and ${isInProgress(accountId)}`
}

/** One of them. */
export interface DirectItem {
  batch: DirectBatch
  eventId: string
  messageId: string
}

/** Those of these deliveries that are in batches. Only status events of messages are. */
export function directOf(
  leased: readonly { batch: DirectBatch | null; eventId: string; messageId: string | null }[],
): DirectItem[] {
  return leased.flatMap(({ batch, eventId, messageId }) =>
    batch === null ? [] : [{ batch, eventId, messageId: messageId! }],
  )
}

export interface DirectResult extends DirectItem {
  at: Date
  responseStatus: number | null
  durationMs: number
  responseBody: string | null
  request: string | null
}

const BATCHES = { held: 'text[]', ended: 'text[]' } as const
const ITEMS = { batch_id: 'text[]', event_id: 'text[]', message_id: 'text[]' } as const
const RESULTS = { ...ITEMS, ...FIRST_ATTEMPTS } as const
const batches = parametersOf(BATCHES)
const results = parametersOf(RESULTS, 5)
const LEASED = { isLeased: 'boolean' } as const
const items = parametersOf(ITEMS, 5)
const { isLeased } = parametersOf(LEASED, 8)

const FIXED = 'id, subscriber_id, event_id, event_type, message_id, sequence, created_at'
const ITEM_COLUMNS = `${deliveryId('o.event_id', 'v.subscriber_id')} as id, v.subscriber_id, o.event_id,
      'message.status' as event_type, o.message_id, ${numberOfSuffix('o.event_id')} as sequence, v.created_at`

// A batch that is gone was taken over when its lease ended, and its results are those of another process.
const VALID = `held as (
    select id, subscriber_id, created_at, lease_until from delivery_batches
    where account_id = $1 and id = any (${batches.held})
    for key share
  ), ended as (
    delete from delivery_batches where account_id = $1 and id = any (${batches.ended})
    returning id, subscriber_id, created_at, lease_until
  ), valid as (
    select * from held union all select * from ended
  )`

const RECORD = `
  with ${VALID}, delivered as (
    select ${ITEM_COLUMNS}, to_timestamp(o.at_ms / 1000.0::float8) as attempted_at, o.status as response_status,
      o.duration_ms, o.response as response_body, o.request
    from ${unnested(results, 'o')} join valid v on v.id = o.batch_id
  ), recorded as (
    insert into event_arrivals (account_id, ${FIXED}, attempted_at, response_status, duration_ms, response_body, request,
      finished_at)
    select own.account_id, ${FIXED}, attempted_at, response_status, duration_ms, response_body, request, $2
    from ${fromTenantRow('delivered')}
  ) select 1`

const QUEUE = `
  with ${VALID}, returned as (
    select ${ITEM_COLUMNS}, case when ${isLeased} then v.lease_until end as lease_until
    from ${unnested(items, 'o')} join valid v on v.id = o.batch_id
  ), queued as (
    insert into event_deliveries (account_id, ${FIXED}, lease_until, state, due_at)
    select own.account_id, ${FIXED}, lease_until, 'pending', $2 from ${fromTenantRow('returned')}
  ) select 1`

/** First attempts that succeeded, which are nearly all. */
export async function recordDirectDeliveries(
  db: Queryable,
  accountId: AccountId,
  done: readonly DirectResult[],
  now: Date,
): Promise<void> {
  await settle(done, (which) =>
    db.query(
      composed(RECORD, [
        accountId,
        now,
        ...valuesOf(BATCHES, which),
        ...valuesOf(RESULTS, {
          ...valuesOfItems(done),
          at_ms: plainArray(done.map(({ at }) => at.getTime())),
          status: plainArray(done.map(({ responseStatus }) => responseStatus)),
          duration_ms: plainArray(done.map(({ durationMs }) => durationMs)),
          response: binaryTextArray(done.map(({ responseBody }) => responseBody)),
          request: binaryTextArray(done.map(({ request }) => request)),
        }),
      ]),
    ),
  )
}

/** They go to the queue: due at this time, or still leased to this process, so their result can be recorded there. */
export async function queueDirectDeliveries(
  db: Queryable,
  accountId: AccountId,
  returned: readonly DirectItem[],
  dueAt: Date,
  isLeased: boolean,
): Promise<void> {
  await settle(returned, (which) =>
    db.query(
      composed(QUEUE, [
        accountId,
        dueAt,
        ...valuesOf(BATCHES, which),
        ...valuesOf(ITEMS, valuesOfItems(returned)),
        ...valuesOf(LEASED, { isLeased }),
      ]),
    ),
  )
}

const valuesOfItems = (of: readonly DirectItem[]) => ({
  batch_id: plainArray(of.map(({ batch }) => batch.id)),
  event_id: plainArray(of.map(({ eventId }) => eventId)),
  message_id: plainArray(of.map(({ messageId }) => messageId)),
})

/** A batch whose last items these are ends with the statement. If that is not known, its lease ends it. */
async function settle(
  of: readonly DirectItem[],
  write: (which: { held: string; ended: string }) => Promise<unknown>,
): Promise<void> {
  const counts = new Map<DirectBatch, number>()
  for (const { batch } of of) counts.set(batch, (counts.get(batch) ?? 0) + 1)
  const [held, ended]: [string[], string[]] = [[], []]
  for (const [batch, count] of counts) (batch.left === count ? ended : held).push(batch.id)
  await write({ held: plainArray(held), ended: plainArray(ended) })
  for (const [batch, count] of counts) batch.left -= count
}

export interface EndedBatch extends SubscriberKey {
  id: string
}

/** A plain read across accounts. */
export async function findEndedBatches(db: Queryable, now: Date): Promise<EndedBatch[]> {
  const statement = sql`
    select account_id as "accountId", id, subscriber_id as "subscriberId", lease_until as "leaseUntil"
    from delivery_batches where lease_until <= ${now} order by lease_until limit ${REQUEUED_MAX}`
  const across = { order: ['leaseUntil'], limit: REQUEUED_MAX }
  return db.query<EndedBatch>(acrossAccounts(statement, across))
}

/**
 * What a process left in progress goes to the queue. The lock comes first, in a separate statement: the next one must see what the
 * holders of the row have recorded.
 */
export async function requeueBatch(
  tx: Transaction,
  { accountId, id }: Omit<EndedBatch, 'subscriberId'>,
  now: Date,
): Promise<void> {
  const locked = await tx.query(sql`
    select 1 from delivery_batches
    where account_id = ${accountId} and id = ${id} and lease_until <= ${now} for update`)
  if (locked.length === 0) return
  // The account is $1, as `fromTenantRow` expects.
  await tx.query(sql`
    with ended as (
      delete from delivery_batches where account_id = ${accountId} and id = ${id}
      returning subscriber_id, event_ids, created_at
    ), missed as (
      select ${ID} as id, b.subscriber_id, e.id as event_id, e.event_type, e.message_id, e.sequence, b.created_at
      from ended b ${EACH_EVENT} join events e on e.account_id = ${accountId} and e.id = one.event_id
      where ${isInProgress(accountId)}
    ), queued as (
      insert into event_deliveries (account_id, ${raw(FIXED)}, state, due_at)
      select own.account_id, ${raw(FIXED)}, 'pending', ${now} from ${raw(fromTenantRow('missed'))}
    ) select 1`)
}
