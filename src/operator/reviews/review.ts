// An operator's decisions on brands and campaigns. The brand and campaign modules define the transitions. This module
// finds the record by its id and writes the audit log.

import type { AccountId } from '../../accounts/account.js'
import type { ActName, Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import type { Brand } from '../../brands/brand.js'
import { getBrandOfAnyone, lockBrand, shareBrand } from '../../brands/brand-queries.js'
import type { BrandDecision } from '../../brands/decide-brand.js'
import { appendCampaignChange } from '../../campaigns/append-campaign-changes.js'
import type { Campaign, CampaignLimits } from '../../campaigns/campaign.js'
import {
  getCampaignOfAnyone,
  lockCampaign,
  updateCampaign,
} from '../../campaigns/campaign-queries.js'
import { checkNotEnded } from '../../campaigns/campaign-state.js'
import { limitsFor, reviewBrand } from '../../campaigns/follow-limits.js'
import { type CampaignDecision, decideCampaign } from '../../campaigns/review/decide-campaign.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { Transaction } from '../../kit/postgres/db.js'
import { wakeLanes } from '../../messages/lane-queries.js'

export async function recordBrandReview(
  tx: Transaction,
  actor: Actor,
  id: string,
  decision: BrandDecision,
  now: Date,
): Promise<Brand> {
  const { accountId } = await getBrandOfAnyone(tx, id)
  const before = await lockBrand(tx, accountId, id)
  const after = await reviewBrand(tx, accountId, id, decision, now, wakeLanes)
  await recordAct(
    tx,
    actor,
    {
      act: `brand.${decision.kind}` satisfies ActName,
      accountId,
      subject: id,
      before: waitingOf(before),
      after: { ...reviewOf(after), trustScore: after.trustScore },
    },
    now,
  )
  return after
}

export async function recordCampaignReview(
  tx: Transaction,
  actor: Actor,
  id: string,
  decision: CampaignDecision,
  now: Date,
  reason: string | null = null,
): Promise<Campaign> {
  // Not locked here: the decision takes its locks in order and refuses a record that changed in between.
  const before = await getCampaignOfAnyone(tx, id)
  const { accountId } = before
  const after = await decideCampaign(tx, accountId, id, decision, now)
  await recordAct(
    tx,
    actor,
    {
      act: `campaign.${decision.kind}` satisfies ActName,
      accountId,
      subject: id,
      before: waitingOf(before),
      after: { ...reviewOf(after), ...(reason !== null && { reason }) },
    },
    now,
  )
  return after
}

/** Limits set by an operator no longer follow the brand's trust score. */
export async function setLimits(
  tx: Transaction,
  actor: Actor,
  id: string,
  changes: Partial<CampaignLimits>,
  now: Date,
): Promise<Campaign> {
  const { accountId } = await getCampaignOfAnyone(tx, id)
  const before = await lockApproved(tx, accountId, id)
  const after = { ...before, ...changes, areLimitsSetByOperator: true, updatedAt: now }
  return saveLimits(tx, actor, before, after)
}

/** The limits follow the brand's trust score again. */
export async function followLimits(
  tx: Transaction,
  actor: Actor,
  id: string,
  now: Date,
): Promise<Campaign> {
  const { accountId, brandId } = await getCampaignOfAnyone(tx, id)
  const brand = await shareBrand(tx, accountId, brandId) // the brand of an approved campaign cannot be deleted
  const before = await lockApproved(tx, accountId, id)
  const limits = limitsFor(before, brand)
  const after = { ...before, ...limits, areLimitsSetByOperator: false, updatedAt: now }
  return saveLimits(tx, actor, before, after)
}

async function lockApproved(tx: Transaction, accountId: AccountId, id: string): Promise<Campaign> {
  const campaign = await lockCampaign(tx, accountId, id)
  checkNotEnded(campaign, 'it has no more limits')
  if (campaign.approvedAt !== null) return campaign
  throw new Refusal(
    'campaign_state',
    `The campaign is ${campaign.status}. Limits are assigned when it is approved.`,
  )
}

/** They apply from the next claim of each lane, and to new sends within a second. */
async function saveLimits(
  tx: Transaction,
  actor: Actor,
  before: Campaign,
  after: Campaign,
): Promise<Campaign> {
  const { accountId, id: subject, updatedAt: now } = after
  await updateCampaign(tx, after)
  await appendCampaignChange(tx, 'limits', { before, after }, now)
  await wakeLanes(tx, accountId, [subject], now)
  const act = { act: 'campaign.limits' as const, accountId, subject }
  await recordAct(tx, actor, { ...act, before: limitsOf(before), after: limitsOf(after) }, now)
  return after
}

function reviewOf({ status, reviewNotes }: Brand | Campaign): object {
  return { status, ...(reviewNotes.length > 0 && { reviewNotes }) }
}

/** Includes since when it waited, to measure how long reviews take. */
function waitingOf(record: Brand | Campaign): object {
  const { status, submittedAt } = record
  return { ...reviewOf(record), ...(status === 'PENDING' && { submittedAt }) }
}

function limitsOf(campaign: Campaign): object {
  const { smsTpmAtt, mmsTpmAtt, dailyTmoCap, areLimitsSetByOperator: byOperator } = campaign
  return { smsTpmAtt, mmsTpmAtt, dailyTmoCap, byOperator }
}
