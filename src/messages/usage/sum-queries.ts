// Sums of an account's messages by hour and by day, kept in the background: whole hours that are well over, in order,
// each once. What moves later is in usage_changes, by the statement that moves it, and is added here. At every
// moment the sums, with the changes that are not added yet, are what counting the messages would give.

import type { AccountId } from '../../accounts/account.js'
import { LIVING_ACCOUNTS } from '../../accounts/account-queries.js'
import { idFloor } from '../../kit/ids.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { acrossAccounts, piece, raw, sql } from '../../kit/postgres/sql.js'
import { CARRIER, HOUR, STEP } from '../moves/late-move-queries.js'

const EPOCH = new Date(0)

/**
 * All messages of the account that were created before are summed, and none after: what is older may be deleted,
 * and is still counted. The epoch where none are.
 */
export async function findSummedUntil(db: Queryable, accountId: AccountId): Promise<Date> {
  const [row] = await db.query<{ summedUntil: Date }>(sql`
    select summed_until as "summedUntil" from usage_progress where account_id = ${accountId}`)
  return row?.summedUntil ?? EPOCH
}

/** In order of their ids, all of them. */
export async function listLivingAccounts(
  db: Queryable,
  after: AccountId,
  limit: number,
): Promise<AccountId[]> {
  const rows = await db.query<{ accountId: AccountId }>(livingAfter(after, limit))
  return rows.map((row) => row.accountId)
}

/** The same of those that can be reached. */
export async function listReachedAccounts(
  db: Queryable,
  after: AccountId,
  limit: number,
): Promise<AccountId[]> {
  const across = acrossAccounts(livingAfter(after, limit), { order: ['accountId'], limit })
  const rows = await db.query<{ accountId: AccountId }>(across)
  return rows.map((row) => row.accountId)
}

function livingAfter(after: AccountId, limit: number) {
  return sql`
    select account_id as "accountId" from ${LIVING_ACCOUNTS} a where account_id > ${after}
    order by account_id limit ${limit}`
}

/** Whether there are messages before `until` that are not summed, or changes that are not added. */
export async function isToBeSummed(
  db: Queryable,
  accountId: AccountId,
  until: Date,
): Promise<boolean> {
  const floor = messageFloor(await findSummedUntil(db, accountId))
  const rows = await db.query(sql`
    (select 1 from messages where account_id = ${accountId} and id >= ${floor}
      and id < ${messageFloor(until)} order by id limit 1)
    union all
    (select 1 from usage_changes where account_id = ${accountId} and message_id < ${floor} limit 1)`)
  return rows.length > 0
}

export interface Progress {
  begunAt: Date
  summedUntil: Date
}

/** Locked until the transaction ends: one process at a time sums an account. */
export async function lockProgress(
  tx: Transaction,
  accountId: AccountId,
  now: Date,
): Promise<Progress> {
  await tx.query(sql`
    insert into usage_progress (account_id, begun_at, summed_until)
    values (${accountId}, ${now}, ${EPOCH}) on conflict (account_id) do nothing`)
  const [row] = await tx.query<Progress>(sql`
    select begun_at as "begunAt", summed_until as "summedUntil" from usage_progress
    where account_id = ${accountId} for update`)
  return row!
}

/** When the oldest message of the span was created; null where there is none. */
export async function findFirstCreated(
  db: Queryable,
  accountId: AccountId,
  from: Date,
  until: Date,
): Promise<Date | null> {
  const [row] = await db.query<{ createdAt: Date }>(sql`
    select created_at as "createdAt" from messages
    where account_id = ${accountId} and id >= ${messageFloor(from)} and id < ${messageFloor(until)}
    order by id limit 1`)
  return row?.createdAt ?? null
}

const UNITS = raw(
  `(values ('hour', interval '1 hour'), ('day', interval '1 day')) as u (unit, size)`,
)
const START = raw(`date_bin(u.size, c.start, timestamptz 'epoch')`)
const ADD_COUNTS = raw(`on conflict
    (account_id, unit, start, campaign_id, carrier, direction, status, error_code, step)
    do update set count = usage_counts.count + excluded.count`)
const ADD_SUMS = raw(`on conflict (account_id, unit, start, campaign_id)
    do update set messages = usage_sums.messages + excluded.messages,
      segments = usage_sums.segments + excluded.segments,
      cost_micros = usage_sums.cost_micros + excluded.cost_micros`)

/**
 * Sums the messages of the span, which follows on what is summed and ends with an hour. Under the lock. Changes of
 * these messages that are known by now are in the count already.
 */
export async function sumMessages(
  tx: Transaction,
  accountId: AccountId,
  from: Date,
  until: Date,
): Promise<void> {
  await tx.query(sql`
    with c as materialized (
      select ${raw(HOUR)} as start, m.campaign_id, ${raw(CARRIER)} as carrier, m.direction, m.status,
        coalesce(m.error_code, 0) as error_code, ${raw(STEP)} as step, count(*) as count,
        sum(m.num_segments) as segments,
        coalesce(sum(m.price_micros) filter (where not m.is_refunded), 0) as cost
      from messages m
      where m.account_id = ${accountId} and m.id >= ${messageFloor(from)} and m.id < ${messageFloor(until)}
      group by 1, 2, 3, 4, 5, 6, 7
    ), known as (
      delete from usage_changes where account_id = ${accountId}
        and message_id >= ${messageFloor(from)} and message_id < ${messageFloor(until)}
    ), counted as (
      insert into usage_counts
        (account_id, unit, start, campaign_id, carrier, direction, status, error_code, step, count)
      select own.account_id, u.unit, ${START}, campaign_id, carrier, direction, status, error_code, step,
        sum(count)
      from c cross join ${UNITS} cross join ${ownRow(accountId)} group by 1, 2, 3, 4, 5, 6, 7, 8, 9
      ${ADD_COUNTS}
    ), summed as (
      insert into usage_sums (account_id, unit, start, campaign_id, messages, segments, cost_micros)
      select own.account_id, u.unit, ${START}, campaign_id, sum(count), sum(segments), sum(cost)
      from c cross join ${UNITS} cross join ${ownRow(accountId)} where direction = 'OUTBOUND' group by 1, 2, 3, 4
      ${ADD_SUMS}
    )
    update usage_progress set summed_until = ${until} where account_id = ${accountId}`)
}

/** Adds a portion of what has changed of summed messages, and says how many rows it was. Under the lock. */
export async function addChanges(
  tx: Transaction,
  accountId: AccountId,
  summedUntil: Date,
  limit: number,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    with gone as (
      delete from usage_changes where account_id = ${accountId} and (message_id, sequence) in (
        select message_id, sequence from usage_changes
        where account_id = ${accountId} and message_id < ${messageFloor(summedUntil)}
        order by message_id, sequence limit ${limit})
      returning *
    ), c as (
      select start, campaign_id, carrier, from_status as status, 0 as error_code, from_step as step,
        -count as count from gone
      union all
      select start, campaign_id, carrier, to_status, to_error, to_step, count from gone
    ), counted as (
      insert into usage_counts
        (account_id, unit, start, campaign_id, carrier, direction, status, error_code, step, count)
      select own.account_id, u.unit, ${START}, campaign_id, carrier, 'OUTBOUND', status, error_code, step,
        sum(count)
      from c cross join ${UNITS} cross join ${ownRow(accountId)} group by 1, 2, 3, 4, 5, 7, 8, 9 having sum(count) <> 0
      ${ADD_COUNTS}
    ), summed as (
      insert into usage_sums (account_id, unit, start, campaign_id, messages, segments, cost_micros)
      select own.account_id, u.unit, ${START}, campaign_id, 0, 0, -sum(refunded_micros)
      from gone c cross join ${UNITS} cross join ${ownRow(accountId)} where refunded_micros <> 0 group by 1, 2, 3, 4
      ${ADD_SUMS}
    )
    select count(*)::int as count from gone`)
  return row!.count
}

// As in accounts/own-row-queries.ts: it tells that all rows go to one place.
function ownRow(accountId: AccountId) {
  return piece`(select account_id from accounts where account_id = ${accountId}) own`
}

/** No id is older than the epoch: an earlier time bounds nothing. */
export function messageFloor(moment: Date): string {
  return idFloor('msg', new Date(Math.max(0, moment.getTime())))
}
