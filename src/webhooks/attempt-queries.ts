// Every statement on the webhook_attempts table. One try of a delivery is recorded together with
// what becomes of the delivery, in one statement per batch of an account.

import type { AccountId } from '../accounts/account.js'
import { recordPieces } from '../events/delivery-queries.js'
import type { DeliveryState } from '../events/event.js'
import type { Queryable } from '../kit/db.js'
import { plainArray, textArray, timeArray } from '../kit/pg-array.js'
import { nameOf, sql } from '../kit/sql.js'

export interface Attempt {
  deliveryId: string
  attempt: number
  at: Date
  /** Null where no answer came. */
  responseStatus: number | null
  durationMs: number
  /** The first KiB. */
  responseBody: string | null
  error: string | null
}

export interface AttemptRecord extends Omit<Attempt, 'attempt'> {
  webhookId: string
  /** Where the event is one of a message's statuses. */
  messageId: string | null
  sequence: number | null
  leaseUntil: Date
  state: DeliveryState
  /** When to try again, where it is still pending. */
  dueAt: Date | null
  /** Null where a former try has stored it. */
  requestBody: string | null
}

// The two bodies come as JSON lists: they are long and full of quotes, which an array literal would
// have to escape one by one.
const RECORD = `
  with outcome as (
    select * from rows from (
      unnest($3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::timestamptz[],
        $8::timestamptz[], $9::smallint[], $10::integer[], $11::text[]),
      json_array_elements_text($12::json), json_array_elements_text($13::json))
      as o (id, subscriber_id, lease_until, state, due_at, at, response_status, duration_ms, error,
        request_body, response_body)
  ), ${recordPieces('outcome')}
  insert into webhook_attempts (account_id, delivery_id, attempt, at, response_status,
    duration_ms, response_body, error)
  select $1, r.id, r.attempts, o.at, o.response_status, o.duration_ms, o.response_body, o.error
  from recorded r join outcome o on o.id = r.id`

/** A record whose lease another process has taken over is dropped. */
export async function recordAttempts(
  db: Queryable,
  accountId: AccountId,
  records: readonly AttemptRecord[],
  now: Date,
): Promise<void> {
  await db.query({
    name: nameOf(RECORD),
    text: RECORD,
    values: [
      accountId,
      now,
      plainArray(records.map((r) => r.deliveryId)),
      plainArray(records.map((r) => r.webhookId)),
      timeArray(records.map((r) => r.leaseUntil)),
      plainArray(records.map((r) => r.state)),
      timeArray(records.map((r) => r.dueAt)),
      timeArray(records.map((r) => r.at)),
      plainArray(records.map((r) => r.responseStatus)),
      plainArray(records.map((r) => r.durationMs)),
      textArray(records.map((r) => r.error)),
      JSON.stringify(records.map((r) => r.requestBody)),
      JSON.stringify(records.map((r) => r.responseBody)),
    ],
  })
}

/** Oldest first within each delivery. */
export async function listAttempts(
  db: Queryable,
  accountId: AccountId,
  deliveryIds: readonly string[],
): Promise<Attempt[]> {
  return db.query<Attempt>(sql`
    select delivery_id as "deliveryId", attempt, at, response_status as "responseStatus",
      duration_ms as "durationMs", response_body as "responseBody", error
    from webhook_attempts
    where account_id = ${accountId} and delivery_id = any (${deliveryIds}::text[])
    order by delivery_id, attempt`)
}

/** Bounded, and found by the primary key: the time is in the delivery's id. */
export async function deleteAttemptsBefore(
  db: Queryable,
  accountId: AccountId,
  beforeId: string,
  limit: number,
): Promise<number> {
  const rows = await db.query(sql`
    delete from webhook_attempts where account_id = ${accountId} and (delivery_id, attempt) in (
      select delivery_id, attempt from webhook_attempts
      where account_id = ${accountId} and delivery_id < ${beforeId}
      order by delivery_id, attempt limit ${limit})
    returning 1`)
  return rows.length
}
