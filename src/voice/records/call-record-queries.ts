// Every statement on the tables of call records: the records, and the number of calls forwarded today.

import type { AccountId } from '../../accounts/account.js'
import type { Page } from '../../kit/contract/schema.js'
import { idFloor } from '../../kit/ids.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { acrossAccounts, pageAcross, raw, sql, unprepared } from '../../kit/postgres/sql.js'
import type { CallRecord } from './call-record.js'

const COLUMNS = raw(`id, account_id as "accountId", phone_number as "phoneNumber", trunk,
  call_id as "callId", outcome, caller, price_micros as "priceMicros"`)

/** Until the end of the transaction, no other process records calls of the account. */
export async function lockCalls(tx: Transaction, accountId: AccountId, day: string): Promise<void> {
  await tx.query(sql`
    insert into call_accounts as known (account_id, day, forwarded)
    values (${accountId}, ${day}::date, 0)
    on conflict (account_id) do update set day = greatest(known.day, excluded.day),
      forwarded = case when known.day < excluded.day then 0 else known.forwarded end`)
}

/** Calls of the account with one of these numbers and Call-IDs, from an id on. */
export async function findRecorded(
  tx: Transaction,
  accountId: AccountId,
  calls: readonly Pick<CallRecord, 'phoneNumber' | 'callId'>[],
  floorId: string,
): Promise<Pick<CallRecord, 'id' | 'phoneNumber' | 'callId'>[]> {
  return tx.query(sql`
    select id, phone_number as "phoneNumber", call_id as "callId" from call_records
    where account_id = ${accountId} and id >= ${floorId}
      and phone_number = any (${calls.map((call) => call.phoneNumber)}::text[])
      and call_id = any (${calls.map((call) => call.callId)}::text[])`)
}

/** All of one account. */
export async function insertRecords(
  tx: Transaction,
  accountId: AccountId,
  records: readonly CallRecord[],
): Promise<void> {
  await tx.query(sql`
    insert into call_records (account_id, id, phone_number, trunk, call_id, outcome, caller,
      price_micros)
    select own.account_id, called.* from unnest(${records.map((r) => r.id)}::text[],
      ${records.map((r) => r.phoneNumber)}::text[], ${records.map((r) => r.trunk)}::text[],
      ${records.map((r) => r.callId)}::text[], ${records.map((r) => r.outcome)}::text[],
      ${records.map((r) => r.caller)}::text[], ${records.map((r) => r.priceMicros)}::bigint[])
      as called (id, phone_number, trunk, call_id, outcome, caller, price_micros)
    cross join (select account_id from accounts where account_id = ${accountId}) own`)
}

/** Returns the count of that day so far. The row is locked: see lockCalls. */
export async function addForwarded(
  tx: Transaction,
  accountId: AccountId,
  count: number,
): Promise<number> {
  const [row] = await tx.query<{ forwarded: number }>(sql`
    update call_accounts set forwarded = forwarded + ${count}
    where account_id = ${accountId} returning forwarded`)
  return row?.forwarded ?? count
}

/** Returns the sums of that day. */
export async function addTrunkCalls(
  db: Queryable,
  day: string,
  counts: readonly { trunk: string; forwarded: number }[],
): Promise<{ trunk: string; forwarded: number }[]> {
  return db.query(sql`
    insert into trunk_calls as known (trunk, day, forwarded)
    select trunk, ${day}::date, forwarded
    from unnest(${counts.map((one) => one.trunk)}::text[],
      ${counts.map((one) => one.forwarded)}::int[]) as counted (trunk, forwarded)
    order by trunk
    on conflict (trunk, day) do update set forwarded = known.forwarded + excluded.forwarded
    returning trunk, forwarded`)
}

export interface CallFilter {
  accountId: string | null
  phoneNumber: string | null
  trunk: string | null
  callId: string | null
  since: Date | null
  until: Date | null
}

/** Newest first, one more than the page size. A plain read across accounts; each filter has an index. */
export async function searchCalls(
  db: Queryable,
  { accountId, phoneNumber, trunk, callId, since, until }: CallFilter,
  page: Page,
): Promise<CallRecord[]> {
  const statementOf = (limit: number, skip: number) => sql`
    select ${COLUMNS} from call_records
    where (${accountId}::text is null or account_id = ${accountId})
      and (${phoneNumber}::text is null or phone_number = ${phoneNumber})
      and (${trunk}::text is null or trunk = ${trunk})
      and (${callId}::text is null or call_id = ${callId})
      and (${since}::timestamptz is null or id >= ${since && idFloor('cal', since)})
      and (${until}::timestamptz is null or id < ${until && idFloor('cal', until)})
      and (${page.after}::text is null or id < ${page.after})
    order by id desc limit ${limit} offset ${skip}`
  const across = { order: ['id'], isDescending: true, bigints: ['priceMicros'] }
  return db.query<CallRecord>(unprepared(pageAcross(statementOf, page, across)))
}

/** Accounts with records, or with callers in them, from before this time. A plain read across accounts. */
export async function listOldRecords(
  db: Queryable,
  before: Date,
  what: 'records' | 'callers',
): Promise<{ accountId: AccountId }[]> {
  const floorId = idFloor('cal', before)
  const statement =
    what === 'records'
      ? sql`select distinct account_id as "accountId" from call_records where id < ${floorId}`
      : sql`select distinct account_id as "accountId" from call_records
          where id < ${floorId} and caller is not null`
  return db.query(acrossAccounts(statement))
}

/** Handles one batch. Returns its size. */
export async function deleteOldRecords(
  db: Queryable,
  accountId: AccountId,
  before: Date,
  limit: number,
): Promise<number> {
  const rows = await db.query(sql`
    delete from call_records where account_id = ${accountId} and id = any (array(
      select id from call_records
      where account_id = ${accountId} and id < ${idFloor('cal', before)}
      order by id limit ${limit}))
    returning 1`)
  return rows.length
}

/** Handles one batch. Returns its size. */
export async function eraseOldCallers(
  db: Queryable,
  accountId: AccountId,
  before: Date,
  limit: number,
): Promise<number> {
  const rows = await db.query(sql`
    update call_records set caller = null where account_id = ${accountId} and id = any (array(
      select id from call_records
      where account_id = ${accountId} and id < ${idFloor('cal', before)} and caller is not null
      order by id limit ${limit}))
    returning 1`)
  return rows.length
}

export async function deleteOldTrunkCalls(db: Queryable, before: string): Promise<void> {
  await db.query(sql`delete from trunk_calls where day < ${before}::date`)
}
