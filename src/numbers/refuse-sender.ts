// Flags a number that a carrier refuses as a sender and notifies its owner, until a message from it is accepted or
// an operator clears the flag.

import type { Transaction } from '../kit/postgres/db.js'
import { appendNumberChanges } from './append-number-changes.js'
import type { NumberRecord } from './number.js'
import { findNumber, lockNumber } from './number-queries.js'
import { updateRefusal } from './refused-sender-queries.js'

export interface SenderRefusal {
  link: string
  reason: string
  until: Date
}

/** Null: accepted again. False if nobody owns the number or the flag does not change. */
export async function flagSender(
  tx: Transaction,
  phoneNumber: string,
  refusal: SenderRefusal | null,
  now: Date,
): Promise<boolean> {
  const found = await findNumber(tx, phoneNumber)
  if (!found) return false
  const { accountId } = found
  const before = await lockNumber(tx, accountId, phoneNumber)
  if (refusal === null && before.refusedAt === null) return false
  const refusedAt = refusal && (before.refusedAt ?? now)
  await updateRefusal(tx, accountId, phoneNumber, refusal && { ...refusal, since: refusedAt! })
  const after: NumberRecord = { ...before, refusedAt, refusedAs: refusal?.reason ?? null }
  const change = refusal ? 'refused' : 'accepted'
  await appendNumberChanges(tx, accountId, change, [{ before, after }], now)
  return true
}
