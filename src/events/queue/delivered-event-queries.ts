// The consumer side of the outbox: deliveries that succeeded at the first attempt, which are nearly all. They
// move from the queue to their own table, with the result. See docs/decisions/0071.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { binaryTextArray, plainArray, timeArray } from '../../kit/postgres/pg-array.js'
import { composed, parametersOf, unnested, valuesOf } from '../../kit/postgres/pieces.js'
import { raw, sql } from '../../kit/postgres/sql.js'
import { fromTenantRow } from '../../kit/tenant-queries.js'

export interface DeliveredEventRecord {
  deliveryId: string
  leaseUntil: Date
  at: Date
  responseStatus: number | null
  durationMs: number
  responseBody: string | null
  /** The subscriber module's record of the request; null after redaction. */
  request: string | null
}

const LEASES = { leases: 'timestamptz[]' } as const
/** Of first attempts, as parameters. */
export const FIRST_ATTEMPTS = {
  at_ms: 'bigint[]',
  status: 'smallint[]',
  duration_ms: 'integer[]',
  response: 'text[]',
  request: 'text[]',
} as const
const RECORDS = { id: 'text[]', ...FIRST_ATTEMPTS } as const
const { leases } = parametersOf(LEASES)
const parameters = parametersOf(RECORDS, 4)

/** The initial columns of a delivery, in both tables. */
const FIXED = 'id, subscriber_id, event_id, event_type, message_id, sequence, created_at'
/** The result of its first attempt, if that succeeded. */
const FIRST_ATTEMPT = 'attempted_at, response_status, duration_ms, response_body, request'

// If another process has claimed it since, that process records its own result.
const RECORD = `
  with done as (
    delete from event_deliveries d
    where d.account_id = $1 and d.id = any (${parameters.id}) and d.lease_until = any (${leases})
    returning ${FIXED}
  ), delivered as (
    select d.*, to_timestamp(o.at_ms / 1000.0::float8) as attempted_at, o.status as response_status,
      o.duration_ms, o.response as response_body, o.request
    from done d join ${unnested(parameters, 'o')} on o.id = d.id
  ), recorded as (
    insert into event_arrivals (account_id, ${FIXED}, ${FIRST_ATTEMPT}, finished_at)
    select own.account_id, ${FIXED}, ${FIRST_ATTEMPT}, $2 from ${fromTenantRow('delivered')}
  ) select 1`

export async function recordDeliveredEvents(
  db: Queryable,
  accountId: AccountId,
  records: readonly DeliveredEventRecord[],
  now: Date,
): Promise<void> {
  const until = [...new Set(records.map((r) => r.leaseUntil.getTime()))]
  await db.query(
    composed(RECORD, [
      accountId,
      now,
      ...valuesOf(LEASES, { leases: timeArray(until.map((ms) => new Date(ms))) }),
      ...valuesOf(RECORDS, {
        id: plainArray(records.map((r) => r.deliveryId)),
        at_ms: plainArray(records.map((r) => r.at.getTime())),
        status: plainArray(records.map((r) => r.responseStatus)),
        duration_ms: plainArray(records.map((r) => r.durationMs)),
        response: binaryTextArray(records.map((r) => r.responseBody)),
        request: binaryTextArray(records.map((r) => r.request)),
      }),
    ]),
  )
}

export interface DeliveredEvent extends Omit<DeliveredEventRecord, 'leaseUntil'> {
  subscriberId: string
  eventId: string
  messageId: string | null
}

/**
 * Those of these deliveries that succeeded at the first attempt. One that was sent again since is in the
 * queue's table.
 */
export async function listDeliveredEvents(
  db: Queryable,
  accountId: AccountId,
  deliveryIds: readonly string[],
): Promise<DeliveredEvent[]> {
  const columns = raw(`id as "deliveryId", subscriber_id as "subscriberId", event_id as "eventId",
    message_id as "messageId", attempted_at as at, response_status as "responseStatus",
    duration_ms as "durationMs", response_body as "responseBody", request`)
  return db.query<DeliveredEvent>(sql`
    select ${columns} from event_arrivals
    where account_id = ${accountId} and id = any (${deliveryIds}::text[])
    union all
    select ${columns} from event_deliveries
    where account_id = ${accountId} and id = any (${deliveryIds}::text[])
      and attempted_at is not null
    order by "deliveryId"`)
}

const RESTART = `
  with again as (
    delete from event_arrivals where account_id = $1 and id = $3 returning ${FIXED}, ${FIRST_ATTEMPT}
  ), restarted as (
    insert into event_deliveries (account_id, ${FIXED}, ${FIRST_ATTEMPT}, state, due_at, attempts,
      attempts_before)
    select own.account_id, ${FIXED}, ${FIRST_ATTEMPT}, 'pending', $2, 1, 1 from ${fromTenantRow('again')}
  ) select id from again`

/** Returns it to the queue for another round. False if there is none. */
export async function restartDeliveredEvent(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(composed(RESTART, [accountId, now, id]))
  return rows.length > 0
}

/**
 * Removes the stored requests. A delivery with attempts left keeps its request, because every attempt sends
 * the same.
 */
export async function redactDeliveredEvents(
  db: Queryable,
  accountId: AccountId,
  beforeId: string,
): Promise<number> {
  const delivered = await db.query(sql`
    update event_arrivals set request = null
    where account_id = ${accountId} and id < ${beforeId} and request is not null
    returning 1`)
  const sentAgain = await db.query(sql`
    update event_deliveries set request = null
    where account_id = ${accountId} and id < ${beforeId} and request is not null
      and state <> 'pending'
    returning 1`)
  return delivered.length + sentAgain.length
}

/** Bounded, and found by the primary key, because the ID contains the time. */
export async function deleteDeliveredEventsBefore(
  db: Queryable,
  accountId: AccountId,
  beforeId: string,
  limit: number,
): Promise<number> {
  const rows = await db.query(sql`
    delete from event_arrivals where account_id = ${accountId} and id in (
      select id from event_arrivals where account_id = ${accountId} and id < ${beforeId}
      order by id limit ${limit})
    returning 1`)
  return rows.length
}
