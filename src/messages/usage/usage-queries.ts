// What was sent and what it cost, by day and campaign: from sums, and what is not summed yet from the messages.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { piece, sql } from '../../kit/postgres/sql.js'
import { findSummedUntil, messageFloor } from './sum-queries.js'
import { type Bucket, type Range, splitSpan } from './summed-span.js'

export interface UsageRow {
  /** 2026-11-15, UTC */
  date: string
  campaignId: string
  messages: number
  segments: number
  costMicros: bigint
}

/** Sent messages of the days from `since` until before `until`, newest day first. */
export async function sumUsage(
  db: Queryable,
  accountId: AccountId,
  since: Date,
  until: Date,
): Promise<UsageRow[]> {
  const summedUntil = await findSummedUntil(db, accountId)
  const { days, hours, messages } = splitSpan({ from: since, to: until }, summedUntil, 'day')
  const rest = messages[1]
  // Days begin with an hour, so nothing is left before the first of them.
  return db.query<UsageRow>(sql`
    select to_char(start at time zone 'UTC', 'YYYY-MM-DD') as date, campaign_id as "campaignId",
      sum(messages)::int as messages, sum(segments)::int as segments, sum(cost)::bigint as "costMicros"
    from (
      ${sumsOf(accountId, 'day', days)} union all
      ${sumsOf(accountId, 'hour', hours[0])} union all
      ${sumsOf(accountId, 'hour', hours[1])} union all
      select start, campaign_id, 0, 0, -refunded_micros from usage_changes
      where account_id = ${accountId} and message_id >= ${messageFloor(hours[0].from)}
        and message_id < ${messageFloor(hours[1].to)} and refunded_micros > 0
      union all
      select date_bin('1 day', created_at, timestamptz 'epoch'), campaign_id, count(*), sum(num_segments),
        coalesce(sum(price_micros) filter (where not is_refunded), 0)
      from messages
      where account_id = ${accountId} and direction = 'OUTBOUND'
        and id >= ${messageFloor(rest.from)} and id < ${messageFloor(rest.to)}
      group by 1, 2
    ) as parts
    group by 1, 2 order by 1 desc, 2`)
}

function sumsOf(accountId: AccountId, unit: Bucket, { from, to }: Range) {
  return piece`select start, campaign_id, messages, segments, cost_micros as cost from usage_sums
    where account_id = ${accountId} and unit = ${unit} and start >= ${from} and start < ${to}`
}
