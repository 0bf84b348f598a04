// The life of a campaign (decisions 0009 and 0010). NEXT is the only place that knows which moves exist.

import { Refusal } from '../kit/refusal.js'

export const CAMPAIGN_STATUSES = ['DRAFT', 'PENDING', 'ACTIVE', 'SUSPENDED'] as const

export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number]

export const NEXT: Readonly<Record<CampaignStatus, readonly CampaignStatus[]>> = {
  DRAFT: ['PENDING'],
  // Back to DRAFT is a refusal: the customer mends what the notes say and submits again, unpaid.
  PENDING: ['ACTIVE', 'DRAFT'],
  ACTIVE: ['SUSPENDED'],
  SUSPENDED: ['ACTIVE'],
}

export function canMove(source: CampaignStatus, target: CampaignStatus): boolean {
  return NEXT[source].includes(target)
}

export function moveCampaign<C extends { status: CampaignStatus }>(
  campaign: C,
  target: CampaignStatus,
): C {
  if (!canMove(campaign.status, target)) {
    throw new Refusal(
      'campaign_state',
      `The campaign is ${campaign.status}: it cannot become ${target}`,
    )
  }
  return { ...campaign, status: target }
}
