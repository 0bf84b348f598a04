// Clears the refusal of a number as a sender, after the operator fixed it at the carrier. The number is used immediately.

import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { Transaction } from '../../kit/postgres/db.js'
import { findNumber } from '../../numbers/number-queries.js'
import { flagSender } from '../../numbers/refuse-sender.js'

/** False if no carrier refused it. */
export async function clearRefusal(
  tx: Transaction,
  actor: Actor,
  phoneNumber: string,
  now: Date,
): Promise<boolean> {
  const number = await findNumber(tx, phoneNumber)
  if (!number) throw new Refusal('number_missing')
  if (!(await flagSender(tx, phoneNumber, null, now))) return false
  const { accountId, refusedAs } = number
  const act = { act: 'number.clear_refusal', accountId, subject: phoneNumber } as const
  await recordAct(tx, actor, { ...act, before: { reason: refusedAs }, after: null }, now)
  return true
}
