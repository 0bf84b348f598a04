// Limits are "assigned dynamically": they follow the brand's score and the low-volume setting of the
// campaign, unless an operator has set them manually (decision 0029).

import type { AccountId } from '../accounts/account.js'
import type { Brand } from '../brands/brand.js'
import { type BrandDecision, decideBrand } from '../brands/decide-brand.js'
import type { Transaction } from '../kit/postgres/db.js'
import { appendCampaignChanges, type ChangedCampaign } from './append-campaign-changes.js'
import type { Campaign, CampaignLimits } from './campaign.js'
import { lockCampaign, lockFollowers, updateLimits } from './campaign-queries.js'
import { assignLimits } from './limits.js'

/**
 * Makes messages that wait for a limit be checked again. Lanes are in a module that this one cannot import.
 */
export type WakeLanes = (
  tx: Transaction,
  accountId: AccountId,
  campaignIds: readonly string[],
  now: Date,
) => Promise<void>

/**
 * A decision on a brand, with its effects on the brand's campaigns, in one transaction. Their number is
 * bounded by their price: each has cost its fee.
 */
export async function reviewBrand(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  decision: BrandDecision,
  now: Date,
  wakeLanes: WakeLanes,
): Promise<Brand> {
  const brand = await decideBrand(tx, accountId, id, decision, now)
  if (decision.kind !== 'vet') return brand
  // The decision locked the brand, and an approval shares that lock, so no campaign is missed.
  const followers = await lockFollowers(tx, accountId, id)
  const changed = followers.flatMap((campaign) => follow(campaign, brand, now))
  if (changed.length === 0) return brand
  const campaigns = changed.map(({ after }) => after)
  await updateLimits(tx, accountId, campaigns, now)
  await appendCampaignChanges(tx, accountId, 'limits', changed, now)
  await wakeLanes(
    tx,
    accountId,
    campaigns.map((campaign) => campaign.id),
    now,
  )
  return brand
}

/** The networks' own values override our table, unless an operator has set the limits manually. */
export async function takeNetworkLimits(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  limits: Partial<CampaignLimits>,
  now: Date,
  wakeLanes: WakeLanes,
): Promise<void> {
  const campaign = await lockCampaign(tx, accountId, id)
  if (campaign.areLimitsSetByOperator || campaign.status === 'ENDED') return
  const { smsTpmAtt, mmsTpmAtt, dailyTmoCap } = campaign
  const changed = changeOf(campaign, { smsTpmAtt, mmsTpmAtt, dailyTmoCap, ...limits }, now)
  if (changed.length === 0) return
  await updateLimits(
    tx,
    accountId,
    changed.map(({ after }) => after),
    now,
  )
  await appendCampaignChanges(tx, accountId, 'limits', changed, now)
  await wakeLanes(tx, accountId, [id], now)
}

function follow(campaign: Campaign, brand: Brand, now: Date): ChangedCampaign[] {
  return changeOf(campaign, limitsFor(campaign, brand), now)
}

function changeOf(campaign: Campaign, limits: CampaignLimits, now: Date): ChangedCampaign[] {
  const isSame = (Object.keys(limits) as (keyof CampaignLimits)[]).every(
    (name) => limits[name] === campaign[name],
  )
  if (isSame) return []
  return [{ before: campaign, after: { ...campaign, ...limits, updatedAt: now } }]
}

export function limitsFor(
  { isLowVolume }: Pick<Campaign, 'isLowVolume'>,
  { trustScore }: Pick<Brand, 'trustScore'>,
): CampaignLimits {
  return assignLimits({ trustScore, isLowVolume })
}
