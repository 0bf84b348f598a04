// The consumer side of the outbox: deliveries that arrived at their first attempt, which are nearly all of them. How it
// went stands in the delivery's own row, which is written then anyway.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { binaryTextArray, plainArray, timeArray } from '../../kit/postgres/pg-array.js'
import { composed, parametersOf, unnested, valuesOf } from '../../kit/postgres/pieces.js'
import { sql } from '../../kit/postgres/sql.js'

export interface ArrivalRecord {
  deliveryId: string
  leaseUntil: Date
  at: Date
  responseStatus: number | null
  durationMs: number
  responseBody: string | null
  /** What the subscriber's room keeps of the request; null once redacted. */
  request: string | null
}

const LEASES = { leases: 'timestamptz[]' } as const
const ARRIVALS = {
  id: 'text[]',
  at_ms: 'bigint[]',
  status: 'smallint[]',
  duration_ms: 'integer[]',
  response: 'text[]',
  request: 'text[]',
} as const
const { leases } = parametersOf(LEASES)
const arrivals = parametersOf(ARRIVALS, 4)

// One that another process has claimed since is not recorded: that one records its own.
const RECORD = `
  update event_deliveries d
  set state = 'delivered', due_at = null, lease_until = null, waits_until = null,
    attempts = d.attempts + 1, finished_at = $2, attempted_at = to_timestamp(o.at_ms / 1000.0::float8),
    response_status = o.status, duration_ms = o.duration_ms, response_body = o.response,
    request = o.request
  from ${unnested(arrivals, 'o')}
  where d.account_id = $1 and d.id = any (${arrivals.id}) and d.id = o.id
    and d.lease_until = any (${leases})`

export async function recordArrivals(
  db: Queryable,
  accountId: AccountId,
  records: readonly ArrivalRecord[],
  now: Date,
): Promise<void> {
  const until = [...new Set(records.map((r) => r.leaseUntil.getTime()))]
  await db.query(
    composed(RECORD, [
      accountId,
      now,
      ...valuesOf(LEASES, { leases: timeArray(until.map((ms) => new Date(ms))) }),
      ...valuesOf(ARRIVALS, {
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

export interface Arrival extends Omit<ArrivalRecord, 'leaseUntil'> {
  subscriberId: string
  eventId: string
  messageId: string | null
}

/** Those of these deliveries that arrived at their first attempt. */
export async function listArrivals(
  db: Queryable,
  accountId: AccountId,
  deliveryIds: readonly string[],
): Promise<Arrival[]> {
  return db.query<Arrival>(sql`
    select id as "deliveryId", subscriber_id as "subscriberId", event_id as "eventId",
      message_id as "messageId", attempted_at as at, response_status as "responseStatus",
      duration_ms as "durationMs", response_body as "responseBody", request
    from event_deliveries
    where account_id = ${accountId} and id = any (${deliveryIds}::text[])
      and attempted_at is not null
    order by id`)
}

/** Removes what was kept of requests. One that is still to be attempted keeps it: every attempt sends the same. */
export async function redactArrivals(
  db: Queryable,
  accountId: AccountId,
  beforeId: string,
): Promise<number> {
  const rows = await db.query(sql`
    update event_deliveries set request = null
    where account_id = ${accountId} and id < ${beforeId} and request is not null
      and state <> 'pending'
    returning 1`)
  return rows.length
}
