// The states of a campaign (decision 0010). NEXT is the only place that lists the possible moves.

import { Refusal } from '../kit/contract/refusal.js'

export const CAMPAIGN_STATUSES = ['DRAFT', 'PENDING', 'ACTIVE', 'SUSPENDED', 'ENDED'] as const

export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number]

const NEXT: Readonly<Record<CampaignStatus, readonly CampaignStatus[]>> = {
  DRAFT: ['PENDING', 'ENDED'],
  // Back to DRAFT is a refusal: the customer fixes what the notes ask for and resubmits without paying again.
  PENDING: ['ACTIVE', 'DRAFT', 'ENDED'],
  ACTIVE: ['SUSPENDED', 'ENDED'],
  SUSPENDED: ['ACTIVE', 'ENDED'],
  ENDED: [],
}

export function canMove(source: CampaignStatus, target: CampaignStatus): boolean {
  return NEXT[source].includes(target)
}

/** An ended campaign can only be read. */
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
      `The campaign is ${campaign.status} and cannot become ${target}`,
    )
  }
  return { ...campaign, status: target }
}
