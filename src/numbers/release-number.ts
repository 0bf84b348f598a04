// Releases numbers: they are for sale again, and the campaign keeps a default number while it has any. A provider's
// numbers are returned to it after the commit (provisioning/).

import type { AccountId } from '../accounts/account.js'
import { lockCampaign } from '../campaigns/campaign-queries.js'
import type { Transaction } from '../kit/postgres/db.js'
import { areaCodeOf } from '../text/phone-number.js'
import { appendNumberChanges } from './append-number-changes.js'
import { recordForwardings } from './forwarding-queries.js'
import { addToInventory } from './inventory-queries.js'
import type { NumberRecord } from './number.js'
import { deleteNumbers, getNumber, listCampaignNumbers } from './number-queries.js'
import { releaseTasks } from './provider-number-queries.js'
import { makeDefault } from './set-default-number.js'

/** No refund: the number was paid until the renewal date. */
export async function releaseNumber(
  tx: Transaction,
  accountId: AccountId,
  phoneNumber: string | null,
  now: Date,
): Promise<NumberRecord> {
  const { campaignId } = await getNumber(tx, accountId, phoneNumber)
  await lockCampaign(tx, accountId, campaignId)
  const number = await getNumber(tx, accountId, phoneNumber) // two requests may release it at once
  await releaseLocked(tx, accountId, [number], now)
  if (number.isDefault) await passDefaultOn(tx, accountId, campaignId, now)
  return number
}

/** Numbers of the account, whose campaigns the caller has locked. */
export async function releaseLocked(
  tx: Transaction,
  accountId: AccountId,
  numbers: readonly NumberRecord[],
  now: Date,
): Promise<void> {
  const phoneNumbers = numbers.map((number) => number.phoneNumber)
  await deleteNumbers(tx, accountId, phoneNumbers)
  const gone = { forwardNumber: null, isHeld: false }
  await recordForwardings(
    tx,
    phoneNumbers.map((phoneNumber) => ({ phoneNumber, ...gone })),
  )
  const ours = numbers.filter(({ link }) => link === null)
  if (ours.length < numbers.length) await releaseTasks(tx, { accountId, phoneNumbers, now })
  await addToInventory(
    tx,
    ours.map(({ phoneNumber, location, monthlyPriceMicros, hosts }) => ({
      number: phoneNumber,
      areaCode: areaCodeOf(phoneNumber),
      location,
      monthlyPriceMicros,
      hosts,
    })),
  )
  const released = numbers.map((after) => ({ before: null, after }))
  await appendNumberChanges(tx, accountId, 'released', released, now)
}

/** The campaign's oldest number becomes the default. */
export async function passDefaultOn(
  tx: Transaction,
  accountId: AccountId,
  campaignId: string,
  now: Date,
): Promise<void> {
  const numbers = await listCampaignNumbers(tx, accountId, campaignId)
  const heir = numbers.find(({ status }) => status !== 'FAILED')
  if (heir) await makeDefault(tx, heir, now)
}
