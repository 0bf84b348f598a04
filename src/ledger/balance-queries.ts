// What several accounts may spend, for whoever looks at all of them.

import type { AccountId } from '../accounts/account.js'
import type { Queryable } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'

/** A plain read across accounts. */
export async function findBalances(
  db: Queryable,
  accountIds: readonly AccountId[],
): Promise<Map<AccountId, bigint>> {
  const rows = await db.query<{ accountId: AccountId; balance: bigint }>(sql`
    select account_id as "accountId", wallet_micros as balance from account_ledgers
    where account_id = any (${accountIds}::text[])`)
  return new Map(rows.map((row) => [row.accountId, row.balance]))
}
