// Counters of an account's messages by hour and by day. Every statement that writes or moves messages says in
// usage_changes what it changes of them; here these rows are added, and each hour is checked once, when it is well over.
// At every moment the counters, with the changes that are not added yet, are what counting the messages would give.

import type { AccountId } from '../../accounts/account.js'
import { LIVING_ACCOUNTS } from '../../accounts/account-queries.js'
import { idFloor } from '../../kit/ids.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { acrossAccounts, piece, raw, sql } from '../../kit/postgres/sql.js'
import { CARRIER, HOUR, SIGNED_CHANGES, STEP } from '../moves/counter-queries.js'

const EPOCH = new Date(0)

/** All messages before the one time are counted and checked; so are, when they are written, all from the other on. */
export interface Horizon {
  summedUntil: Date
  countedFrom: Date
}

/** From when on messages are counted as they are written: the same for all accounts, and never changed. */
async function findCountedFrom(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ countedFrom: Date }>(sql`
    select counted_from as "countedFrom" from usage_mark where only_row`)
  return row!.countedFrom
}

export async function findHorizon(db: Queryable, accountId: AccountId): Promise<Horizon> {
  const countedFrom = await findCountedFrom(db)
  return { summedUntil: await findSummedUntil(db, accountId), countedFrom }
}

/**
 * All messages of the account that were created before are counted, and checked: what is older may be deleted,
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

/** Accounts with changes to be added, in order of their ids: those of so many rows. */
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

/** Whether there are messages before `until` that are not checked, or changes that are not added. */
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

export interface Progress extends Horizon {
  begunAt: Date
  /** Whether open_counts has the messages that were there before it. */
  isOpenCounted: boolean
}

/** Locked until the transaction ends: one process at a time adds to an account's counters. */
export async function lockProgress(
  tx: Transaction,
  accountId: AccountId,
  now: Date,
): Promise<Progress> {
  const countedFrom = await findCountedFrom(tx)
  const isNew = countedFrom.getTime() <= EPOCH.getTime()
  await tx.query(sql`
    insert into usage_progress (account_id, begun_at, summed_until, is_open_counted)
    values (${accountId}, ${now}, ${EPOCH}, ${isNew}) on conflict (account_id) do nothing`)
  const [row] = await tx.query<Omit<Progress, 'countedFrom'>>(sql`
    select begun_at as "begunAt", summed_until as "summedUntil", is_open_counted as "isOpenCounted"
    from usage_progress where account_id = ${accountId} for update`)
  return { ...row!, countedFrom }
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

/** Adds the rows of a relation to the counters, by hour and by day. */
const countPieces = (accountId: AccountId, counts: 'c', sums: 's') => piece`
    counted as (
      insert into usage_counts
        (account_id, unit, start, campaign_id, carrier, direction, status, error_code, step, count)
      select own.account_id, u.unit, ${START}, campaign_id, carrier, direction, status, error_code, step,
        sum(count)
      from ${raw(counts)} c cross join ${UNITS} cross join ${ownRow(accountId)}
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9 having sum(count) <> 0
      ${ADD_COUNTS}
    ), summed as (
      insert into usage_sums (account_id, unit, start, campaign_id, messages, segments, cost_micros)
      select own.account_id, u.unit, ${START}, campaign_id, sum(messages), sum(segments), sum(cost)
      from ${raw(sums)} c cross join ${UNITS} cross join ${ownRow(accountId)}
      group by 1, 2, 3, 4 having sum(messages) <> 0 or sum(segments) <> 0 or sum(cost) <> 0
      ${ADD_SUMS}
    )`

/** What a row of usage_changes `m` means for sums: only what was accepted is a message more. */
export const CHANGED_SUMS = raw(`
  case when m.from_status is null and m.direction = 'OUTBOUND' then m.count else 0 end as messages,
  case when m.direction = 'OUTBOUND' then m.segments else 0 end as segments, -m.refunded_micros as cost`)

/** Counters of a span of hours against its messages: what would have to be added to be right. */
function differencePieces(accountId: AccountId, from: Date, until: Date) {
  const ofMessages = piece`m.account_id = ${accountId} and m.id >= ${messageFloor(from)}
        and m.id < ${messageFloor(until)}`
  const ofHours = piece`m.account_id = ${accountId} and m.unit = 'hour' and m.start >= ${from}
        and m.start < ${until}`
  const ofChanges = piece`m.account_id = ${accountId} and m.message_id >= ${messageFloor(from)}
        and m.message_id < ${messageFloor(until)}`
  return piece`real as materialized (
      select ${raw(HOUR)} as start, m.campaign_id, ${raw(CARRIER)} as carrier, m.direction, m.status,
        coalesce(m.error_code, 0) as error_code, ${raw(STEP)} as step, count(*) as count,
        sum(m.num_segments) as segments,
        coalesce(sum(m.price_micros) filter (where not m.is_refunded), 0) as cost
      from messages m where ${ofMessages}
      group by 1, 2, 3, 4, 5, 6, 7
    ), c as materialized (
      select start, campaign_id, carrier, direction, status, error_code, step, sum(count) as count
      from (
        select start, campaign_id, carrier, direction, status, error_code, step, count from real
        union all
        select start, campaign_id, carrier, direction, status, error_code, step, -count
        from usage_counts m where ${ofHours}
        union all
        select m.start, m.campaign_id, m.carrier, m.direction, c.status, c.error_code, c.step, -c.count
        from usage_changes m ${raw(SIGNED_CHANGES)} where ${ofChanges} and c.status is not null
      ) parts
      group by 1, 2, 3, 4, 5, 6, 7 having sum(count) <> 0
    ), s as materialized (
      select start, campaign_id, sum(messages) as messages, sum(segments) as segments, sum(cost) as cost
      from (
        select start, campaign_id, count as messages, segments, cost from real
        where direction = 'OUTBOUND'
        union all
        select start, campaign_id, -messages, -segments, -cost_micros from usage_sums m where ${ofHours}
        union all
        select start, campaign_id, -messages, -segments, -cost from (
          select m.start, m.campaign_id, ${CHANGED_SUMS} from usage_changes m where ${ofChanges}) changes
      ) parts
      group by 1, 2 having sum(messages) <> 0 or sum(segments) <> 0 or sum(cost) <> 0
    )`
}

/** How many counters of a span of hours are not what counting its messages gives. */
export async function countDifferences(
  db: Queryable,
  accountId: AccountId,
  from: Date,
  until: Date,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    with ${differencePieces(accountId, from, until)}
    select ((select count(*) from c) + (select count(*) from s))::int as count`)
  return row!.count
}

/**
 * Makes the counters of a span of hours what counting its messages gives, and says how many were not. In one statement,
 * hence one snapshot: changes that it does not see belong to moves that it does not see either. Under the lock.
 */
export async function correctCounts(
  tx: Transaction,
  accountId: AccountId,
  from: Date,
  until: Date,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    with ${differencePieces(accountId, from, until)}, ${countPieces(accountId, 'c', 's')}, done as (
      update usage_progress set summed_until = ${until} where account_id = ${accountId}
    )
    select ((select count(*) from c) + (select count(*) from s))::int as count`)
  return row!.count
}

/** Adds a portion of the changes to the counters, and says how many rows it was. Under the lock. */
export async function addChanges(
  tx: Transaction,
  accountId: AccountId,
  { summedUntil, countedFrom, isOpenCounted }: Progress,
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
    ), c as (
      select m.start, m.campaign_id, m.carrier, m.route, m.direction, c.status, c.error_code, c.step, c.count
      from gone m ${raw(SIGNED_CHANGES)} where c.status is not null
    ), s as (
      select m.start, m.campaign_id, ${CHANGED_SUMS} from gone m
    ), ${countPieces(accountId, 'c', 's')}, opened as (
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

/** Not sent yet. What comes in is DELIVERED from the start. */
const IS_OPEN = `status in ('QUEUED', 'SCHEDULED')`

/** What open_counts should have before the changes are added. Takes as long as reading all of an account's messages. */
export async function countOpen(tx: Transaction, accountId: AccountId): Promise<void> {
  await tx.query(sql`
    with c as (
      select campaign_id, route, status, count(*) as count from messages
      where account_id = ${accountId} and ${raw(IS_OPEN)} group by 1, 2, 3
      union all
      select m.campaign_id, m.route, c.status, -c.count
      from usage_changes m ${raw(SIGNED_CHANGES)}
      where m.account_id = ${accountId} and m.route is not null and ${raw(`c.${IS_OPEN}`)}
    ), opened as (
      insert into open_counts (account_id, campaign_id, route, status, count)
      select own.account_id, campaign_id, route, status, sum(count)
      from c cross join ${ownRow(accountId)} group by 1, 2, 3, 4 having sum(count) <> 0
    )
    update usage_progress set is_open_counted = true where account_id = ${accountId}`)
}

// As in accounts/own-row-queries.ts: it tells that all rows go to one place.
function ownRow(accountId: AccountId) {
  return piece`(select account_id from accounts where account_id = ${accountId}) own`
}

/** No id is older than the epoch: an earlier time bounds nothing. */
export function messageFloor(moment: Date): string {
  return idFloor('msg', new Date(Math.max(0, moment.getTime())))
}
