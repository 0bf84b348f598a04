// Daily sums of message charges and refunds, for days that get no more entries. Entries never change, so each
// sum is written once, by whichever process is first.

import type { AccountId } from '../../accounts/account.js'
import { DAY_MS } from '../../kit/clock.js'
import { dayOf } from '../../kit/contract/days.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { piece, sql } from '../../kit/postgres/sql.js'
import { entryFloor, SIGNED } from '../entry-queries.js'
import { MESSAGE_REASONS, type Reason } from '../ledger.js'

/** The days summed in one statement when a long history is summed for the first time. */
const DAYS_AT_ONCE = 10

/** The start of the first day without a sum; the epoch if there is none. */
async function findNextDay(db: Queryable, accountId: AccountId): Promise<Date> {
  const [row] = await db.query<{ day: string }>(sql`
    select day::text from ledger_days where account_id = ${accountId} order by day desc limit 1`)
  return new Date(row ? Date.parse(row.day) + DAY_MS : 0)
}

/**
 * Sums the days before `until`, the start of a day. Correct only if no entry before it is still to be
 * written.
 */
export async function sumDays(db: Queryable, accountId: AccountId, until: Date): Promise<void> {
  for (let from = await findNextDay(db, accountId); from < until; ) {
    const first = await findFirst(db, accountId, from, until)
    if (first === null) return
    const nextMs = (Math.floor(first.getTime() / DAY_MS) + DAYS_AT_ONCE) * DAY_MS
    const next = new Date(Math.min(nextMs, until.getTime()))
    await insertDays(db, accountId, from, next)
    from = next
  }
}

async function findFirst(
  db: Queryable,
  accountId: AccountId,
  from: Date,
  until: Date,
): Promise<Date | null> {
  const [row] = await db.query<{ createdAt: Date }>(sql`
    select t.created_at as "createdAt" from ledger_transfers t
    where ${ofMessages(accountId, from, until)} order by t.id limit 1`)
  return row?.createdAt ?? null
}

async function insertDays(
  db: Queryable,
  accountId: AccountId,
  from: Date,
  until: Date,
): Promise<void> {
  await db.query(sql`
    insert into ledger_days (account_id, day, reason, campaign_id, entries, amount_micros)
    select t.account_id, (t.created_at at time zone 'UTC')::date, t.reason, coalesce(t.campaign_id, ''),
      sum(t.entries), sum(${SIGNED})
    from ledger_transfers t where ${ofMessages(accountId, from, until)}
    group by 1, 2, 3, 4
    on conflict (account_id, day, reason, campaign_id) do nothing`)
}

export interface MessageSum {
  reason: Reason
  campaignId: string | null
  count: number
  amountMicros: bigint
}

/** By campaign: message charges and refunds from the first day until before the other. */
export async function sumMessageEntries(
  db: Queryable,
  accountId: AccountId,
  start: Date,
  end: Date,
): Promise<MessageSum[]> {
  // Days summed from now on are read from the entries, with the same result.
  const next = await findNextDay(db, accountId)
  const live = new Date(Math.min(Math.max(next.getTime(), start.getTime()), end.getTime()))
  return db.query<MessageSum>(sql`
    select reason, nullif(campaign_id, '') as "campaignId", sum(entries)::int as count,
      sum(micros)::bigint as "amountMicros"
    from (
      select reason, campaign_id, entries, amount_micros as micros from ledger_days
      where account_id = ${accountId} and day >= ${dayOf(start)} and day < ${dayOf(live)}
      union all
      select t.reason, coalesce(t.campaign_id, ''), sum(t.entries), sum(${SIGNED})
      from ledger_transfers t where ${ofMessages(accountId, live, end)} group by 1, 2
    ) as days
    group by 1, 2 order by 2, 1`)
}

function ofMessages(accountId: AccountId, from: Date, until: Date) {
  return piece`t.account_id = ${accountId} and t.reason = any (${[...MESSAGE_REASONS]}::text[])
    and t.id >= ${entryFloor(from)} and t.id < ${entryFloor(until)}`
}
