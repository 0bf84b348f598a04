// Balances below their account's threshold, and the alerts that were raised.

import type { AccountId } from '../accounts/account.js'
import { THRESHOLDS } from '../accounts/account-queries.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { acrossAccounts, type Statement, sql } from '../kit/postgres/sql.js'
import { WALLETS } from './ledger-queries.js'

const PORTION = 200

export interface LowBalance {
  accountId: AccountId
  balanceMicros: bigint
  thresholdMicros: bigint
}

/** Those without an alert. A plain read across accounts. */
export async function listFallen(db: Queryable): Promise<AccountId[]> {
  const statement = sql`
    select t.account_id as "accountId"
    from ${THRESHOLDS} t join ${WALLETS} w on w.account_id = t.account_id
    where w.balance_micros < t.low_balance_micros and not exists (
      select 1 from low_balance_alerts a where a.account_id = t.account_id)
    limit ${PORTION}`
  return accountsOf(db, statement)
}

async function accountsOf(db: Queryable, statement: Statement): Promise<AccountId[]> {
  const across = acrossAccounts(statement, { limit: PORTION })
  const rows = await db.query<{ accountId: AccountId }>(across)
  return rows.map(({ accountId }) => accountId)
}

/** Null if it is above the threshold again. */
export async function findLowBalance(
  db: Queryable,
  accountId: AccountId,
): Promise<LowBalance | null> {
  const [row] = await db.query<LowBalance>(sql`
    select t.account_id as "accountId", w.balance_micros as "balanceMicros",
      t.low_balance_micros as "thresholdMicros"
    from ${THRESHOLDS} t join ${WALLETS} w on w.account_id = t.account_id
    where t.account_id = ${accountId} and w.balance_micros < t.low_balance_micros`)
  return row ?? null
}

/** False if another process raised it. */
export async function insertAlert(
  tx: Transaction,
  accountId: AccountId,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into low_balance_alerts (account_id, raised_at) values (${accountId}, ${now})
    on conflict (account_id) do nothing returning 1`)
  return rows.length > 0
}

/** Alerts of balances that are above the threshold again. A plain read across accounts. */
export async function listOverAlerts(db: Queryable): Promise<AccountId[]> {
  const statement = sql`
    select a.account_id as "accountId" from low_balance_alerts a where not exists (
      select 1 from ${THRESHOLDS} t join ${WALLETS} w on w.account_id = t.account_id
      where t.account_id = a.account_id and w.balance_micros < t.low_balance_micros)
    limit ${PORTION}`
  return accountsOf(db, statement)
}

export async function deleteAlert(db: Queryable, accountId: AccountId): Promise<void> {
  await db.query(sql`delete from low_balance_alerts where account_id = ${accountId}`)
}
