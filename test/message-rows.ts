// Writes many messages as rows, for tests that only read them.

import { idFloor } from '../src/kit/ids.js'
import { sql } from '../src/kit/postgres/sql.js'
import { type TestService, writesMessages } from './harness.js'

const SUFFIX_LENGTH = 16

export interface Planted {
  campaignId: string
  count: number
  /** Each text ends with the number of its message. */
  body?: string
  /** Default: the test's account. */
  accountId?: string
  /** Of all of them. Default: now. */
  createdAt?: Date
}

/** Delivered messages to numbers from +12025550000 on. Their IDs end with their numbers, from 1. */
export async function plantMessages(service: TestService, planted: Planted): Promise<void> {
  const { world } = service
  writesMessages(world)
  const { campaignId, count, body = 'Hello', accountId = service.accountId } = planted
  const createdAt = planted.createdAt ?? world.clock.now()
  const start = idFloor('msg', createdAt).slice(0, -SUFFIX_LENGTH)
  await world.db.patient.query(sql`
    insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body,
      num_segments, price_micros, status, created_at)
    select ${accountId}, ${start}::text || lpad(i::text, ${SUFFIX_LENGTH}::int, '0'), ${campaignId},
      'SMS', 'OUTBOUND', '+14152004000', '+1202555' || lpad((i % 10000)::text, 4, '0'), 'open',
      ${body}::text || ' ' || i, 1, 7900, 'DELIVERED', ${createdAt}
    from generate_series(1, ${count}::int) i`)
}
