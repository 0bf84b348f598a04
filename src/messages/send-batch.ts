// Many messages in one request, each with its own result. With an Idempotency-Key every message also
// has a key of its own: a request that broke off goes on where it stopped, and charges nothing twice.

import type { AccountId } from '../accounts/account.js'
import { reserveKey, storeAnswer } from '../accounts/idempotency.js'
import { Refusal } from '../kit/refusal.js'
import type { Check } from '../kit/validation.js'
import type { World } from '../kit/world.js'
import type { OnceKey } from './accept-queries.js'
import { idOrRefusal, type SendInput, type SendMessage } from './send-message.js'

export type SendResult =
  | { success: true; id: string }
  | { success: false; error: string; code: string }

export interface SentBatch {
  results: SendResult[]
  isReplay: boolean
}

export async function sendBatch(
  { db, clock }: World,
  parts: { send: SendMessage; check: Check },
  accountId: AccountId,
  inputs: readonly object[],
  once: OnceKey | null,
): Promise<SentBatch> {
  const sendOne = (input: object, i: number) => sendEntry(parts, accountId, input, keyOf(once, i))
  if (!once) return { results: await Promise.all(inputs.map(sendOne)), isReplay: false }

  const request = { accountId, ...once, now: clock.now() }
  const before = await reserveKey<SendResult[]>(db, request)
  if (before) return { results: before.answer, isReplay: true }
  const results = await Promise.all(inputs.map(sendOne))
  await storeAnswer(db, request, JSON.stringify(results))
  return { results, isReplay: false }
}

async function sendEntry(
  { send, check }: { send: SendMessage; check: Check },
  accountId: AccountId,
  input: object,
  once: OnceKey | null,
): Promise<SendResult> {
  try {
    const refusal = check(input)
    if (refusal) throw refusal
    const { id } = idOrRefusal(await send(accountId, input as SendInput, once))
    return { success: true, id }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { success: false, error: error.message, code: error.code }
  }
}

// A header cannot hold a line end, so no caller's own key can be the same.
function keyOf(once: OnceKey | null, index: number): OnceKey | null {
  return once && { ...once, key: `${once.key}\n${index}` }
}
