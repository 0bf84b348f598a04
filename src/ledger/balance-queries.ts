// The balances of several accounts, for views and metrics across accounts.

import type { AccountId } from '../accounts/account.js'
import type { Queryable } from '../kit/postgres/db.js'
import { acrossAccounts, sql } from '../kit/postgres/sql.js'
import type { Ledger } from './ledger.js'

/** A plain read across accounts. */
export async function findBalances(
  db: Queryable,
  accountIds: readonly AccountId[],
): Promise<Map<AccountId, bigint>> {
  const statement = sql`
    select account_id as "accountId", wallet_micros as balance from account_ledgers
    where account_id = any (${accountIds}::text[])`
  const across = acrossAccounts(statement, { bigints: ['balance'] })
  const rows = await db.query<{ accountId: AccountId; balance: bigint }>(across)
  return new Map(rows.map((row) => [row.accountId, row.balance]))
}

export interface LedgerTotals extends Record<Ledger, bigint> {
  /** Accounts that have sent messages and have less than a cent left. */
  emptyAccounts: number
}

/** The sum of each ledger over all accounts. A plain read across accounts. */
export async function sumLedgers(db: Queryable): Promise<LedgerTotals> {
  const statement = sql`
    select coalesce(sum(wallet_micros), 0)::bigint as wallet,
      coalesce(sum(funding_micros), 0)::bigint as funding,
      coalesce(sum(fees_micros), 0)::bigint as fees,
      coalesce(sum(numbers_micros), 0)::bigint as numbers,
      coalesce(sum(messages_micros), 0)::bigint as messages,
      count(*) filter (where wallet_micros < ${CENT_MICROS} and messages_micros > 0)::int
        as "emptyAccounts"
    from account_ledgers`
  const bigints = ['wallet', 'funding', 'fees', 'numbers', 'messages']
  const combine = (rows: LedgerTotals[]) => [rows.reduce(addTotals)]
  const [row] = await db.query<LedgerTotals>(acrossAccounts(statement, { bigints, combine }))
  return row!
}

const CENT_MICROS = 10_000n

function addTotals(one: LedgerTotals, other: LedgerTotals): LedgerTotals {
  return {
    wallet: one.wallet + other.wallet,
    funding: one.funding + other.funding,
    fees: one.fees + other.fees,
    numbers: one.numbers + other.numbers,
    messages: one.messages + other.messages,
    emptyAccounts: one.emptyAccounts + other.emptyAccounts,
  }
}

export interface Spender {
  accountId: AccountId
  spentMicros: bigint
  balanceMicros: bigint
}

/** The accounts that have spent the most on messages. A plain read across accounts. */
export async function listTopSpenders(db: Queryable, limit: number): Promise<Spender[]> {
  const statement = sql`
    select account_id as "accountId", messages_micros as "spentMicros",
      wallet_micros as "balanceMicros" from account_ledgers
    order by messages_micros desc, account_id desc limit ${limit}`
  const order = ['spentMicros', 'accountId']
  const bigints = ['spentMicros', 'balanceMicros']
  return db.query(acrossAccounts(statement, { order, isDescending: true, limit, bigints }))
}
