// Messages of a span of time, counted: by hour or day, by status, and by carrier or campaign. Whole days and hours
// come from sums; only what is not summed yet, and the pieces of hours at both ends, from the messages.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { NOTHING, piece, raw, sql } from '../../kit/postgres/sql.js'
import { CARRIER, NO_STEP, STEP } from '../moves/late-move-queries.js'
import type { CountedMessages, StatsSpan } from './stats.js'
import { findSummedUntil, messageFloor } from './sum-queries.js'
import { type Bucket, type Range, splitSpan } from './summed-span.js'

type Piece = ReturnType<typeof piece>

const NO_KEY = raw(`''`)
/** Of messages, and of sums. */
const KEYS = {
  status: [NO_KEY, NO_KEY],
  carrier: [raw(CARRIER), raw('m.carrier')],
  campaign: [raw('m.campaign_id'), raw('m.campaign_id')],
} as const

/**
 * Messages are counted in one go, in every way that matters, and the few rows of that are then added up: a
 * third of the time of going over the messages once for each. Campaigns may be many, so buckets are
 * split by carrier only, and the answer stays of a bounded size.
 */
export async function countMessages(
  db: Queryable,
  accountId: AccountId,
  span: StatsSpan,
): Promise<CountedMessages> {
  const bucketKey = span.by === 'carrier' ? raw('key') : NO_KEY
  const [row] = await db.query<CountedMessages>(sql`
    with counted as materialized (
      select start, key, direction, status, error_code, step, sum(count) as count
      from (${await everyCount(db, accountId, span)}) as counts
      group by 1, 2, 3, 4, 5, 6 having sum(count) <> 0
    ), in_buckets as (
      select start, ${bucketKey} as key, direction, status, sum(count) as count
      from counted group by 1, 2, 3, 4
    ), in_groups as (
      select key, direction, status, nullif(error_code, 0) as "errorCode", sum(count) as count
      from counted group by 1, 2, 3, 4
    ), times as (
      select key, step, sum(count) as count from counted where step <> ${NO_STEP} group by 1, 2
    )
    select coalesce((select jsonb_agg(b) from in_buckets b), '[]') as "inBuckets",
      coalesce((select jsonb_agg(g) from in_groups g), '[]') as "inGroups",
      coalesce((select jsonb_agg(t) from times t), '[]') as times`)
  return row!
}

// All parts stand in every statement, the empty ones too, so that one plan serves all spans.
async function everyCount(db: Queryable, accountId: AccountId, span: StatsSpan): Promise<Piece> {
  const { days, hours, messages } = splitSpan(
    span,
    await findSummedUntil(db, accountId),
    span.bucket,
  )
  const summed = { from: hours[0].from, to: hours[1].to }
  return piece`
    ${countsOfMessages(accountId, span, messages[0])} union all
    ${countsOfMessages(accountId, span, messages[1])} union all
    ${countsOfSums(accountId, span, 'day', days)} union all
    ${countsOfSums(accountId, span, 'hour', hours[0])} union all
    ${countsOfSums(accountId, span, 'hour', hours[1])} union all
    ${countsOfChanges(accountId, span, summed)}`
}

function countsOfMessages(accountId: AccountId, span: StatsSpan, { from, to }: Range): Piece {
  return piece`select ${startOf(span, 'created_at')} as start, ${KEYS[span.by][0]} as key, m.direction,
      m.status, coalesce(m.error_code, 0) as error_code, ${raw(STEP)} as step, count(*) as count
    from messages m
    where m.account_id = ${accountId} and m.id >= ${messageFloor(from)} and m.id < ${messageFloor(to)}
      ${ofCampaign(span)}
    group by 1, 2, 3, 4, 5, 6`
}

function countsOfSums(
  accountId: AccountId,
  span: StatsSpan,
  unit: Bucket,
  { from, to }: Range,
): Piece {
  return piece`select ${startOf(span, 'start')}, ${KEYS[span.by][1]}, m.direction, m.status, m.error_code,
      m.step, m.count
    from usage_counts m
    where m.account_id = ${accountId} and m.unit = ${unit} and m.start >= ${from} and m.start < ${to}
      ${ofCampaign(span)}`
}

/** Each moves some from one count to another. */
function countsOfChanges(accountId: AccountId, span: StatsSpan, { from, to }: Range): Piece {
  return piece`select ${startOf(span, 'start')}, ${KEYS[span.by][1]}, 'OUTBOUND', c.status, c.error_code,
      c.step, c.count
    from usage_changes m
    cross join lateral (values (m.from_status, 0, m.from_step, -m.count),
      (m.to_status, m.to_error, m.to_step, m.count)) as c (status, error_code, step, count)
    where m.account_id = ${accountId} and m.message_id >= ${messageFloor(from)}
      and m.message_id < ${messageFloor(to)} ${ofCampaign(span)}`
}

function startOf({ bucket }: StatsSpan, column: 'created_at' | 'start') {
  return raw(`date_bin('1 ${bucket}', m.${column}, timestamptz 'epoch')`)
}

function ofCampaign({ campaignId }: StatsSpan) {
  return campaignId === null ? NOTHING : piece`and m.campaign_id = ${campaignId}`
}
