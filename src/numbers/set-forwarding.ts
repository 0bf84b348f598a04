// Sends the inbound calls of a number on to another number, or stops doing so.

import type { AccountId } from '../accounts/account.js'
import { fieldRefusal, Refusal } from '../kit/contract/refusal.js'
import type { Transaction } from '../kit/postgres/db.js'
import { appendNumberChanges } from './append-number-changes.js'
import type { NumberRecord } from './number.js'
import { getNumber, updateForwarding } from './number-queries.js'

/** `forwardNumber` is E.164, or null to stop. */
export async function setForwarding(
  tx: Transaction,
  accountId: AccountId,
  phoneNumber: string | null,
  forwardNumber: string | null,
  now: Date,
): Promise<NumberRecord> {
  const before = await getNumber(tx, accountId, phoneNumber)
  const own = before.phoneNumber
  if (forwardNumber === own) {
    throw fieldRefusal(
      'forwardNumber',
      'must be another number: calls cannot be forwarded to the number they came to',
    )
  }
  const number = await updateForwarding(tx, accountId, own, forwardNumber)
  if (!number) throw new Refusal('number_missing') // released meanwhile
  await appendNumberChanges(tx, accountId, 'forwarding', [{ before, after: number }], now)
  return number
}
