// Buys a number for a campaign: out of the inventory, into the campaign, paid until the campaign's
// renewal date. One transaction, so that a refusal at any step changes nothing.

import type { AccountId } from '../accounts/account.js'
import type { Campaign } from '../campaigns/campaign.js'
import { lockCampaign } from '../campaigns/campaign-queries.js'
import { checkNotEnded } from '../campaigns/campaign-state.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Transaction } from '../kit/postgres/db.js'
import { transfer } from '../ledger/ledger-queries.js'
import { isTollFree } from '../text/phone-number.js'
import { appendNumberChanges } from './append-number-changes.js'
import { recordForwardings } from './forwarding-queries.js'
import { takeFromInventory } from './inventory-queries.js'
import type { InventoryNumber, NumberRecord } from './number.js'
import { findDefaultNumber, findNumber, insertNumber } from './number-queries.js'
import { type Period, prorate } from './prorate.js'

export interface Purchase {
  campaignId: string
  /** E.164 */
  phoneNumber: string
}

export interface BoughtNumber {
  number: NumberRecord
  chargedMicros: bigint
}

/** The campaign stays locked until the end: its renewal counts the number either before or after. */
export async function buyNumber(
  tx: Transaction,
  accountId: AccountId,
  { campaignId, phoneNumber }: Purchase,
  now: Date,
): Promise<BoughtNumber> {
  const campaign = await lockCampaign(tx, accountId, campaignId)
  if (isTollFree(phoneNumber)) throw new Refusal('number_toll_free')
  const period = paidPeriod(campaign)
  const found = await take(tx, accountId, phoneNumber)
  const number = await hand(tx, campaign, found, now)
  const chargedMicros = prorate(found.monthlyPriceMicros, period, now)
  if (chargedMicros > 0n) await charge(tx, number, chargedMicros)
  await appendNumberChanges(tx, accountId, 'bought', [{ before: null, after: number }], now)
  return { number, chargedMicros }
}

/** What a number of this campaign is prorated over; refuses a campaign that cannot buy. */
export function paidPeriod({ status, periodStart, renewsAt }: Campaign): Period {
  checkNotEnded({ status }, 'buy the number for another')
  if (status !== 'ACTIVE' || !periodStart || !renewsAt) {
    const text = `The campaign is ${status}: numbers can be bought once it is ACTIVE`
    throw new Refusal('campaign_state', text)
  }
  return { periodStart, renewsAt }
}

/** A second buyer waits here for the first, and takes the number only if the first could not pay. */
async function take(
  tx: Transaction,
  accountId: AccountId,
  phoneNumber: string,
): Promise<InventoryNumber> {
  const found = await takeFromInventory(tx, phoneNumber)
  if (found) return found
  const taken = await findNumber(tx, phoneNumber)
  if (taken?.accountId === accountId) {
    const text = `You own this number already: it belongs to the campaign ${taken.campaignId}`
    throw new Refusal('number_owned', text)
  }
  throw new Refusal(taken ? 'number_taken' : 'number_not_for_sale')
}

async function hand(
  tx: Transaction,
  { accountId, id: campaignId }: Campaign,
  found: InventoryNumber,
  now: Date,
): Promise<NumberRecord> {
  const number: NumberRecord = {
    phoneNumber: found.number,
    accountId,
    campaignId,
    isDefault: (await findDefaultNumber(tx, accountId, campaignId)) === null,
    status: 'ACTIVE',
    forwardNumber: null,
    location: found.location,
    monthlyPriceMicros: found.monthlyPriceMicros,
    purchasedAt: now,
  }
  if (!(await insertNumber(tx, number))) throw new Refusal('number_taken')
  await recordForwardings(tx, [{ ...number, isHeld: true }])
  return number
}

// The time makes the reference unique: a number can be released and bought again.
async function charge(tx: Transaction, number: NumberRecord, amountMicros: bigint): Promise<void> {
  await transfer(tx, {
    accountId: number.accountId,
    reason: 'number_purchase',
    reference: `number_purchase:${number.phoneNumber}:${number.purchasedAt.toISOString()}`,
    amountMicros,
    campaignId: number.campaignId,
    now: number.purchasedAt,
  })
}
