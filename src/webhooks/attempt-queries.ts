// Every statement on the webhook_attempts table. One attempt of a delivery is recorded together with
// what becomes of the delivery, in one statement per batch of an account.

import type { AccountId } from '../accounts/account.js'
import { deliveredPiece, undeliveredPiece } from '../events/queue/delivery-outcome-queries.js'
import type { Queryable } from '../kit/postgres/db.js'
import { binaryTextArray, plainArray, textArray, timeArray } from '../kit/postgres/pg-array.js'
import { nameOf, raw, sql } from '../kit/postgres/sql.js'

export interface Attempt {
  deliveryId: string
  /** 1, 2, 3 … */
  attempt: number
  at: Date
  /** As it was sent. Only the first attempt has it: every later one sends the same. */
  requestBody: string | null
  /** Null where no answer came. */
  responseStatus: number | null
  durationMs: number
  /** The first KiB. */
  responseBody: string | null
  error: string | null
}

export interface AttemptRecord extends Omit<Attempt, 'requestBody'> {
  requestBody: string | Buffer | null
  webhookId: string
  leaseUntil: Date
  /** pending: to be tried again at `dueAt`. */
  state: 'delivered' | 'pending' | 'failed'
  dueAt: Date | null
}

// An attempt whose lease another process has reclaimed is not recorded: that one records its own.
const insert = (recorded: string) => `
  insert into webhook_attempts (account_id, delivery_id, attempt, at, response_status, duration_ms,
    error, request_body, response_body)
  select $1, id, attempt, to_timestamp(at_ms / 1000.0::float8), status, duration_ms, error, request,
    response
  from unnest($3::text[], $4::integer[], $5::bigint[], $6::smallint[], $7::integer[], $8::text[],
    $9::text[], $10::text[])
    as o (id, attempt, at_ms, status, duration_ms, error, request, response)
  where o.id in (${recorded})`

const RECORD_DELIVERED = `
  with ${deliveredPiece('$11', '$12')} ${insert('select id from delivered')}`

const RECORD = `
  with failure as (
    select * from unnest($13::text[], $14::text[], $15::timestamptz[], $16::timestamptz[])
      as f (id, subscriber_id, lease_until, due_at)
  ), ${deliveredPiece('$11', '$12')}, ${undeliveredPiece('failure')}
  ${insert('select id from delivered union all select id from undelivered')}`

export async function recordAttempts(
  db: Queryable,
  accountId: AccountId,
  records: readonly AttemptRecord[],
  now: Date,
): Promise<void> {
  const delivered = records.filter((r) => r.state === 'delivered')
  const undelivered = records.filter((r) => r.state !== 'delivered')
  const text = undelivered.length === 0 ? RECORD_DELIVERED : RECORD
  const leases = [...new Set(delivered.map((r) => r.leaseUntil.getTime()))]
  const values: unknown[] = [
    accountId,
    now,
    plainArray(records.map((r) => r.deliveryId)),
    plainArray(records.map((r) => r.attempt)),
    plainArray(records.map((r) => r.at.getTime())),
    plainArray(records.map((r) => r.responseStatus)),
    plainArray(records.map((r) => r.durationMs)),
    textArray(records.map((r) => r.error)),
    binaryTextArray(records.map((r) => r.requestBody)),
    binaryTextArray(records.map((r) => r.responseBody)),
    plainArray(delivered.map((r) => r.deliveryId)),
    timeArray(leases.map((ms) => new Date(ms))),
  ]
  if (undelivered.length > 0) {
    values.push(
      plainArray(undelivered.map((r) => r.deliveryId)),
      plainArray(undelivered.map((r) => r.webhookId)),
      timeArray(undelivered.map((r) => r.leaseUntil)),
      timeArray(undelivered.map((r) => r.dueAt)),
    )
  }
  await db.query({ name: nameOf(text), text, values })
}

const COLUMNS = raw(`delivery_id as "deliveryId", attempt, at, request_body as "requestBody",
  response_status as "responseStatus", duration_ms as "durationMs",
  response_body as "responseBody", error`)

/** Oldest first within each delivery. */
export async function listAttempts(
  db: Queryable,
  accountId: AccountId,
  deliveryIds: readonly string[],
): Promise<Attempt[]> {
  return db.query<Attempt>(sql`
    select ${COLUMNS}
    from webhook_attempts
    where account_id = ${accountId} and delivery_id = any (${deliveryIds}::text[])
    order by delivery_id, attempt`)
}

/** What was sent before, by delivery: a retry sends the same bytes. */
export async function findRequestBodies(
  db: Queryable,
  accountId: AccountId,
  deliveryIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; body: string }>(sql`
    select delivery_id as id, request_body as body from webhook_attempts
    where account_id = ${accountId} and delivery_id = any (${deliveryIds}::text[])
      and request_body is not null`)
  return new Map(rows.map(({ id, body }) => [id, body]))
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
