// Usage and cost by day and campaign, from counters and their pending changes.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { piece, sql } from '../../kit/postgres/sql.js'
import { CHANGED_SUMS, findHorizon, messageFloor } from './sum-queries.js'
import { splitSpan, type TimeRange, type UsageBucket } from './summed-span.js'

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
  const horizon = await findHorizon(db, accountId)
  const { days, hours, counted, messages } = splitSpan({ from: since, to: until }, horizon, 'day')
  const parts = [
    ...days.map((range) => sumsOf(accountId, 'day', range)),
    ...hours.map((range) => sumsOf(accountId, 'hour', range)),
    ...counted.map((range) => changesOf(accountId, range)),
    ...messages.map((range) => messagesOf(accountId, range)),
  ]
  return db.query<UsageRow>(sql`
    select to_char(start at time zone 'UTC', 'YYYY-MM-DD') as date, campaign_id as "campaignId",
      sum(messages)::int as messages, sum(segments)::int as segments, sum(cost)::bigint as "costMicros"
    from (${parts.reduce((all, part) => piece`${all} union all ${part}`)}) as parts
    group by 1, 2 having sum(messages) <> 0 order by 1 desc, 2`)
}

function sumsOf(accountId: AccountId, unit: UsageBucket, { from, to }: TimeRange) {
  return piece`select start, campaign_id, messages, segments, cost_micros as cost from usage_sums
    where account_id = ${accountId} and unit = ${unit} and start >= ${from} and start < ${to}`
}

function changesOf(accountId: AccountId, { from, to }: TimeRange) {
  return piece`select m.start, m.campaign_id, ${CHANGED_SUMS} from usage_changes m
    where m.account_id = ${accountId} and m.direction = 'OUTBOUND'
      and m.message_id >= ${messageFloor(from)} and m.message_id < ${messageFloor(to)}`
}

function messagesOf(accountId: AccountId, { from, to }: TimeRange) {
  return piece`select date_bin('1 day', created_at, timestamptz 'epoch') as start, campaign_id,
      count(*) as messages, sum(num_segments) as segments,
      coalesce(sum(price_micros) filter (where not is_refunded), 0) as cost
    from messages
    where account_id = ${accountId} and direction = 'OUTBOUND'
      and id >= ${messageFloor(from)} and id < ${messageFloor(to)}
    group by 1, 2`
}
