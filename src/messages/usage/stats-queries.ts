// Messages of a span of time, counted: by hour or day, by status, and by carrier or campaign. The time is
// in the ids, so only the messages of the span are read, and once.

import type { AccountId } from '../../accounts/account.js'
import { idFloor } from '../../kit/ids.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { NOTHING, piece, raw, sql } from '../../kit/postgres/sql.js'
import { carrierOf, ROUTES } from '../lane.js'
import { type CountedMessages, STEPS_PER_E, type StatsSpan } from './stats.js'

const CARRIER = ROUTES.map((route) => `when '${route}' then '${carrierOf(route)}'`).join(' ')
const NO_KEY = raw(`''`)
const KEYS = {
  status: NO_KEY,
  carrier: raw(`case route ${CARRIER} end`),
  campaign: raw('campaign_id'),
}

/**
 * How long the carrier took is known of what is DELIVERED and not yet read, for updated_at is then its
 * receipt's; and not where the receipt came before our own record of the submit, which then has its time.
 */
const TOOK_STEP =
  raw(`case when direction = 'OUTBOUND' and status = 'DELIVERED' and updated_at > sent_at
  then round(ln(date_part('epoch', updated_at - sent_at)) * ${STEPS_PER_E})::int end`)

/**
 * Messages are counted in one go, in every way that matters, and the few rows of that are then added up: a
 * third of the time of going over the messages once for each. Campaigns may be many, so buckets are
 * split by carrier only, and the answer stays of a bounded size.
 */
export async function countMessages(
  db: Queryable,
  accountId: AccountId,
  { from, to, bucket, by, campaignId }: StatsSpan,
): Promise<CountedMessages> {
  const bucketKey = by === 'carrier' ? raw('key') : NO_KEY
  const [row] = await db.query<CountedMessages>(sql`
    with counted as materialized (
      select date_bin(${`1 ${bucket}`}::interval, created_at, timestamptz 'epoch') as start,
        ${KEYS[by]} as key, direction, status, error_code, ${TOOK_STEP} as step, count(*) as count
      from messages
      where account_id = ${accountId} and id >= ${floorOf(from)} and id < ${floorOf(to)}
        ${campaignId === null ? NOTHING : piece`and campaign_id = ${campaignId}`}
      group by 1, 2, 3, 4, 5, 6
    ), in_buckets as (
      select start, ${bucketKey} as key, direction, status, sum(count) as count
      from counted group by 1, 2, 3, 4
    ), in_groups as (
      select key, direction, status, error_code as "errorCode", sum(count) as count
      from counted group by 1, 2, 3, 4
    ), times as (
      select key, step, sum(count) as count from counted where step is not null group by 1, 2
    )
    select coalesce((select jsonb_agg(b) from in_buckets b), '[]') as "inBuckets",
      coalesce((select jsonb_agg(g) from in_groups g), '[]') as "inGroups",
      coalesce((select jsonb_agg(t) from times t), '[]') as times`)
  return row!
}

// No id is older than the epoch: an earlier time bounds nothing.
function floorOf(moment: Date): string {
  return idFloor('msg', new Date(Math.max(0, moment.getTime())))
}
