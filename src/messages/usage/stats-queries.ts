// Messages of a span of time, counted: by hour or day, by status, and by carrier or campaign. Whole days and hours
// come from counters; only the pieces of hours at both ends come from the messages, and only where they are few.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { NOTHING, piece, raw, sql } from '../../kit/postgres/sql.js'
import { CARRIER, NO_STEP, SIGNED_CHANGES, STEP } from '../moves/counter-queries.js'
import type { CountedMessages, StatsSpan } from './stats.js'
import { findHorizon, messageFloor } from './sum-queries.js'
import { BUCKET_MS, type Bucket, type Range, splitSpan } from './summed-span.js'

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

/** Of a piece of an hour no more messages than this are counted one by one. */
const EDGE_MAX = 10_000

/**
 * The span that is counted: a piece of an hour is counted as it is where it has few messages, and otherwise the hour is
 * counted whole. Nothing is created after `now`, so the last hour has no piece that would be left out.
 */
export async function findCountedSpan(
  db: Queryable,
  accountId: AccountId,
  span: StatsSpan,
  now: Date,
): Promise<StatsSpan> {
  const hour = { before: floorHour(span.from), after: ceilHour(span.to) }
  const head = { from: span.from, to: ceilHour(span.from) }
  const tail = { from: floorHour(span.to), to: span.to }
  return {
    ...span,
    from: (await hasMany(db, accountId, head)) ? hour.before : span.from,
    to: span.to > now || (await hasMany(db, accountId, tail)) ? hour.after : span.to,
  }
}

async function hasMany(db: Queryable, accountId: AccountId, range: Range): Promise<boolean> {
  if (range.from >= range.to) return false
  const rows = await db.query(sql`
    select 1 from messages
    where account_id = ${accountId} and id >= ${messageFloor(range.from)} and id < ${messageFloor(range.to)}
    order by id offset ${EDGE_MAX} limit 1`)
  return rows.length > 0
}

function floorHour(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / BUCKET_MS.hour) * BUCKET_MS.hour)
}

function ceilHour(moment: Date): Date {
  return new Date(Math.ceil(moment.getTime() / BUCKET_MS.hour) * BUCKET_MS.hour)
}

async function everyCount(db: Queryable, accountId: AccountId, span: StatsSpan): Promise<Piece> {
  const horizon = await findHorizon(db, accountId)
  const { days, hours, counted, messages } = splitSpan(span, horizon, span.bucket)
  return [
    ...messages.map((range) => countsOfMessages(accountId, span, range)),
    ...days.map((range) => countsOfSums(accountId, span, 'day', range)),
    ...hours.map((range) => countsOfSums(accountId, span, 'hour', range)),
    ...counted.map((range) => countsOfChanges(accountId, span, range)),
  ].reduce((all, part) => piece`${all} union all ${part}`)
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
  return piece`select ${startOf(span, 'start')} as start, ${KEYS[span.by][1]} as key, m.direction, m.status,
      m.error_code, m.step, m.count
    from usage_counts m
    where m.account_id = ${accountId} and m.unit = ${unit} and m.start >= ${from} and m.start < ${to}
      ${ofCampaign(span)}`
}

/** Each moves some from one count to another, or adds some. */
function countsOfChanges(accountId: AccountId, span: StatsSpan, { from, to }: Range): Piece {
  return piece`select ${startOf(span, 'start')} as start, ${KEYS[span.by][1]} as key, m.direction, c.status,
      c.error_code, c.step, c.count
    from usage_changes m ${raw(SIGNED_CHANGES)}
    where m.account_id = ${accountId} and m.message_id >= ${messageFloor(from)}
      and m.message_id < ${messageFloor(to)} and c.status is not null ${ofCampaign(span)}`
}

function startOf({ bucket }: StatsSpan, column: 'created_at' | 'start') {
  return raw(`date_bin('1 ${bucket}', m.${column}, timestamptz 'epoch')`)
}

function ofCampaign({ campaignId }: StatsSpan) {
  return campaignId === null ? NOTHING : piece`and m.campaign_id = ${campaignId}`
}
