// Many finished messages at once, with their counters, for tests of rates. Sending them would take minutes: the carriers'
// limits apply to simulated ones, too.

import { newId } from '../src/kit/ids.js'
import type { Queryable } from '../src/kit/postgres/db.js'
import { sql } from '../src/kit/postgres/sql.js'
import type { Route } from '../src/messages/lane.js'
import { foldAccount } from '../src/messages/usage/sum-usage.js'
import type { TestService } from './harness.js'

export interface FinishedMessages {
  campaignId: string
  route: Route
  delivered: number
  failed: number
  errorCode?: number
  /** Default: now. */
  at?: Date
}

export async function addFinished(service: TestService, messages: FinishedMessages): Promise<void> {
  const { db, clock } = service.world
  const { delivered, failed, errorCode = 1370, at = clock.now() } = messages
  await insertAlike(db, service.accountId, messages, { count: delivered, errorCode: 0, at })
  await insertAlike(db, service.accountId, messages, { count: failed, errorCode, at })
  await foldAccount(db, service.accountId, clock.now())
}

interface Alike {
  count: number
  /** 0: delivered. */
  errorCode: number
  at: Date
}

async function insertAlike(
  db: Queryable,
  accountId: string,
  { campaignId, route }: FinishedMessages,
  { count, errorCode, at }: Alike,
): Promise<void> {
  if (count === 0) return
  const ids = Array.from({ length: count }, () => newId('msg', at))
  const status = errorCode === 0 ? 'DELIVERED' : 'FAILED'
  await db.query(sql`
    insert into messages (account_id, id, campaign_id, type, direction, number, peer, body, num_segments,
      price_micros, status, error_code, created_at, updated_at, sent_at, route)
    select ${accountId}, id, ${campaignId}, 'SMS', 'OUTBOUND', '+14155550100', '+14155550101', 'Hello', 1,
      0, ${status}, nullif(${errorCode}::int, 0), ${at}, ${at}, ${at}, ${route}
    from unnest(${ids}::text[]) as id`)
  const carrier = route === 'open' ? 'other' : route.slice(0, 3)
  await db.query(sql`
    insert into usage_changes (account_id, message_id, sequence, start, campaign_id, carrier, from_step,
      to_status, to_error, to_step, count, refunded_micros, route, segments)
    select ${accountId}, ${ids[0]}, 0, date_bin('1 hour', ${at}::timestamptz, timestamptz 'epoch'),
      ${campaignId}, ${carrier}, -32768, ${status}, ${errorCode}, -32768, ${count}, 0, ${route}, ${count}`)
}
