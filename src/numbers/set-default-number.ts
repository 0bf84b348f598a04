// Makes a number the one that its campaign sends from where a message names no sender.

import type { AccountId } from '../accounts/account.js'
import { lockCampaign } from '../campaigns/campaign-queries.js'
import type { Transaction } from '../kit/db.js'
import type { NumberRecord } from './number.js'
import { getNumber, updateDefault } from './number-queries.js'

export async function setDefaultNumber(
  tx: Transaction,
  accountId: AccountId,
  phoneNumber: string | null,
): Promise<NumberRecord> {
  const { campaignId } = await getNumber(tx, accountId, phoneNumber)
  await lockCampaign(tx, accountId, campaignId)
  const number = await getNumber(tx, accountId, phoneNumber) // it may have been released meanwhile
  await updateDefault(tx, number)
  return { ...number, isDefault: true }
}
