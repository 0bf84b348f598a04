// The consumer side of the outbox: deliveries as records, which customers can see for thirty days, and their
// deletion.

import type { AccountId } from '../../accounts/account.js'
import type { Page } from '../../kit/contract/schema.js'
import { timePrefixOf } from '../../kit/id-queries.js'
import { idFloor, TIME_PREFIX_LENGTH } from '../../kit/ids.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { NOTHING, piece, raw, sql } from '../../kit/postgres/sql.js'
import type { Delivery, DeliveryState } from '../event.js'
import { inProgress } from './delivery-batch-queries.js'

const FIXED = `account_id as "accountId", id, subscriber_id as "subscriberId",
  event_id as "eventId", event_type as "eventType", message_id as "messageId", sequence,
  created_at as "createdAt", finished_at as "finishedAt"`
const COLUMNS = raw(`${FIXED}, state, attempts, attempts_before as "attemptsBefore",
  due_at as "dueAt", lease_until is not null as "isLeased"`)
/** The same for one that succeeded at the first attempt. */
const DELIVERED = raw(`${FIXED}, 'delivered' as state, 1 as attempts, 0 as "attemptsBefore",
  null::timestamptz as "dueAt", false as "isLeased"`)

/** The same for one that skips the queue. */
const IN_PROGRESS = raw(`${FIXED}, 'pending' as state, 0 as attempts, 0 as "attemptsBefore",
  created_at as "dueAt", true as "isLeased"`)

// The indexes on a subscriber's deliveries have only the millisecond of each. Queries use that, and sort rows
// of one millisecond as they are read.
const MOMENT = raw(timePrefixOf('id'))
const NEWEST_FIRST = raw(`order by ${timePrefixOf('id')} desc, id desc`)
const isBefore = (id: string) =>
  piece`and ${MOMENT} <= ${id.slice(0, TIME_PREFIX_LENGTH)} and id < ${id}`

export async function findDelivery(
  db: Queryable,
  accountId: AccountId,
  subscriberId: string,
  id: string,
): Promise<Delivery | null> {
  const [row] = await db.query<Delivery>(sql`
    select ${COLUMNS} from event_deliveries
    where account_id = ${accountId} and id = ${id} and subscriber_id = ${subscriberId}
    union all
    select ${DELIVERED} from event_arrivals
    where account_id = ${accountId} and id = ${id} and subscriber_id = ${subscriberId}
    union all
    select ${IN_PROGRESS} from ${inProgress(accountId, subscriberId)} where id = ${id}`)
  return row ?? null
}

interface OfSubscriber {
  accountId: AccountId
  subscriberId: string
  state: DeliveryState | null
  /** More conditions. */
  range: ReturnType<typeof piece>
}

/**
 * The newest, wherever they are, as a relation. One statement, so a delivery that succeeds meanwhile is in
 * exactly one of the places.
 */
function newestOf({ accountId, subscriberId, state, range }: OfSubscriber, take: number) {
  const which = piece`account_id = ${accountId} and subscriber_id = ${subscriberId} ${range}`
  // The state is part of the text, so the planner can use the index on undelivered rows, which is by ID.
  const ofState = raw(state === null ? '' : `and state = '${state}'`)
  const isNotInTheQueue = state === null || state === 'delivered'
  const arrived = piece`union all
    (select ${DELIVERED} from event_arrivals where ${which} ${NEWEST_FIRST} limit ${take})`
  const underWay = piece`union all
    (select ${IN_PROGRESS} from ${inProgress(accountId, subscriberId)} where true ${range} ${NEWEST_FIRST} limit ${take})`
  return piece`(
    (select ${COLUMNS} from event_deliveries where ${which} ${ofState} ${NEWEST_FIRST} limit ${take})
    ${isNotInTheQueue ? arrived : NOTHING}
    ${state === null || state === 'pending' ? underWay : NOTHING}
  ) as newest`
}

/** Newest first. */
export async function listDeliveries(
  db: Queryable,
  accountId: AccountId,
  subscriberId: string,
  state: DeliveryState | null,
  page: Page,
): Promise<Delivery[]> {
  const range = page.after === null ? piece`` : isBefore(page.after)
  if (state === 'held' || state === 'failed') {
    return db.query<Delivery>(sql`
      select ${COLUMNS} from event_deliveries
      where account_id = ${accountId} and subscriber_id = ${subscriberId} ${range} and state = '${raw(state)}'
      order by id desc limit ${page.limit + 1} offset ${page.skip}`)
  }
  return db.query<Delivery>(sql`
    select * from ${newestOf({ accountId, subscriberId, state, range }, page.skip + page.limit + 1)}
    order by id desc limit ${page.limit + 1} offset ${page.skip}`)
}

/** A range that PostgreSQL reads in some tens of milliseconds. */
export const MESSAGE_REACH = 10_000
/** An event is appended with the move that it reports. */
const MARGIN_MS = 60_000

/** A message's lifetime, as far as deliveries are concerned. */
export interface MessageLife {
  id: string
  createdAt: Date
  updatedAt: Date | null
}

/**
 * Deliveries of one message's events, newest first. There is deliberately no index for this: every event
 * would have to write it. The ID contains the time, so only deliveries from the message's lifetime are read.
 */
export async function listDeliveriesOf(
  db: Queryable,
  accountId: AccountId,
  subscriberId: string,
  message: MessageLife,
  { state, page }: { state: DeliveryState | null; page: Page },
): Promise<Delivery[]> {
  const lastMs = (message.updatedAt ?? message.createdAt).getTime()
  const until = idFloor('dlv', new Date(lastMs + MARGIN_MS))
  const since = idFloor('dlv', message.createdAt)
  const range = piece`
      and ${MOMENT} >= ${since.slice(0, TIME_PREFIX_LENGTH)} and id >= ${since} ${isBefore(until)}
      ${page.after === null ? NOTHING : isBefore(page.after)}`
  return db.query<Delivery>(sql`
    select * from (
      select * from ${newestOf({ accountId, subscriberId, state: null, range }, MESSAGE_REACH)}
      order by id desc limit ${MESSAGE_REACH}) as looked_at
    where "messageId" = ${message.id} and (${state}::text is null or state = ${state})
    order by id desc limit ${page.limit + 1} offset ${page.skip}`)
}

/** Bounded, and found by the primary key, because the ID contains the time. */
export async function deleteDeliveriesBefore(
  db: Queryable,
  accountId: AccountId,
  beforeId: string,
  limit: number,
): Promise<number> {
  const rows = await db.query(sql`
    delete from event_deliveries where account_id = ${accountId} and id in (
      select id from event_deliveries where account_id = ${accountId} and id < ${beforeId}
      order by id limit ${limit})
    returning 1`)
  return rows.length
}
