// Statements on the idempotency_keys table, and one SQL piece: the statement that accepts messages also
// writes the keys of sends (decision 0044).

import { DAY_MS } from '../kit/clock.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import type { Relation } from '../kit/postgres/pieces.js'
import { acrossAccounts, sql } from '../kit/postgres/sql.js'
import { fromTenantRow, isOlderBy } from '../kit/tenant-queries.js'
import type { AccountId } from './account.js'

const KEPT_MS = DAY_MS

export interface OnceRequest {
  accountId: AccountId
  key: string
  requestHash: Buffer
  now: Date
}

export interface StoredAnswer {
  requestHash: Buffer
  answer: string
  createdAt: Date
}

/** The lock ends with the transaction. Returns false immediately if another transaction has it. */
export async function tryLockKey(tx: Transaction, once: OnceRequest): Promise<boolean> {
  const [row] = await tx.query<{ free: boolean }>(sql`
    select pg_try_advisory_xact_lock(hashtextextended(${`${once.accountId} ${once.key}`}, 0)) as free`)
  return row!.free
}

/** Inserts the key without a response, unless it exists and is still valid. */
export async function insertReservation(db: Queryable, once: OnceRequest): Promise<void> {
  await db.query(sql`
    insert into idempotency_keys as k (account_id, key, request_hash, answer, created_at)
    values (${once.accountId}, ${once.key}, ${once.requestHash}, 'null', ${once.now})
    on conflict (account_id, key) do update
    set request_hash = excluded.request_hash, answer = excluded.answer,
      created_at = excluded.created_at
    where k.created_at <= ${oldSince(once.now)}`)
}

export async function findAnswer(db: Queryable, once: OnceRequest): Promise<StoredAnswer | null> {
  const [row] = await db.query<StoredAnswer>(sql`
    select request_hash as "requestHash", answer, created_at as "createdAt" from idempotency_keys
    where account_id = ${once.accountId} and key = ${once.key}
      and created_at > ${oldSince(once.now)}`)
  return row ?? null
}

export async function storeAnswer(db: Queryable, once: OnceRequest, answer: string): Promise<void> {
  await db.query(sql`
    insert into idempotency_keys (account_id, key, request_hash, answer, created_at)
    values (${once.accountId}, ${once.key}, ${once.requestHash}, ${answer}, ${once.now})
    on conflict (account_id, key) do update
    set request_hash = excluded.request_hash, answer = excluded.answer,
      created_at = excluded.created_at`)
}

/**
 * Writes keys together with their work. Provides `keyed`, with the key and response of those that were free.
 * An expired key may be used again. If a key occurs twice, the first ID gets it.
 */
export function keyPiece({ name }: Relation<'id' | 'key' | 'request_hash' | 'answer'>): string {
  return `
  keyed as (
    insert into idempotency_keys as k (account_id, key, request_hash, answer, created_at)
    select distinct on (key) own.account_id, key, request_hash, answer, $2::timestamptz
    from ${fromTenantRow(name, 'key is not null')} order by key, id
    on conflict (account_id, key) do update set request_hash = excluded.request_hash,
      answer = excluded.answer, created_at = excluded.created_at
    where ${isOlderBy('excluded.created_at', 'k.created_at', KEPT_MS)}
    returning key, answer
  )`
}

interface OldKey {
  accountId: AccountId
  key: string
}

/** A batch of expired keys, oldest first, by the index on their age. A plain read across accounts. */
export async function listOldKeys(db: Queryable, now: Date, limit: number): Promise<OldKey[]> {
  const statement = sql`
    select account_id as "accountId", key, created_at as "createdAt" from idempotency_keys
    where created_at <= ${oldSince(now)} order by created_at limit ${limit}`
  return db.query<OldKey>(acrossAccounts(statement, { order: ['createdAt'], limit }))
}

/**
 * Checks the age again, because a key may have been reused in between. With one account, it runs on that
 * account's worker.
 */
export async function deleteOldKeys(
  db: Queryable,
  old: readonly OldKey[],
  now: Date,
): Promise<number> {
  const keys = old.map(({ key }) => key)
  const [accountId, ...others] = new Set(old.map((row) => row.accountId))
  const rows = await db.query(
    others.length === 0
      ? sql`delete from idempotency_keys
        where account_id = ${accountId} and key = any (${keys}::text[])
          and created_at <= ${oldSince(now)}
        returning 1`
      : sql`delete from idempotency_keys k
        using unnest(${old.map((row) => row.accountId)}::text[], ${keys}::text[])
          as old (account_id, key)
        where k.account_id = old.account_id and k.key = old.key
          and k.created_at <= ${oldSince(now)}
        returning 1`,
  )
  return rows.length
}

function oldSince(now: Date): Date {
  return new Date(now.getTime() - KEPT_MS)
}
