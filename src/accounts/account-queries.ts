// Every statement on the accounts table.

import type { Queryable } from '../kit/db.js'
import { sql } from '../kit/sql.js'
import type { Account, AccountId } from './account.js'

export async function insertAccount(db: Queryable, account: Account): Promise<void> {
  await db.query(sql`
    insert into accounts (account_id, name, status, low_balance_micros, created_at)
    values (${account.accountId}, ${account.name}, ${account.status}, ${account.lowBalanceMicros},
      ${account.createdAt})`)
}

export async function findAccount(db: Queryable, accountId: AccountId): Promise<Account | null> {
  const [row] = await db.query<Account>(sql`
    select account_id as "accountId", name, status, low_balance_micros as "lowBalanceMicros",
      created_at as "createdAt"
    from accounts where account_id = ${accountId}`)
  return row ?? null
}

export async function countAccounts(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*)::int as count from accounts`)
  return row!.count
}

export async function findFirstAccountId(db: Queryable): Promise<AccountId> {
  const [row] = await db.query<{ accountId: AccountId }>(sql`
    select account_id as "accountId" from accounts order by account_id limit 1`)
  return row!.accountId
}
