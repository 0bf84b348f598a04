// Makes a number the one that its campaign sends from if a message names no sender.

import type { AccountId } from '../accounts/account.js'
import { lockCampaign } from '../campaigns/campaign-queries.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Transaction } from '../kit/postgres/db.js'
import { appendNumberChanges, type ChangedNumber } from './append-number-changes.js'
import type { NumberRecord } from './number.js'
import { findDefaultNumber, getNumber, updateDefault } from './number-queries.js'

export async function setDefaultNumber(
  tx: Transaction,
  accountId: AccountId,
  phoneNumber: string | null,
  now: Date,
): Promise<NumberRecord> {
  const { campaignId } = await getNumber(tx, accountId, phoneNumber)
  await lockCampaign(tx, accountId, campaignId)
  const number = await getNumber(tx, accountId, phoneNumber) // it may have been released in the meantime
  if (number.status === 'FAILED') {
    throw new Refusal('number_state', 'The number is FAILED and cannot send messages')
  }
  return makeDefault(tx, number, now)
}

/** The caller holds the lock of the campaign. The previous default gets its event, too. */
export async function makeDefault(
  tx: Transaction,
  number: NumberRecord,
  now: Date,
): Promise<NumberRecord> {
  const { accountId, campaignId } = number
  const previous = await findDefaultNumber(tx, accountId, campaignId)
  const made: NumberRecord = { ...number, isDefault: true }
  await updateDefault(tx, made)
  const changed: ChangedNumber[] = [{ before: number, after: made }]
  if (previous && previous.phoneNumber !== number.phoneNumber) {
    changed.unshift({ before: previous, after: { ...previous, isDefault: false } })
  }
  await appendNumberChanges(tx, accountId, 'default', changed, now)
  return made
}
