// Sends the inbound calls of a number on to another number, or stops doing so.

import type { AccountId } from '../accounts/account.js'
import type { Transaction } from '../kit/db.js'
import { fieldRefusal } from '../kit/refusal.js'
import type { NumberRecord } from './number.js'
import { getNumber, updateForwarding } from './number-queries.js'

/** `forwardNumber` is E.164, or null to stop. */
export async function setForwarding(
  tx: Transaction,
  accountId: AccountId,
  phoneNumber: string | null,
  forwardNumber: string | null,
): Promise<NumberRecord> {
  const number = await getNumber(tx, accountId, phoneNumber)
  if (forwardNumber === number.phoneNumber) {
    throw fieldRefusal(
      'forwardNumber',
      'must be another number: calls cannot be forwarded to the number they came to',
    )
  }
  await updateForwarding(tx, accountId, number.phoneNumber, forwardNumber)
  return { ...number, forwardNumber }
}
