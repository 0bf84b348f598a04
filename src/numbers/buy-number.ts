// Buys a number for a campaign: moves it from the inventory to the campaign, paid until the campaign's renewal
// date. One transaction, so a refusal at any step changes nothing. A provider's number is PENDING from then on. It
// is ordered there after the commit (provisioning/).

import type { AccountId } from '../accounts/account.js'
import type { Campaign, PaidPeriod } from '../campaigns/campaign.js'
import { lockCampaign } from '../campaigns/campaign-queries.js'
import { checkNotEnded } from '../campaigns/campaign-state.js'
import { Refusal } from '../kit/contract/refusal.js'
import { newId } from '../kit/ids.js'
import type { Transaction } from '../kit/postgres/db.js'
import { transfer } from '../ledger/ledger-queries.js'
import { isTollFree } from '../text/phone-number.js'
import { appendNumberChanges } from './append-number-changes.js'
import { recordForwardings } from './forwarding-queries.js'
import { takeFromInventory } from './inventory-queries.js'
import type { InventoryNumber, NumberRecord } from './number.js'
import { deleteNumbers, findDefaultNumber, findNumber, insertNumber } from './number-queries.js'
import type { NumberSources } from './number-source.js'
import { prorate } from './prorate.js'
import { insertTask } from './provider-number-queries.js'

export interface Purchase {
  campaignId: string
  /** E.164 */
  phoneNumber: string
}

/** A provider's number, by the link that sells it. */
export interface Offer extends InventoryNumber {
  link: string
}

/** The provider's answer about the number: an offer, or why there is none. Null: no provider sells numbers. */
export type Offered = Offer | Refusal | null

export interface BuyOptions {
  offered?: Offered
  /** Whether a link that carries the campaign hosts the number. */
  canSend?: NumberSources['canSend']
}

export interface BoughtNumber {
  number: NumberRecord
  chargedMicros: bigint
}

/** The campaign stays locked until the end, so its renewal counts the number either before or after. */
export async function buyNumber(
  tx: Transaction,
  accountId: AccountId,
  { campaignId, phoneNumber }: Purchase,
  now: Date,
  { offered = null, canSend = () => true }: BuyOptions = {},
): Promise<BoughtNumber> {
  const campaign = await lockCampaign(tx, accountId, campaignId)
  if (isTollFree(phoneNumber)) throw new Refusal('number_toll_free')
  const period = paidPeriod(campaign)
  const found = await take(tx, accountId, phoneNumber, offered)
  const hosted = { link: 'link' in found ? found.link : null, hosts: found.hosts }
  if (!canSend(hosted, campaignId)) throw new Refusal('number_not_carried')
  const number = await hand(tx, campaign, found, now)
  const chargedMicros = prorate(found.monthlyPriceMicros, period, now)
  if (chargedMicros > 0n) await charge(tx, number, chargedMicros)
  if (number.link !== null) await orderSoon(tx, number, number.link, chargedMicros)
  await appendNumberChanges(tx, accountId, 'bought', [{ before: null, after: number }], now)
  return { number, chargedMicros }
}

/** The period for prorating a number of this campaign. Refuses a campaign that cannot buy. */
export function paidPeriod({ status, periodStart, renewsAt }: Campaign): PaidPeriod {
  checkNotEnded({ status }, 'buy the number for another campaign')
  if (status !== 'ACTIVE' || !periodStart || !renewsAt) {
    const text = `The campaign is ${status}. Buy numbers once it is ACTIVE`
    throw new Refusal('campaign_state', text)
  }
  return { periodStart, renewsAt }
}

/**
 * A second buyer waits here for the first and gets the number only if the first could not pay. A provider's offer
 * comes from the provider. A number that it does not offer may still be in our stock.
 */
async function take(
  tx: Transaction,
  accountId: AccountId,
  phoneNumber: string,
  offered: Offered,
): Promise<InventoryNumber | Offer> {
  const stocked = await takeFromInventory(tx, phoneNumber)
  const found = offered === null || offered instanceof Refusal ? stocked : offered
  const taken = found && !('link' in found) ? null : await findNumber(tx, phoneNumber)
  if (taken?.status === 'FAILED') await deleteNumbers(tx, taken.accountId, [phoneNumber])
  if (found && (taken === null || taken.status === 'FAILED')) return found
  if (taken?.accountId === accountId) {
    const text = `You already own this number. It belongs to campaign ${taken.campaignId}`
    throw new Refusal('number_owned', text)
  }
  if (taken) throw new Refusal('number_taken')
  throw offered instanceof Refusal ? offered : new Refusal('number_not_for_sale')
}

async function hand(
  tx: Transaction,
  { accountId, id: campaignId }: Campaign,
  found: InventoryNumber | Offer,
  now: Date,
): Promise<NumberRecord> {
  const link = 'link' in found ? found.link : null
  const number: NumberRecord = {
    phoneNumber: found.number,
    accountId,
    campaignId,
    isDefault: (await findDefaultNumber(tx, accountId, campaignId)) === null,
    status: link === null ? 'ACTIVE' : 'PENDING',
    statusReason: null,
    refusedAt: null,
    refusedAs: null,
    link,
    hosts: found.hosts,
    forwardNumber: null,
    forwardingStoppedAt: null,
    location: found.location,
    monthlyPriceMicros: found.monthlyPriceMicros,
    purchasedAt: now,
  }
  if (!(await insertNumber(tx, number))) throw new Refusal('number_taken')
  await recordForwardings(tx, [{ ...number, isHeld: true }])
  return number
}

/** The row is the order. A worker that finds it places the order with the provider. */
async function orderSoon(
  tx: Transaction,
  { accountId, campaignId, phoneNumber, purchasedAt }: NumberRecord,
  link: string,
  chargedMicros: bigint,
): Promise<void> {
  await insertTask(tx, {
    ...{ accountId, campaignId, phoneNumber, purchasedAt, link, chargedMicros },
    id: newId('rnt', purchasedAt),
    phase: 'order',
    since: purchasedAt,
    orderedAt: null,
    numberId: null,
    isForwardingDue: false,
    attempts: 0,
    lastError: null,
    dueAt: purchasedAt,
  })
}

// The time makes the reference unique, because a number can be released and bought again.
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
