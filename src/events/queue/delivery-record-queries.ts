// The consumer side of the outbox: deliveries as records, what customers see of them for thirty days, and their end.

import type { AccountId } from '../../accounts/account.js'
import type { Page } from '../../kit/contract/schema.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { raw, sql } from '../../kit/postgres/sql.js'
import type { Delivery, DeliveryState } from '../event.js'

const COLUMNS = raw(`account_id as "accountId", id, subscriber_id as "subscriberId",
  event_id as "eventId", event_type as "eventType", message_id as "messageId", sequence, state,
  attempts, attempts_before as "attemptsBefore", due_at as "dueAt", lease_until is not null as "isLeased",
  created_at as "createdAt", finished_at as "finishedAt"`)

export async function findDelivery(
  db: Queryable,
  accountId: AccountId,
  subscriberId: string,
  id: string,
): Promise<Delivery | null> {
  const [row] = await db.query<Delivery>(sql`
    select ${COLUMNS} from event_deliveries
    where account_id = ${accountId} and id = ${id} and subscriber_id = ${subscriberId}`)
  return row ?? null
}

/** Newest first. */
export async function listDeliveries(
  db: Queryable,
  accountId: AccountId,
  subscriberId: string,
  state: DeliveryState | null,
  page: Page,
): Promise<Delivery[]> {
  // The state is part of the text: only then can the planner use the index of the undelivered.
  const ofState = raw(state === null ? '' : `and state = '${state}'`)
  return db.query<Delivery>(sql`
    select ${COLUMNS} from event_deliveries
    where account_id = ${accountId} and subscriber_id = ${subscriberId} ${ofState}
      and (${page.after}::text is null or id < ${page.after})
    order by id desc limit ${page.limit + 1} offset ${page.skip}`)
}

/** Bounded, and found by the primary key: the time is in the id. */
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
