// Every statement on the accounts table.

import { Refusal } from '../kit/contract/refusal.js'
import type { Page } from '../kit/contract/schema.js'
import { isId } from '../kit/ids.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { acrossAccounts, pageAcross, piece, raw, sql } from '../kit/postgres/sql.js'
import type { Account, AccountId, AccountStatus } from './account.js'

const COLUMNS = raw(`account_id as "accountId", name, status,
  low_balance_micros as "lowBalanceMicros", created_at as "createdAt"`)

/** For reads across accounts: see kit/postgres/sql.ts. */
const TYPES = { times: ['createdAt'], bigints: ['lowBalanceMicros'] }

export async function insertAccount(db: Queryable, account: Account): Promise<void> {
  await db.query(sql`
    insert into accounts (account_id, name, status, low_balance_micros, created_at)
    values (${account.accountId}, ${account.name}, ${account.status}, ${account.lowBalanceMicros},
      ${account.createdAt})`)
}

async function findAccount(db: Queryable, accountId: AccountId): Promise<Account | null> {
  const [row] = await db.query<Account>(sql`
    select ${COLUMNS} from accounts where account_id = ${accountId}`)
  return row ?? null
}

/** Null if there is none. */
export async function findAccountStatus(
  db: Queryable,
  accountId: AccountId,
): Promise<AccountStatus | null> {
  const [row] = await db.query<{ status: AccountStatus }>(sql`
    select status from accounts where account_id = ${accountId}`)
  return row?.status ?? null
}

/**
 * The accounts among them that are suspended or deleted. A plain read across accounts. Accounts on a worker
 * that is down are left out.
 */
export async function listInactive(
  db: Queryable,
  accountIds: readonly AccountId[],
): Promise<AccountId[]> {
  const statement = sql`
    select account_id as "accountId" from accounts
    where account_id = any (${accountIds}::text[]) and status <> 'ACTIVE'`
  const rows = await db.query<{ accountId: AccountId }>(acrossAccounts(statement))
  return rows.map(({ accountId }) => accountId)
}

export async function getAccount(db: Queryable, accountId: AccountId): Promise<Account> {
  const account = isId('acc', accountId) ? await findAccount(db, accountId) : null
  if (!account) throw new Refusal('account_missing')
  return account
}

/** The account, locked until the transaction ends. Refuses if there is none. */
export async function lockAccount(tx: Transaction, accountId: AccountId): Promise<Account> {
  if (!isId('acc', accountId)) throw new Refusal('account_missing')
  const [row] = await tx.query<Account>(sql`
    select ${COLUMNS} from accounts where account_id = ${accountId} for update`)
  if (!row) throw new Refusal('account_missing')
  return row
}

/** Writes name and status. The caller holds the lock (`lockAccount`). */
export async function updateAccount(tx: Transaction, account: Account): Promise<void> {
  await tx.query(sql`
    update accounts set name = ${account.name}, status = ${account.status}
    where account_id = ${account.accountId}`)
}

export interface AccountFilter {
  /** Null: all except deleted ones. */
  status: AccountStatus | null
  /** An ID, or part of the name, ignoring case. */
  search: string | null
}

/** Newest first, one more than the page has. A plain read across accounts. */
export async function listAccounts(
  db: Queryable,
  { status, search }: AccountFilter,
  page: Page,
): Promise<Account[]> {
  const statementOf = (limit: number, skip: number) => sql`
    select ${COLUMNS} from accounts
    where (status = ${status} or (${status}::text is null and status <> 'DELETED'))
      and (${search}::text is null or account_id = ${search}
        or strpos(lower(name), lower(${search})) > 0)
      and (${page.after}::text is null or account_id < ${page.after})
    order by account_id desc limit ${limit} offset ${skip}`
  const across = { ...TYPES, order: ['accountId'], isDescending: true }
  return db.query<Account>(pageAcross(statementOf, page, across))
}

/** The names of accounts, for lists that have only IDs. A plain read across accounts. */
export async function nameAccounts(
  db: Queryable,
  accountIds: readonly AccountId[],
): Promise<Map<AccountId, string>> {
  const statement = sql`
    select account_id as id, name from accounts where account_id = any (${accountIds}::text[])`
  const rows = await db.query<{ id: AccountId; name: string }>(acrossAccounts(statement))
  return new Map(rows.map(({ id, name }) => [id, name]))
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

/** The balance below which the owner gets a warning; null: none. */
export async function updateThreshold(
  tx: Transaction,
  accountId: AccountId,
  lowBalanceMicros: bigint | null,
): Promise<void> {
  await tx.query(sql`
    update accounts set low_balance_micros = ${lowBalanceMicros}::bigint
    where account_id = ${accountId}`)
}

/** Each account's warning threshold, for joins by account. */
export const THRESHOLDS = raw(`(select account_id, low_balance_micros from accounts
  where low_balance_micros is not null and status <> 'DELETED')`)

/** The account's own row, as in kit/tenant-queries.ts, for statements that are not composed of pieces. Join it as `own`. */
export function ownRow(accountId: AccountId) {
  return piece`(select account_id from accounts where account_id = ${accountId}) own`
}

/** The accounts whose messages count, for reads across all accounts. */
export const LIVING_ACCOUNTS = raw(`(select account_id from accounts where status <> 'DELETED')`)
