// What was sent and what it cost, by day and campaign: counted from the messages themselves.

import type { AccountId } from '../../accounts/account.js'
import { idFloor } from '../../kit/ids.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'

export interface UsageRow {
  /** 2026-11-15, UTC */
  date: string
  campaignId: string
  messages: number
  segments: number
  costMicros: bigint
}

/**
 * Sent messages of the days from `since` until before `until`, newest day first. The time is in the
 * ids, so only the messages of these days are read.
 */
export async function sumUsage(
  db: Queryable,
  accountId: AccountId,
  since: Date,
  until: Date,
): Promise<UsageRow[]> {
  return db.query<UsageRow>(sql`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as date,
      campaign_id as "campaignId", count(*)::int as messages,
      sum(num_segments)::int as segments,
      coalesce(sum(price_micros) filter (where not is_refunded), 0)::bigint as "costMicros"
    from messages
    where account_id = ${accountId} and direction = 'OUTBOUND'
      and id >= ${idFloor('msg', since)} and id < ${idFloor('msg', until)}
    group by 1, 2 order by 1 desc, 2`)
}
