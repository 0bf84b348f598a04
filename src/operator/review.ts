// An operator's verdicts on brands and campaigns. The rooms decide which moves exist; here the record
// is found by its id alone and the act is kept.

import type { ActName, Actor } from '../accounts/audit.js'
import { recordAct } from '../accounts/audit-queries.js'
import type { Brand } from '../brands/brand.js'
import { getBrandOfAnyone, lockBrand } from '../brands/brand-queries.js'
import { type BrandVerdict, decideBrand } from '../brands/decide-brand.js'
import type { Campaign, Limits } from '../campaigns/campaign.js'
import { getCampaignOfAnyone, lockCampaign, updateCampaign } from '../campaigns/campaign-queries.js'
import { type CampaignVerdict, decideCampaign } from '../campaigns/decide-campaign.js'
import type { Transaction } from '../kit/db.js'
import { Refusal } from '../kit/refusal.js'

export async function judgeBrand(
  tx: Transaction,
  actor: Actor,
  id: string,
  verdict: BrandVerdict,
  now: Date,
): Promise<Brand> {
  const { accountId } = await getBrandOfAnyone(tx, id)
  const before = await lockBrand(tx, accountId, id)
  const after = await decideBrand(tx, accountId, id, verdict, now)
  await recordAct(
    tx,
    actor,
    {
      act: `brand.${verdict.kind}` satisfies ActName,
      accountId,
      subject: id,
      before: reviewOf(before),
      after: { ...reviewOf(after), trustScore: after.trustScore },
    },
    now,
  )
  return after
}

export async function judgeCampaign(
  tx: Transaction,
  actor: Actor,
  id: string,
  verdict: CampaignVerdict,
  now: Date,
  reason: string | null = null,
): Promise<Campaign> {
  const { accountId } = await getCampaignOfAnyone(tx, id)
  const before = await lockCampaign(tx, accountId, id)
  const after = await decideCampaign(tx, accountId, id, verdict, now)
  await recordAct(
    tx,
    actor,
    {
      act: `campaign.${verdict.kind}` satisfies ActName,
      accountId,
      subject: id,
      before: reviewOf(before),
      after: { ...reviewOf(after), ...(reason !== null && { reason }) },
    },
    now,
  )
  return after
}

/** Takes effect with the next claim of each lane, and for new sends within a second. */
export async function setLimits(
  tx: Transaction,
  actor: Actor,
  id: string,
  changes: Partial<Limits>,
  now: Date,
): Promise<Campaign> {
  const { accountId } = await getCampaignOfAnyone(tx, id)
  const before = await lockCampaign(tx, accountId, id)
  if (before.approvedAt === null) {
    throw new Refusal(
      'campaign_state',
      `The campaign is ${before.status}: limits are assigned when it is approved`,
    )
  }
  const after: Campaign = { ...before, ...changes, updatedAt: now }
  await updateCampaign(tx, after)
  await recordAct(
    tx,
    actor,
    {
      act: 'campaign.limits',
      accountId,
      subject: id,
      before: limitsOf(before),
      after: limitsOf(after),
    },
    now,
  )
  return after
}

function reviewOf({ status, reviewNotes }: Brand | Campaign): object {
  return { status, ...(reviewNotes.length > 0 && { reviewNotes }) }
}

function limitsOf({ smsTpmAtt, mmsTpmAtt, dailyTmoCap }: Limits): Limits {
  return { smsTpmAtt, mmsTpmAtt, dailyTmoCap }
}
