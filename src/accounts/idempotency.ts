// The same Idempotency-Key and request get the same answer, and the work is done once. The key is
// written in the transaction of the work, so neither can exist without the other. Only successes are
// kept: a refused request changed nothing, and its key stays free for the corrected one.

import { createHash } from 'node:crypto'
import { Refusal } from '../kit/contract/refusal.js'
import type { Queryable, Store, Transaction } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'
import type { AccountId } from './account.js'

export const KEPT_MS = 24 * 60 * 60 * 1000
export const KEY_LENGTH_MAX = 255

export interface OnceRequest {
  accountId: AccountId
  key: string
  requestHash: Buffer
  now: Date
}

export interface StoredAnswer {
  requestHash: Buffer
  answer: string
}

export function hashRequest(method: string, path: string, body: string): Buffer {
  return createHash('sha256').update(`${method} ${path}\n${body}`).digest()
}

export async function runOnce<Answer extends object>(
  db: Store,
  once: OnceRequest,
  work: (tx: Transaction) => Promise<Answer>,
  keep: (answer: Answer) => Answer = (answer) => answer, // leaves out what must not be stored
): Promise<{ answer: Answer; isReplay: boolean }> {
  return db.transaction(async (tx) => {
    await lockKey(tx, once)
    const stored = await findAnswer(tx, once)
    if (stored) return { answer: replay<Answer>(stored, once.requestHash), isReplay: true }
    const answer = await work(tx)
    await storeAnswer(tx, once, JSON.stringify(keep(answer)))
    return { answer, isReplay: false }
  })
}

/**
 * For work of many transactions, each repeatable by itself: the key is taken first, with no answer
 * yet. Null where the work is to be done, or done again after it broke off.
 */
export async function reserveKey<Answer>(
  db: Queryable,
  once: OnceRequest,
): Promise<{ answer: Answer } | null> {
  await db.query(sql`
    insert into idempotency_keys as k (account_id, key, request_hash, answer, created_at)
    values (${once.accountId}, ${once.key}, ${once.requestHash}, 'null', ${once.now})
    on conflict (account_id, key) do update
    set request_hash = excluded.request_hash, answer = excluded.answer,
      created_at = excluded.created_at
    where k.created_at <= ${new Date(once.now.getTime() - KEPT_MS)}`)
  const stored = await findAnswer(db, once)
  const answer = stored && replay<Answer | null>(stored, once.requestHash)
  return answer && { answer }
}

/** Refuses where the key was used for something else. */
export function replay<Answer>(stored: StoredAnswer, requestHash: Buffer): Answer {
  if (!stored.requestHash.equals(requestHash)) throw new Refusal('idempotency_other_request')
  return JSON.parse(stored.answer) as Answer
}

export async function findAnswer(db: Queryable, once: OnceRequest): Promise<StoredAnswer | null> {
  const [row] = await db.query<StoredAnswer>(sql`
    select request_hash as "requestHash", answer from idempotency_keys
    where account_id = ${once.accountId} and key = ${once.key}
      and created_at > ${new Date(once.now.getTime() - KEPT_MS)}`)
  return row ?? null
}

/**
 * A portion of the keys past their day, the oldest first, by the index of their age. Two statements:
 * one that crosses accounts only reads, and the deletion looks again, for a key may have been taken
 * anew in between.
 */
export async function deleteOldKeys(db: Queryable, now: Date, limit: number): Promise<number> {
  const before = new Date(now.getTime() - KEPT_MS)
  const old = await db.query<{ accountId: AccountId; key: string }>(sql`
    select account_id as "accountId", key from idempotency_keys
    where created_at <= ${before} order by created_at limit ${limit}`)
  if (old.length === 0) return 0
  const rows = await db.query(sql`
    delete from idempotency_keys k
    using unnest(${old.map((row) => row.accountId)}::text[], ${old.map((row) => row.key)}::text[])
      as old (account_id, key)
    where k.account_id = old.account_id and k.key = old.key and k.created_at <= ${before}
    returning 1`)
  return rows.length
}

// The lock ends with the transaction. Whoever cannot have it is told so at once and waits for nothing.
async function lockKey(tx: Transaction, once: OnceRequest): Promise<void> {
  const [row] = await tx.query<{ free: boolean }>(sql`
    select pg_try_advisory_xact_lock(hashtextextended(${`${once.accountId} ${once.key}`}, 0)) as free`)
  if (!row!.free) throw new Refusal('idempotency_in_flight')
}

export async function storeAnswer(db: Queryable, once: OnceRequest, answer: string): Promise<void> {
  await db.query(sql`
    insert into idempotency_keys (account_id, key, request_hash, answer, created_at)
    values (${once.accountId}, ${once.key}, ${once.requestHash}, ${answer}, ${once.now})
    on conflict (account_id, key) do update
    set request_hash = excluded.request_hash, answer = excluded.answer,
      created_at = excluded.created_at`)
}
