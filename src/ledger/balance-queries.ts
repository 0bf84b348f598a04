// The balances of several accounts, for views across accounts.

import type { AccountId } from '../accounts/account.js'
import type { Queryable } from '../kit/postgres/db.js'
import { acrossAccounts, sql } from '../kit/postgres/sql.js'

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
