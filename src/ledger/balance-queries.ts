// What several accounts may spend, for whoever looks at all of them.

import type { AccountId } from '../accounts/account.js'
import type { Queryable } from '../kit/db.js'
import { sql } from '../kit/sql.js'

/** A plain read across accounts. */
export async function findBalances(
  db: Queryable,
  accountIds: readonly AccountId[],
): Promise<Map<AccountId, bigint>> {
  const rows = await db.query<{ accountId: AccountId; balance: bigint }>(sql`
    select account_id as "accountId", balance_micros as balance from ledger_balances
    where account_id = any (${accountIds}::text[]) and ledger = 'wallet'`)
  return new Map(rows.map((row) => [row.accountId, row.balance]))
}
