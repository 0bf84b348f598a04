// Moves numbers to another campaign of the account. What is paid for them stays paid; from its next renewal
// on, their rent is the other campaign's.

import type { AccountId } from '../accounts/account.js'
import type { Transaction } from '../kit/postgres/db.js'
import { appendNumberChanges } from './append-number-changes.js'
import type { NumberRecord } from './number.js'
import { findDefaultNumber, updateCampaignOf, updateDefault } from './number-queries.js'
import { rebindRents } from './rented-queries.js'

/** The caller has locked both campaigns. Both get the event. */
export async function moveNumbers(
  tx: Transaction,
  accountId: AccountId,
  numbers: readonly NumberRecord[],
  campaignId: string,
  now: Date,
): Promise<void> {
  const phoneNumbers = numbers.map((number) => number.phoneNumber)
  const isDefaultless = (await findDefaultNumber(tx, accountId, campaignId)) === null
  await updateCampaignOf(tx, accountId, phoneNumbers, campaignId)
  if (numbers.some(({ link }) => link !== null)) {
    await rebindRents(tx, { accountId, phoneNumbers, now })
  }
  const first = numbers.find(({ status }) => status !== 'FAILED')
  const moved = numbers.map((before) => ({
    before,
    after: { ...before, campaignId, isDefault: isDefaultless && before === first },
  }))
  const made = moved.find(({ after }) => after.isDefault)
  if (made) await updateDefault(tx, made.after)
  const former = moved.map((one) => ({ ...one, campaignId: one.before.campaignId }))
  await appendNumberChanges(tx, accountId, 'moved', [...former, ...moved], now)
}
