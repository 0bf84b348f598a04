// Applies a reviewer's decision about a campaign. The simulated registry and the operator both use it, so an
// impossible move is refused for both.

import type { AccountId } from '../../accounts/account.js'
import type { Brand, ReviewNote } from '../../brands/brand.js'
import { getBrand, shareBrand } from '../../brands/brand-queries.js'
import { isVerified } from '../../brands/brand-state.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { Transaction } from '../../kit/postgres/db.js'
import { appendCampaignChange } from '../append-campaign-changes.js'
import { type Campaign, MONTHLY_FEE_MICROS, type Suspension } from '../campaign.js'
import { getCampaign, lockCampaign, updateCampaign } from '../campaign-queries.js'
import { type CampaignStatus, moveCampaign } from '../campaign-state.js'
import { limitsFor } from '../follow-limits.js'
import { oneMonthLater } from '../renewal/renewal-date.js'
import { graceAfterResume } from '../renewal/renewal-state.js'

export type CampaignDecision =
  | { kind: 'approve' }
  | { kind: 'return'; notes: ReviewNote[] }
  | { kind: 'suspend'; reason: Suspension }
  | { kind: 'resume' }

export async function decideCampaign(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  decision: CampaignDecision,
  now: Date,
): Promise<Campaign> {
  // Locks the brand before the campaign, as a vetting does, so each sees the other's changes.
  const { brandId } = await getCampaign(tx, accountId, id)
  const shared = await shareBrand(tx, accountId, brandId)
  const campaign = await lockCampaign(tx, accountId, id)
  const brand =
    campaign.brandId === brandId ? shared : await getBrand(tx, accountId, campaign.brandId)
  const decided: Campaign = { ...applyDecision(campaign, brand, decision, now), updatedAt: now }
  await updateCampaign(tx, decided)
  const { done } = SOURCES[decision.kind]
  await appendCampaignChange(tx, done, { before: campaign, after: decided }, now)
  return decided
}

/** Approving and resuming both lead to ACTIVE, so the previous state matters too. */
const SOURCES = {
  approve: { from: 'PENDING', done: 'approved' },
  return: { from: 'PENDING', done: 'returned' },
  suspend: { from: 'ACTIVE', done: 'suspended' },
  resume: { from: 'SUSPENDED', done: 'resumed' },
} as const satisfies Record<CampaignDecision['kind'], { from: CampaignStatus; done: string }>

function applyDecision(
  campaign: Campaign,
  brand: Brand,
  decision: CampaignDecision,
  now: Date,
): Campaign {
  const { from, done } = SOURCES[decision.kind]
  if (campaign.status !== from) {
    throw new Refusal(
      'campaign_state',
      `The campaign is ${campaign.status}. Only a campaign that is ${from} can be ${done}`,
    )
  }
  if (from === 'PENDING') checkBrand(brand)
  switch (decision.kind) {
    case 'approve':
      return approve(moveCampaign(campaign, 'ACTIVE'), brand, now)
    case 'return':
      return { ...moveCampaign(campaign, 'DRAFT'), reviewNotes: decision.notes }
    case 'suspend':
      return { ...moveCampaign(campaign, 'SUSPENDED'), suspendedFor: decision.reason }
    case 'resume':
      return {
        ...moveCampaign(campaign, 'ACTIVE'),
        suspendedFor: null,
        graceUntil: graceAfterResume(campaign.graceUntil, now),
      }
  }
}

// Approval is free: the creation fee covers the first month.
function approve(campaign: Campaign, brand: Brand, now: Date): Campaign {
  const renewalDay = now.getUTCDate()
  return {
    ...campaign,
    ...limitsFor(campaign, brand),
    monthlyFeeMicros: MONTHLY_FEE_MICROS,
    reviewNotes: [],
    approvedAt: now,
    renewalDay,
    periodStart: now,
    renewsAt: oneMonthLater(now, renewalDay),
  }
}

/** The review of a campaign waits for its brand. */
function checkBrand(brand: Brand): void {
  if (isVerified(brand.status)) return
  throw new Refusal(
    'brand_state',
    `The brand is ${brand.status}. Its campaigns wait until it is verified`,
  )
}
