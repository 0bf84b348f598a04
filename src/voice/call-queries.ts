// Every statement on the number_calls table: redirected and refused calls of a number by day, under the account that held
// the number at the time.

import type { AccountId } from '../accounts/account.js'
import type { Page } from '../kit/contract/schema.js'
import type { Queryable } from '../kit/postgres/db.js'
import { acrossAccounts, raw, sql } from '../kit/postgres/sql.js'

/** The calls of one number on one day. */
export interface DayCalls {
  /** 2026-11-15 */
  day: string
  redirected: number
  refused: number
  lastCallAt: Date
}

export interface NumberCalls extends DayCalls {
  /** E.164 */
  phoneNumber: string
}

/** Calls not written yet, of a number that an account held at the first call. */
export interface CountedCalls extends NumberCalls {
  accountId: AccountId
}

const COLUMNS = raw(`day::text as day, redirected, refused, last_call_at as "lastCallAt"`)

/** In key order, so two nodes that count the same numbers cannot deadlock. Returns the sums. */
export async function addCalls(
  db: Queryable,
  calls: readonly CountedCalls[],
): Promise<Pick<NumberCalls, 'phoneNumber' | 'day' | 'redirected'>[]> {
  return db.query(sql`
    insert into number_calls as known (account_id, phone_number, day, redirected, refused,
      last_call_at)
    select * from unnest(${calls.map((c) => c.accountId)}::text[],
      ${calls.map((c) => c.phoneNumber)}::text[], ${calls.map((c) => c.day)}::date[],
      ${calls.map((c) => c.redirected)}::int[], ${calls.map((c) => c.refused)}::int[],
      ${calls.map((c) => c.lastCallAt)}::timestamptz[])
      as counted (account_id, phone_number, day, redirected, refused, last_call_at)
    order by account_id, phone_number, day
    on conflict (account_id, phone_number, day) do update set
      redirected = known.redirected + excluded.redirected,
      refused = known.refused + excluded.refused,
      last_call_at = greatest(known.last_call_at, excluded.last_call_at)
    returning phone_number as "phoneNumber", day::text as day, redirected`)
}

/** From a day on, newest first. */
export async function listDays(
  db: Queryable,
  accountId: AccountId,
  phoneNumber: string,
  since: string,
): Promise<DayCalls[]> {
  return db.query<DayCalls>(sql`
    select ${COLUMNS} from number_calls
    where account_id = ${accountId} and phone_number = ${phoneNumber} and day >= ${since}::date
    order by day desc`)
}

/** The last day with calls; null if the number had none under this account. */
export async function findLastDay(
  db: Queryable,
  accountId: AccountId,
  phoneNumber: string,
): Promise<DayCalls | null> {
  const [row] = await db.query<DayCalls>(sql`
    select ${COLUMNS} from number_calls
    where account_id = ${accountId} and phone_number = ${phoneNumber}
    order by day desc limit 1`)
  return row ?? null
}

/** All of an account, by number and day. `after` is a number and a day: `+14155550123 2026-11-15`. */
export async function listCalls(
  db: Queryable,
  accountId: AccountId,
  page: Page,
): Promise<NumberCalls[]> {
  const [phoneNumber = '', day = '0001-01-01'] = page.after?.split(' ') ?? []
  return db.query<NumberCalls>(sql`
    select phone_number as "phoneNumber", ${COLUMNS} from number_calls
    where account_id = ${accountId}
      and (phone_number, number_calls.day) > (${phoneNumber}::text, ${day}::date)
    order by phone_number, number_calls.day limit ${page.limit + 1} offset ${page.skip}`)
}

/** Accounts with days before this one. A plain read across accounts. */
export async function listOldCallers(
  db: Queryable,
  before: string,
): Promise<{ accountId: AccountId }[]> {
  const statement = sql`
    select distinct account_id as "accountId" from number_calls where day < ${before}::date`
  return db.query(acrossAccounts(statement))
}

/** Usually only one day more than the last time, because this runs often. */
export async function deleteOldCalls(
  db: Queryable,
  accountId: AccountId,
  before: string,
): Promise<void> {
  await db.query(sql`
    delete from number_calls where account_id = ${accountId} and day < ${before}::date`)
}
