// How an account's messages ended lately and in the week before, for alerts. Reads only counters, which are a few seconds
// behind.

import type { AccountId } from '../../accounts/account.js'
import { LIVING_ACCOUNTS } from '../../accounts/account-queries.js'
import { DAY_MS, HOUR_MS } from '../../kit/clock.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { acrossAccounts, sql } from '../../kit/postgres/sql.js'
import type { CarrierName } from '../lane.js'

/** Finished messages of a campaign on a carrier, with one result. */
export interface OutcomeCount {
  campaignId: string
  carrier: CarrierName
  /** 0: delivered. */
  errorCode: number
  /** In this hour and the one before. */
  recent: number
  /** In the last 24 hours. */
  day: number
  /** In the week before that. */
  before: number
  /** The first hour of the last 24 that has some. */
  firstAt: Date | null
  firstRecentAt: Date | null
}

/** The largest counts are read first: an account with more combinations has many of them. */
const ROWS_MAX = 5_000
const BEFORE_DAYS = 7

export async function listOutcomes(
  db: Queryable,
  accountId: AccountId,
  now: Date,
): Promise<OutcomeCount[]> {
  const hour = floorTo(now, HOUR_MS)
  const recentFrom = new Date(hour - HOUR_MS)
  const dayFrom = new Date(hour - DAY_MS)
  const beforeUntil = floorTo(dayFrom, DAY_MS)
  const beforeFrom = new Date(beforeUntil - BEFORE_DAYS * DAY_MS)
  return db.query<OutcomeCount>(sql`
    select campaign_id as "campaignId", carrier,
      case when status in ('DELIVERED', 'READ') then 0 else greatest(error_code, 1) end as "errorCode",
      coalesce(sum(count) filter (where unit = 'hour' and start >= ${recentFrom}), 0)::int as recent,
      coalesce(sum(count) filter (where unit = 'hour'), 0)::int as day,
      coalesce(sum(count) filter (where unit = 'day'), 0)::int as before,
      min(start) filter (where unit = 'hour' and count > 0) as "firstAt",
      min(start) filter (where unit = 'hour' and start >= ${recentFrom} and count > 0) as "firstRecentAt"
    from usage_totals
    where account_id = ${accountId} and direction = 'OUTBOUND'
      and status in ('DELIVERED', 'READ', 'FAILED', 'EXPIRED')
      and (unit = 'hour' and start >= ${dayFrom}
        or unit = 'day' and start >= ${beforeFrom} and start < ${new Date(beforeUntil)})
    group by 1, 2, 3 order by 5 desc, 6 desc limit ${ROWS_MAX}`)
}

/** Accounts with messages in the last 24 hours, in order of their IDs. */
export async function listAccountsWithTraffic(
  db: Queryable,
  after: AccountId,
  limit: number,
  now: Date,
): Promise<AccountId[]> {
  const from = new Date(floorTo(now, HOUR_MS) - DAY_MS)
  const statement = sql`
    select a.account_id as "accountId" from ${LIVING_ACCOUNTS} a
    where a.account_id > ${after} and exists (
      select 1 from usage_totals t
      where t.account_id = a.account_id and t.unit = 'hour' and t.start >= ${from})
    order by a.account_id limit ${limit}`
  const across = acrossAccounts(statement, { order: ['accountId'], limit })
  const rows = await db.query<{ accountId: AccountId }>(across)
  return rows.map((row) => row.accountId)
}

function floorTo(moment: Date, sizeMs: number): number {
  return Math.floor(moment.getTime() / sizeMs) * sizeMs
}
