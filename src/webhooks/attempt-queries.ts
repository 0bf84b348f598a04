// Every statement on the webhook_attempts table. An attempt is recorded together with the new state of its
// delivery, in one statement per batch of an account. A delivery that succeeded at the first attempt has no row here.

import type { AccountId } from '../accounts/account.js'
import {
  type DeliveredEventRecord,
  recordDeliveredEvents,
} from '../events/queue/delivered-event-queries.js'
import {
  type DirectResult,
  directOf,
  queueDirectDeliveries,
  recordDirectDeliveries,
} from '../events/queue/delivery-batch-queries.js'
import { deliveredPiece, undeliveredPiece } from '../events/queue/delivery-outcome-queries.js'
import type { DirectBatch } from '../events/queue/direct-deliveries.js'
import type { Queryable } from '../kit/postgres/db.js'
import { binaryTextArray, plainArray, textArray, timeArray } from '../kit/postgres/pg-array.js'
import {
  composed,
  OWN_FROM,
  parametersOf,
  relation,
  unnested,
  valuesOf,
} from '../kit/postgres/pieces.js'
import { raw, sql } from '../kit/postgres/sql.js'
import { TENANT_ROW } from '../kit/tenant-queries.js'

export interface Attempt {
  deliveryId: string
  /** 1, 2, 3 … */
  attempt: number
  at: Date
  /** As sent. Only the first attempt stores it, because every later one sends the same. Null once redacted. */
  requestBody: string | null
  /** The other parts of the request that cannot be computed, see sent-request.ts. Null once redacted. */
  requestHead: string | null
  /** Null if there was no response. */
  responseStatus: number | null
  durationMs: number
  /** The first KiB. */
  responseBody: string | null
  error: string | null
}

export interface AttemptRecord extends Omit<Attempt, 'requestBody'> {
  requestBody: string | Buffer | null
  /**
   * What is stored of the request if the first attempt succeeded, see delivered-events.ts. Null if that is
   * not possible.
   */
  request: string | null
  webhookId: string
  eventId: string
  messageId: string | null
  leaseUntil: Date
  /** Null: it is in the queue. */
  batch: DirectBatch | null
  /** pending: retried at `dueAt`. */
  state: 'delivered' | 'pending' | 'failed'
  dueAt: Date | null
}

const ATTEMPTS = {
  id: 'text[]',
  attempt: 'integer[]',
  at_ms: 'bigint[]',
  status: 'smallint[]',
  duration_ms: 'integer[]',
  error: 'text[]',
  request: 'text[]',
  head: 'text[]',
  response: 'text[]',
} as const
const DELIVERED = { ids: 'text[]', leases: 'timestamptz[]' } as const
const FAILURES = {
  id: 'text[]',
  subscriber_id: 'text[]',
  lease_until: 'timestamptz[]',
  due_at: 'timestamptz[]',
} as const

// In this order: the last ones are present only if something was not delivered.
const attempts = parametersOf(ATTEMPTS)
const DELIVERED_FROM = OWN_FROM + Object.keys(ATTEMPTS).length
const delivered = deliveredPiece(parametersOf(DELIVERED, DELIVERED_FROM))
const failures = parametersOf(FAILURES, DELIVERED_FROM + Object.keys(DELIVERED).length)

// An attempt whose lease another process has reclaimed is not recorded. That process records its own.
const insert = (recorded: string) => `
  recorded as (
    insert into webhook_attempts (account_id, delivery_id, attempt, at, response_status, duration_ms,
      error, request_body, request_head, response_body)
    select own.account_id, id, attempt, to_timestamp(at_ms / 1000.0::float8), status, duration_ms, error, request,
      head, response
    from ${unnested(attempts, 'o')} cross join ${TENANT_ROW}
    where o.id in (${recorded})
  ) select 1`

const RECORD_DELIVERED = `
  with ${delivered}, ${insert('select id from delivered')}`

const RECORD = `
  with failure as (
    select * from ${unnested(failures, 'f')}
  ), ${delivered}, ${undeliveredPiece(relation<keyof typeof FAILURES>('failure'))}, ${insert('select id from delivered union all select id from undelivered')}`

export async function recordAttempts(
  db: Queryable,
  accountId: AccountId,
  records: readonly AttemptRecord[],
  now: Date,
): Promise<void> {
  const isDeliveredFirst = ({ state, attempt, request }: AttemptRecord) =>
    state === 'delivered' && attempt === 1 && request !== null
  const direct: DirectResult[] = []
  const queued: DeliveredEventRecord[] = []
  const others: AttemptRecord[] = []
  for (const record of records) {
    const { batch, messageId } = record
    if (!isDeliveredFirst(record)) others.push(record)
    else if (batch === null) queued.push(record)
    else direct.push({ ...record, batch, messageId: messageId! })
  }
  await Promise.all([
    direct.length > 0 && recordDirectDeliveries(db, accountId, direct, now),
    queued.length > 0 && recordDeliveredEvents(db, accountId, queued, now),
    others.length > 0 && recordOthers(db, accountId, others, now),
  ])
}

async function recordOthers(
  db: Queryable,
  accountId: AccountId,
  records: readonly AttemptRecord[],
  now: Date,
): Promise<void> {
  const direct = directOf(records)
  if (direct.length > 0) await queueDirectDeliveries(db, accountId, direct, now, true)
  const succeeded = records.filter((r) => r.state === 'delivered')
  const undelivered = records.filter((r) => r.state !== 'delivered')
  const text = undelivered.length === 0 ? RECORD_DELIVERED : RECORD
  const leases = [...new Set(succeeded.map((r) => r.leaseUntil.getTime()))]
  const values: unknown[] = [
    accountId,
    now,
    ...valuesOf(ATTEMPTS, {
      id: plainArray(records.map((r) => r.deliveryId)),
      attempt: plainArray(records.map((r) => r.attempt)),
      at_ms: plainArray(records.map((r) => r.at.getTime())),
      status: plainArray(records.map((r) => r.responseStatus)),
      duration_ms: plainArray(records.map((r) => r.durationMs)),
      error: textArray(records.map((r) => r.error)),
      request: binaryTextArray(records.map((r) => r.requestBody)),
      head: binaryTextArray(records.map((r) => r.requestHead)),
      response: binaryTextArray(records.map((r) => r.responseBody)),
    }),
    ...valuesOf(DELIVERED, {
      ids: plainArray(succeeded.map((r) => r.deliveryId)),
      leases: timeArray(leases.map((ms) => new Date(ms))),
    }),
  ]
  if (undelivered.length > 0) {
    values.push(
      ...valuesOf(FAILURES, {
        id: plainArray(undelivered.map((r) => r.deliveryId)),
        subscriber_id: plainArray(undelivered.map((r) => r.webhookId)),
        lease_until: timeArray(undelivered.map((r) => r.leaseUntil)),
        due_at: timeArray(undelivered.map((r) => r.dueAt)),
      }),
    )
  }
  await db.query(composed(text, values))
}

const COLUMNS = raw(`delivery_id as "deliveryId", attempt, at, request_body as "requestBody",
  request_head as "requestHead", response_status as "responseStatus", duration_ms as "durationMs",
  response_body as "responseBody", error`)

/** Oldest first within each delivery, without the first if it is in the delivery's own row. */
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

/** What was sent before, by delivery, because a retry sends the same bytes. */
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

/** Bounded, and found by the primary key, because the time is in the delivery's ID. */
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
