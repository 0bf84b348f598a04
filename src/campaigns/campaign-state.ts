// The life of a campaign (decision 0010). NEXT is the only place that knows which moves exist.

import { Refusal } from '../kit/contract/refusal.js'

export const CAMPAIGN_STATUSES = ['DRAFT', 'PENDING', 'ACTIVE', 'SUSPENDED', 'ENDED'] as const

export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number]

const NEXT: Readonly<Record<CampaignStatus, readonly CampaignStatus[]>> = {
  DRAFT: ['PENDING', 'ENDED'],
  // Back to DRAFT is a refusal: the customer mends what the notes say and submits again, unpaid.
  PENDING: ['ACTIVE', 'DRAFT', 'ENDED'],
  ACTIVE: ['SUSPENDED', 'ENDED'],
  SUSPENDED: ['ACTIVE', 'ENDED'],
  ENDED: [],
}

export function canMove(source: CampaignStatus, target: CampaignStatus): boolean {
  return NEXT[source].includes(target)
}

/** What has ended can be read, and nothing else. */
export function checkNotEnded({ status }: { status: CampaignStatus }, instead: string): void {
  if (status === 'ENDED') throw new Refusal('campaign_state', `The campaign has ended: ${instead}`)
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
