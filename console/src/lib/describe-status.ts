// The status of a campaign or a brand as part of a sentence: "The campaign is in review."

import type { Brand, Campaign } from '../../generated/types.gen'

const CAMPAIGN: Readonly<Record<Campaign['status'], string>> = {
  DRAFT: 'is a draft',
  PENDING: 'is in review',
  ACTIVE: 'is active',
  SUSPENDED: 'is suspended',
  ENDED: 'has ended',
}

const BRAND: Readonly<Record<Brand['status'], string>> = {
  DRAFT: 'is a draft',
  PENDING: 'is in review',
  VERIFIED: 'is verified',
  UNVERIFIED: 'has been returned',
  VETTED: 'is vetted',
}

export function describeCampaign(status: Campaign['status'], name = 'The campaign'): string {
  return `${name} ${CAMPAIGN[status]}.`
}

export function describeBrand(status: Brand['status'], name = 'This brand'): string {
  return `${name} ${BRAND[status]}.`
}
