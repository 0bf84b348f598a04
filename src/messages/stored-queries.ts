// Every statement on stored_counts: how many messages an account stores, by the day they were created. Accepted and received messages are
// added with the other counters, within seconds. Until then they are counted from the pending changes. What retention deletes is counted
// in the statement that deletes it. So the number is exact, and never needs a count of messages.

import type { AccountId } from '../accounts/account.js'
import { ownRow } from '../accounts/account-queries.js'
import type { Queryable } from '../kit/postgres/db.js'
import { acrossAccounts, piece, raw, sql } from '../kit/postgres/sql.js'

const ADD = raw(`on conflict (account_id, day) do update
      set added = stored_counts.added + excluded.added, removed = stored_counts.removed + excluded.removed`)

/** For the statement that adds changes to the counters, which has them as `alike`. */
export function storedPiece(accountId: AccountId, hasStored: boolean) {
  return piece`stored as (
      insert into stored_counts (account_id, day, added, removed)
      select own.account_id, (start at time zone 'UTC')::date, sum(count), 0
      from alike cross join ${ownRow(accountId)}
      where ${hasStored}::boolean and from_status is null
      group by 1, 2 order by 2 ${ADD}
    )`
}

/** For a statement that deletes messages, which has the `day` of each as `gone`. */
export function removedPiece(accountId: AccountId) {
  return piece`counted as (
      insert into stored_counts (account_id, day, added, removed)
      select own.account_id, day, 0, count(*)
      from gone cross join ${ownRow(accountId)}
      group by 1, 2 order by 2 ${ADD}
    )`
}

/** What stored_counts should have before the changes are added. Reads all messages of an account. Under the lock of its progress. */
export async function fillStored(db: Queryable, accountId: AccountId): Promise<void> {
  await db.query(sql`
    with c as (
      select (created_at at time zone 'UTC')::date as day, count(*) as count
      from messages where account_id = ${accountId} group by 1
      union all
      select (start at time zone 'UTC')::date, -sum(count) from usage_changes
      where account_id = ${accountId} and from_status is null group by 1
      union all
      select day, removed from stored_counts where account_id = ${accountId}
    ), filled as (
      insert into stored_counts (account_id, day, added, removed)
      select own.account_id, day, sum(count), 0 from c cross join ${ownRow(accountId)}
      group by 1, 2 order by 2
      on conflict (account_id, day) do update set added = excluded.added
    )
    update usage_progress set has_stored = true where account_id = ${accountId}`)
}

/** Those of the accounts that have such days. A plain read across accounts. */
export async function listStoredBefore(
  db: Queryable,
  accounts: readonly AccountId[],
  before: Date,
): Promise<AccountId[]> {
  const statement = sql`
    select distinct account_id as "accountId" from stored_counts
    where account_id = any (${accounts}::text[])
      and day < (${before}::timestamptz at time zone 'UTC')::date`
  const rows = await db.query<{ accountId: AccountId }>(acrossAccounts(statement))
  return rows.map(({ accountId }) => accountId)
}

/** Days whose messages were deleted with their partition. */
export async function deleteStoredBefore(
  db: Queryable,
  accountId: AccountId,
  before: Date,
): Promise<void> {
  await db.query(sql`
    delete from stored_counts
    where account_id = ${accountId} and day < (${before}::timestamptz at time zone 'UTC')::date`)
}

export interface MessageTotals {
  /** QUEUED or SCHEDULED. */
  queued: number
  /** Null for some hours after an upgrade, until they are counted. */
  stored: number | null
}

/** From counters and pending changes, in one snapshot. An account has few rows of each. */
export async function findMessageTotals(
  db: Queryable,
  accountId: AccountId,
): Promise<MessageTotals> {
  const [row] = await db.query<MessageTotals>(sql`
    select (o.count + c.queued)::float8 as queued,
      case when p.has_stored then (s.count + c.added)::float8 end as stored
    from (select coalesce(sum(count), 0) as count from open_counts
        where account_id = ${accountId} and status in ('QUEUED', 'SCHEDULED')) o
      cross join (select coalesce(sum(added - removed), 0) as count from stored_counts
        where account_id = ${accountId}) s
      cross join (select coalesce(sum(count) filter (where from_status is null), 0) as added,
          coalesce(sum(count) filter (where to_status in ('QUEUED', 'SCHEDULED')), 0)
            - coalesce(sum(count) filter (where from_status in ('QUEUED', 'SCHEDULED')), 0) as queued
        from usage_changes where account_id = ${accountId}) c
      cross join (select coalesce(bool_and(has_stored), true) as has_stored from usage_progress
        where account_id = ${accountId}) p`)
  return row!
}
