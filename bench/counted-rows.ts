// Writes millions of messages in bulk and counts them like the service does, so reports find counters that match the
// rows. The rows are small: a short text, no timeline, no events.

import { idFloor } from '../src/kit/ids.js'
import type { Database } from '../src/kit/postgres/db.js'
import { sql } from '../src/kit/postgres/sql.js'
import { sumAccount } from '../src/messages/usage/sum-usage.js'
import type { Customer } from './stage.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Messages created in the same millisecond, and how many such groups one statement writes. */
const GROUP = 1_000
const GROUPS = 20

export interface Span {
  rows: number
  fromMs: number
  untilMs: number
  /** Waiting in the queue. Otherwise 49 of 50 are DELIVERED and the rest FAILED. */
  isQueued?: boolean
}

/** Spread evenly over the time, over three routes, and over a thousand recipients. */
export async function addMessages(
  db: Database,
  customer: Customer,
  { rows, fromMs, untilMs, isQueued = false }: Span,
): Promise<void> {
  const groups = Math.ceil(rows / GROUP)
  const size = Math.ceil(rows / groups)
  const times = Array.from(
    { length: groups },
    (_, i) => new Date(Math.floor(fromMs + ((untilMs - fromMs) * i) / groups)),
  )
  for (let first = 0; first < groups; first += GROUPS) {
    await addGroups(db, customer, times.slice(first, first + GROUPS), size, isQueued)
  }
}

async function addGroups(
  db: Database,
  { accountId, campaignId }: Customer,
  times: readonly Date[],
  size: number,
  isQueued: boolean,
): Promise<void> {
  const kind = isQueued ? '1' : '0'
  const heads = times.map((time) => idFloor('msg', time).slice(0, 14) + kind)
  await db.patient.query(sql`
    insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body, num_segments,
      price_micros, status, error_code, sequence, attempts, due_at, sent_at, created_at, updated_at)
    select ${accountId}, g.head || lpad(n::text, 15, '0'), ${campaignId}, 'SMS', 'OUTBOUND', '+14155550000',
      '+1415555' || lpad((n * 7 % 5000)::text, 4, '0'), (array['att-sms', 'tmo', 'open'])[1 + n % 3],
      'Your table is ready', 1, 7900,
      case when q.is_queued then 'QUEUED' when n % 50 = 0 then 'FAILED' else 'DELIVERED' end,
      case when not q.is_queued and n % 50 = 0 then 1350 end, 2, 1,
      case when q.is_queued then g.at end, case when not q.is_queued then g.at end, g.at,
      g.at + (n * n % 9000 + 300) * interval '1 ms'
    from unnest(${heads}::text[], ${times}::timestamptz[]) g (head, at)
      cross join (select ${isQueued}::boolean as is_queued) q
      cross join generate_series(1, ${size}::int) n`)
}

/** Lanes of queued messages and counters of all messages, as the service would have written them. */
export async function countRows(
  db: Database,
  { accountId, campaignId }: Customer,
  now: Date,
): Promise<void> {
  await db.query(sql`
    insert into lanes (account_id, campaign_id, route, next_due_at)
    select ${accountId}, ${campaignId}, route, ${now} from unnest(array['att-sms', 'tmo', 'open']) route`)
  await db.query(sql`
    insert into usage_progress (account_id, begun_at, summed_until) values (${accountId}, ${now}, 'epoch')`)
  const end = new Date(Math.ceil(now.getTime() / HOUR_MS) * HOUR_MS)
  await sumAccount(db.patient, accountId, end, new Date(now.getTime() + 2 * DAY_MS))
  await db.patient.query({ name: '', text: 'vacuum analyze', values: [] })
}

/** Webhooks that are due and wait for their first attempt. */
export async function addDeliveries(
  db: Database,
  { accountId, campaignId }: Customer,
  rows: number,
  now: Date,
): Promise<void> {
  await db.query(sql`
    insert into event_subscriptions (account_id, subscriber_id, campaign_id, event_types)
    values (${accountId}, 'whk_bench', ${campaignId}, '{message.status}')`)
  const head = idFloor('dlv', now).slice(0, 14)
  await db.patient.query(sql`
    insert into event_deliveries (account_id, id, subscriber_id, event_id, event_type, state, due_at, created_at)
    select ${accountId}, ${head} || lpad(n::text, 16, '0'), 'whk_bench', 'evt_' || n, 'message.status', 'pending',
      ${now}::timestamptz - n * interval '1 ms', ${now}
    from generate_series(1, ${rows}::int) n`)
}
