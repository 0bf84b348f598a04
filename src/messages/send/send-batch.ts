// Sends many messages in one request, each with its own result. With an Idempotency-Key, every message also gets
// its own key, so an interrupted request continues where it stopped and charges nothing twice.

import type { AccountId } from '../../accounts/account.js'
import { reserveKey } from '../../accounts/idempotency.js'
import { findAnswer, storeAnswer } from '../../accounts/idempotency-queries.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { Check } from '../../kit/contract/validation.js'
import { wireTime } from '../../kit/contract/wire-time.js'
import type { World } from '../../kit/world.js'
import type { IdempotencyKey } from './accept-queries.js'
import type { SendInput } from './compose-message.js'
import type { SendService } from './send-message.js'

type SendResult = { success: true; id: string } | { success: false; error: string; code: string }

export interface SentBatch {
  results: SendResult[]
  isReplay: boolean
}

interface BatchDeps {
  sendService: SendService
  check: Check
  /** The campaigns that the sender's token is restricted to. Null: all. */
  campaigns: readonly string[] | null
}

export async function sendBatch(
  { db, clock }: World,
  deps: BatchDeps,
  accountId: AccountId,
  inputs: readonly object[],
  once: IdempotencyKey | null,
): Promise<SentBatch> {
  // As a whole, and before its key is reserved, so a repeat starts from the beginning.
  const overload = deps.sendService.findOverload()
  if (overload) throw overload
  if (!once) return { results: await sendEntries(deps, accountId, inputs, null), isReplay: false }

  const request = { accountId, ...once, now: clock.now() }
  const before = await reserveKey<SendResult[]>(db, request)
  if (before) return { results: before.answer, isReplay: true }
  const results = await sendEntries(deps, accountId, inputs, once)
  await storeAnswer(db, request, JSON.stringify(results))
  return { results, isReplay: false }
}

/** The results of a batch that was sent with this key; null if none was, if its body was another, or if it is unfinished. */
export async function findSentBatch(
  { db, clock }: World,
  accountId: AccountId,
  once: IdempotencyKey,
): Promise<{ at: string; results: SendResult[] } | null> {
  const stored = await findAnswer(db, { accountId, ...once, now: clock.now() })
  if (!stored?.requestHash.equals(once.requestHash)) return null
  const results = JSON.parse(stored.answer) as SendResult[] | null
  return results && { at: wireTime(stored.createdAt), results }
}

async function sendEntries(
  { sendService, check, campaigns }: BatchDeps,
  accountId: AccountId,
  inputs: readonly object[],
  once: IdempotencyKey | null,
): Promise<SendResult[]> {
  const checked = inputs.map((input) => check(input) ?? (input as SendInput))
  const accepted = await sendService.sendAll(accountId, checked, (i) => keyOf(once, i), campaigns)
  return accepted.map((one) =>
    one instanceof Refusal ? wireRefusal(one) : { success: true, id: one.id },
  )
}

/** The result of a refused entry. */
export function wireRefusal({ message, code }: Refusal) {
  return { success: false as const, error: message, code: code as string }
}

// A header cannot contain a line break, so no client's key can be the same.
function keyOf(once: IdempotencyKey | null, index: number): IdempotencyKey | null {
  return once && { ...once, key: `${once.key}\n${index}` }
}
