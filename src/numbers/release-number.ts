// Gives a number back: it is for sale again, and the campaign keeps a default number while it has any.

import type { AccountId } from '../accounts/account.js'
import { lockCampaign } from '../campaigns/campaign-queries.js'
import type { Transaction } from '../kit/db.js'
import { areaCodeOf } from '../text/phone-number.js'
import { addToInventory } from './inventory-queries.js'
import type { NumberRecord } from './number.js'
import { deleteNumber, getNumber, listCampaignNumbers, updateDefault } from './number-queries.js'

/** Nothing is paid back: the number was the customer's until the renewal date. */
export async function releaseNumber(
  tx: Transaction,
  accountId: AccountId,
  phoneNumber: string | null,
): Promise<NumberRecord> {
  const { campaignId } = await getNumber(tx, accountId, phoneNumber)
  await lockCampaign(tx, accountId, campaignId)
  const number = await getNumber(tx, accountId, phoneNumber) // two may release it at once
  await deleteNumber(tx, number)
  await addToInventory(tx, [
    {
      number: number.phoneNumber,
      areaCode: areaCodeOf(number.phoneNumber),
      location: number.location,
      monthlyPriceMicros: number.monthlyPriceMicros,
    },
  ])
  if (number.isDefault) await passDefaultOn(tx, accountId, campaignId)
  return number
}

/** The one that the campaign has had for longest becomes the default. */
async function passDefaultOn(
  tx: Transaction,
  accountId: AccountId,
  campaignId: string,
): Promise<void> {
  const [heir] = await listCampaignNumbers(tx, accountId, campaignId)
  if (heir) await updateDefault(tx, heir)
}
