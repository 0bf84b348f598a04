// Counts messages in a time range: by hour or day, by status, and by carrier or campaign. Whole days and hours come
// from counters. Only the partial hours at both ends come from the messages, and only if there are few.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { NOTHING, piece, raw, sql } from '../../kit/postgres/sql.js'
import { CARRIER, NO_STEP, SIGNED_CHANGES, STEP } from '../moves/counter-queries.js'
import type { CountedMessages, StatsSpan } from './stats.js'
import { findHorizon, type Horizon, messageFloor } from './sum-queries.js'
import {
  BUCKET_MS,
  type SplitSpan,
  splitSpan,
  type TimeRange,
  type UsageBucket,
} from './summed-span.js'

type Piece = ReturnType<typeof piece>

const NO_KEY = raw(`''`)
/** Of messages, and of sums. */
const KEYS = {
  status: [NO_KEY, NO_KEY],
  carrier: [raw(CARRIER), raw('m.carrier')],
  campaign: [raw('m.campaign_id'), raw('m.campaign_id')],
} as const

/**
 * Counts come from totals, by bucket. Delivery-time steps are many rows and are needed only for the whole range, so
 * they come from counters by day, and by hour at its ends. There may be many campaigns, so buckets are split by
 * carrier only, and the response has a bounded size.
 */
export async function countMessages(
  db: Queryable,
  accountId: AccountId,
  span: StatsSpan,
): Promise<CountedMessages> {
  const horizon = await findHorizon(db, accountId)
  const { counted, messages } = splitSpan(span, horizon, span.bucket)
  const uncounted = [
    ...messages.map((range) => countsOfMessages(accountId, span, range)),
    ...counted.map((range) => countsOfChanges(accountId, span, range)),
  ]
  const bucketKey = span.by === 'carrier' ? raw('key') : NO_KEY
  const rows = await db.query<CountedRow>(sql`
    with uncounted as materialized (${unionOf(uncounted)}), counted as materialized (
      select start, key, direction, status, error_code, sum(count) as count
      from (
        select start, key, direction, status, error_code, count from uncounted
        union all ${totalsOf(accountId, span, horizon)}
      ) as counts
      group by 1, 2, 3, 4, 5 having sum(count) <> 0
    ), steps as (
      select key, step, count from uncounted where step <> ${NO_STEP}
      union all ${timesOf(accountId, span, horizon)}
    )
    select 'bucket' as part, date_part('epoch', start) * 1000 as "startMs", ${bucketKey} as key, direction,
      status, null::int as "errorCode", null::int as step, sum(count)::float8 as count
    from counted group by start, 3, direction, status
    union all
    select 'group', null, key, direction, status, nullif(error_code, 0), null, sum(count)::float8
    from counted group by key, direction, status, error_code
    union all
    select 'time', null, key, null, null, null, step, sum(count)::float8
    from steps group by key, step having sum(count) <> 0`)
  return {
    inBuckets: rows.filter(isOf('bucket')),
    inGroups: rows.filter(isOf('group')),
    times: rows.filter(isOf('time')),
  }
}

/** Plain rows: putting thousands of them into one JSON value costs the database more than finding them. */
type CountedRow =
  | ({ part: 'bucket' } & CountedMessages['inBuckets'][number])
  | ({ part: 'group' } & CountedMessages['inGroups'][number])
  | ({ part: 'time' } & CountedMessages['times'][number])

function isOf<Part extends CountedRow['part']>(part: Part) {
  return (row: CountedRow): row is Extract<CountedRow, { part: Part }> => row.part === part
}

function unionOf(parts: readonly Piece[]): Piece {
  return parts.reduce((all, part) => piece`${all} union all ${part}`)
}

/** At most this many messages of a partial hour are counted one by one. */
const EDGE_MAX = 10_000

/**
 * The counted range: a partial hour is counted exactly if it has few messages, and otherwise as a whole hour.
 * Nothing is created after `now`, so the last hour has no part that would be left out.
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

async function hasMany(db: Queryable, accountId: AccountId, range: TimeRange): Promise<boolean> {
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

function totalsOf(accountId: AccountId, span: StatsSpan, horizon: Horizon): Piece {
  const table = raw(horizon.hasTotals ? 'usage_totals' : 'usage_counts')
  const columns = piece`${startOf(span, 'start')} as start, ${KEYS[span.by][1]} as key, m.direction, m.status,
      m.error_code, m.count`
  return counters(accountId, span, splitSpan(span, horizon, span.bucket), (rows) => {
    return piece`select ${columns} from ${table} m where ${rows}`
  })
}

function timesOf(accountId: AccountId, span: StatsSpan, horizon: Horizon): Piece {
  return counters(accountId, span, splitSpan(span, horizon, 'day'), (rows) => {
    return piece`select ${KEYS[span.by][1]} as key, m.step, m.count from usage_counts m
      where ${rows} and m.step <> ${NO_STEP}`
  })
}

/** A select for each range of counters by day and by hour. */
function counters(
  accountId: AccountId,
  span: StatsSpan,
  { days, hours }: SplitSpan,
  select: (rows: Piece) => Piece,
): Piece {
  const rowsOf = (unit: UsageBucket, { from, to }: TimeRange) =>
    piece`m.account_id = ${accountId} and m.unit = ${unit} and m.start >= ${from} and m.start < ${to}
      ${ofCampaign(span)}`
  return unionOf([
    ...days.map((range) => select(rowsOf('day', range))),
    ...hours.map((range) => select(rowsOf('hour', range))),
  ])
}

function countsOfMessages(accountId: AccountId, span: StatsSpan, { from, to }: TimeRange): Piece {
  return piece`select ${startOf(span, 'created_at')} as start, ${KEYS[span.by][0]} as key, m.direction,
      m.status, coalesce(m.error_code, 0) as error_code, ${raw(STEP)} as step, count(*) as count
    from messages m
    where m.account_id = ${accountId} and m.id >= ${messageFloor(from)} and m.id < ${messageFloor(to)}
      ${ofCampaign(span)}
    group by 1, 2, 3, 4, 5, 6`
}

/** Each moves counts from one place to another, or adds some. */
function countsOfChanges(accountId: AccountId, span: StatsSpan, { from, to }: TimeRange): Piece {
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
