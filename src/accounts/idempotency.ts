// The same Idempotency-Key and request get the same response, and the work is done once. The key is written
// in the transaction of the work, so neither can exist without the other. Only successes are stored: a
// refused request changed nothing, and its key stays free for the corrected one.

import { createHash } from 'node:crypto'
import { Refusal } from '../kit/contract/refusal.js'
import type { Queryable, Store, Transaction } from '../kit/postgres/db.js'
import {
  findAnswer,
  insertReservation,
  type OnceRequest,
  type StoredAnswer,
  storeAnswer,
  tryLockKey,
} from './idempotency-queries.js'

export const KEY_LENGTH_MAX = 255

/** A restricted token never replays a response to a token with more access. */
export function keyedText(body: string, campaigns: readonly string[] | null | undefined): string {
  return campaigns ? `${body}\n${campaigns.join()}` : body
}

export function hashRequest(method: string, path: string, body: string): Buffer {
  return createHash('sha256').update(`${method} ${path}\n${body}`).digest()
}

export async function runOnce<Answer extends object>(
  db: Store,
  once: OnceRequest,
  work: (tx: Transaction) => Promise<Answer>,
  keep: (answer: Answer) => Answer = (answer) => answer, // removes what must not be stored
): Promise<{ answer: Answer; isReplay: boolean }> {
  return db.transaction(async (tx) => {
    if (!(await tryLockKey(tx, once))) throw new Refusal('idempotency_in_flight')
    const stored = await findAnswer(tx, once)
    if (stored) return { answer: replay<Answer>(stored, once.requestHash), isReplay: true }
    const answer = await work(tx)
    await storeAnswer(tx, once, JSON.stringify(keep(answer)))
    return { answer, isReplay: false }
  })
}

/**
 * For work in several transactions, each safe to repeat: reserves the key first, without a response. Returns
 * null if the work must be done, or continued after it was interrupted.
 */
export async function reserveKey<Answer>(
  db: Queryable,
  once: OnceRequest,
): Promise<{ answer: Answer } | null> {
  await insertReservation(db, once)
  const stored = await findAnswer(db, once)
  const answer = stored && replay<Answer | null>(stored, once.requestHash)
  return answer && { answer }
}

/** Refuses if the key was used for another request. */
export function replay<Answer>(stored: StoredAnswer, requestHash: Buffer): Answer {
  if (!stored.requestHash.equals(requestHash)) throw new Refusal('idempotency_other_request')
  return JSON.parse(stored.answer) as Answer
}
