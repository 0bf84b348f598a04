// Counters of an account's messages by hour and by day. Every statement that writes or moves messages records the
// change in usage_changes. Here these rows are added to the counters, and correct-queries.ts checks each hour once.
// At any time, the counters plus the pending changes equal a count of the messages.

import type { AccountId } from '../../accounts/account.js'
import { LIVING_ACCOUNTS, ownRow } from '../../accounts/account-queries.js'
import { idFloor } from '../../kit/ids.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { acrossAccounts, piece, raw, sql } from '../../kit/postgres/sql.js'
import { SIGNED_CHANGES } from '../moves/counter-queries.js'
import { storedPiece } from '../stored-queries.js'

const EPOCH = new Date(0)

/**
 * All messages before the first time are counted and checked. All from the second time on are counted when written.
 */
export interface Horizon {
  summedUntil: Date
  countedFrom: Date
  /** Whether usage_totals has all that usage_counts has. */
  hasTotals: boolean
}

interface Mark {
  countedFrom: Date
  totalsFrom: Date
  storedFrom: Date
}

/**
 * From when on messages are counted as they are written, and totals stored: the same for all accounts, and never
 * changed.
 */
async function findMark(db: Queryable): Promise<Mark> {
  const [row] = await db.query<Mark>(sql`
    select counted_from as "countedFrom", totals_from as "totalsFrom", stored_from as "storedFrom"
    from usage_mark where only_row`)
  return row!
}

export async function findHorizon(db: Queryable, accountId: AccountId): Promise<Horizon> {
  const { countedFrom } = await findMark(db)
  const [row] = await db.query<Omit<Horizon, 'countedFrom'>>(sql`
    select summed_until as "summedUntil", has_totals as "hasTotals"
    from usage_progress where account_id = ${accountId}`)
  return { summedUntil: EPOCH, hasTotals: false, ...row, countedFrom }
}

/**
 * All messages of the account created before this time are counted and checked. Older ones may be deleted and are
 * still counted. The epoch if none are.
 */
export async function findSummedUntil(db: Queryable, accountId: AccountId): Promise<Date> {
  const [row] = await db.query<{ summedUntil: Date }>(sql`
    select summed_until as "summedUntil" from usage_progress where account_id = ${accountId}`)
  return row?.summedUntil ?? EPOCH
}

/** All accounts in order of their IDs. */
export async function listLivingAccounts(
  db: Queryable,
  after: AccountId,
  limit: number,
): Promise<AccountId[]> {
  const rows = await db.query<{ accountId: AccountId }>(livingAfter(after, limit))
  return rows.map((row) => row.accountId)
}

/** The same, for those that can be reached. */
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

/** Accounts with pending changes, in order of their IDs, from a bounded number of rows. */
export async function listChangedAccounts(
  db: Queryable,
  after: AccountId,
  rowsMax: number,
): Promise<AccountId[]> {
  const statement = sql`
    select distinct account_id as "accountId" from (
      select account_id from usage_changes where account_id > ${after} order by account_id
      limit ${rowsMax}) changed
    order by 1`
  const rows = await db.query<{ accountId: AccountId }>(
    acrossAccounts(statement, { order: ['accountId'] }),
  )
  return rows.map((row) => row.accountId)
}

/** Whether there are unchecked messages before `until`, or pending changes. */
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

export interface UsageProgress extends Horizon, Mark {
  begunAt: Date
  /** Whether open_counts includes the messages from before it existed. */
  isOpenCounted: boolean
  /** Whether stored_counts does. */
  hasStored: boolean
}

/** Locked until the transaction ends, so one process at a time adds to an account's counters. */
export async function lockProgress(
  tx: Transaction,
  accountId: AccountId,
  now: Date,
): Promise<UsageProgress> {
  const mark = await findMark(tx)
  // An account that was opened after a mark has nothing from before it, so all of it is counted from the start.
  await tx.query(sql`
    insert into usage_progress
      (account_id, begun_at, summed_until, is_open_counted, has_totals, has_stored)
    select account_id, ${now},
      case when created_at >= ${mark.countedFrom} then ${mark.countedFrom}::timestamptz else ${EPOCH} end,
      created_at >= ${mark.countedFrom}, created_at >= ${mark.totalsFrom},
      created_at >= ${mark.countedFrom} and created_at >= ${mark.storedFrom}
    from accounts where account_id = ${accountId}
    on conflict (account_id) do nothing`)
  const [row] = await tx.query<Omit<UsageProgress, keyof Mark>>(sql`
    select begun_at as "begunAt", summed_until as "summedUntil", is_open_counted as "isOpenCounted",
      has_totals as "hasTotals", has_stored as "hasStored"
    from usage_progress where account_id = ${accountId} for update`)
  return { ...row!, ...mark }
}

/** When the oldest message of the range was created. Null if there is none. */
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
const ADD_TOTALS = raw(`on conflict
    (account_id, unit, start, campaign_id, carrier, direction, status, error_code)
    do update set count = usage_totals.count + excluded.count`)
const ADD_SUMS = raw(`on conflict (account_id, unit, start, campaign_id)
    do update set messages = usage_sums.messages + excluded.messages,
      segments = usage_sums.segments + excluded.segments,
      cost_micros = usage_sums.cost_micros + excluded.cost_micros`)

/**
 * Adds the rows of relations to the counters, by hour and by day: `c` with steps, `t` without, `s` sums. Totals
 * only if the account has them.
 */
export const countPieces = (accountId: AccountId, hasTotals: boolean) => piece`
    counted as (
      insert into usage_counts
        (account_id, unit, start, campaign_id, carrier, direction, status, error_code, step, count)
      select own.account_id, u.unit, ${START}, campaign_id, carrier, direction, status, error_code, step,
        sum(count)
      from c cross join ${UNITS} cross join ${ownRow(accountId)}
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9 having sum(count) <> 0
      ${ADD_COUNTS}
    ), totaled as (
      insert into usage_totals
        (account_id, unit, start, campaign_id, carrier, direction, status, error_code, count)
      select own.account_id, u.unit, ${START}, campaign_id, carrier, direction, status, error_code,
        sum(count)
      from t c cross join ${UNITS} cross join ${ownRow(accountId)}
      where ${hasTotals}::boolean
      group by 1, 2, 3, 4, 5, 6, 7, 8 having sum(count) <> 0
      ${ADD_TOTALS}
    ), summed as (
      insert into usage_sums (account_id, unit, start, campaign_id, messages, segments, cost_micros)
      select own.account_id, u.unit, ${START}, campaign_id, sum(messages), sum(segments), sum(cost)
      from s c cross join ${UNITS} cross join ${ownRow(accountId)}
      group by 1, 2, 3, 4 having sum(messages) <> 0 or sum(segments) <> 0 or sum(cost) <> 0
      ${ADD_SUMS}
    )`

/** What a row of usage_changes `m` means for sums: only an accepted message adds a message. */
export const CHANGED_SUMS = raw(`
  case when m.from_status is null and m.direction = 'OUTBOUND' then m.count else 0 end as messages,
  case when m.direction = 'OUTBOUND' then m.segments else 0 end as segments, -m.refunded_micros as cost`)

/** Adds a portion of the changes to the counters, and returns the number of rows. Under the lock. */
export async function addChanges(
  tx: Transaction,
  accountId: AccountId,
  { summedUntil, countedFrom, isOpenCounted, hasTotals, hasStored }: UsageProgress,
  limit: number,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    with gone as (
      delete from usage_changes where account_id = ${accountId} and (message_id, sequence) in (
        select message_id, sequence from usage_changes
        where account_id = ${accountId} and (message_id < ${messageFloor(summedUntil)}
          or message_id >= ${messageFloor(countedFrom)})
        order by message_id, sequence limit ${limit})
      returning *
    ), alike as (
      select start, campaign_id, carrier, route, direction, from_status, from_step, to_status, to_error, to_step,
        sum(count)::bigint as count, sum(segments)::bigint as segments,
        sum(refunded_micros)::bigint as refunded_micros
      from gone group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
    ), c as (
      select m.start, m.campaign_id, m.carrier, m.route, m.direction, c.status, c.error_code, c.step, c.count
      from alike m ${raw(SIGNED_CHANGES)} where c.status is not null
    ), t as (
      select start, campaign_id, carrier, direction, status, error_code, count from c
    ), s as (
      select m.start, m.campaign_id, ${CHANGED_SUMS} from alike m
    ), ${countPieces(accountId, hasTotals)}, ${storedPiece(accountId, hasStored)}, opened as (
      insert into open_counts (account_id, campaign_id, route, status, count)
      select own.account_id, campaign_id, route, status, sum(count)
      from c cross join ${ownRow(accountId)}
      where ${isOpenCounted}::boolean and route is not null and ${raw(IS_OPEN)}
      group by 1, 2, 3, 4 having sum(count) <> 0
      on conflict (account_id, campaign_id, route, status)
      do update set count = open_counts.count + excluded.count
    )
    select count(*)::int as count from gone`)
  return row!.count
}

/** Not sent yet. Inbound messages are DELIVERED from the start. */
export const IS_OPEN = `status in ('QUEUED', 'SCHEDULED')`

/** No ID is older than the epoch, so an earlier time bounds nothing. */
export function messageFloor(moment: Date): string {
  return idFloor('msg', new Date(Math.max(0, moment.getTime())))
}
