// The status of a campaign as part of a sentence: "The campaign is in review."

import type { Campaign } from '../../generated/types.gen'

const WORDS: Readonly<Record<Campaign['status'], string>> = {
  DRAFT: 'is a draft',
  PENDING: 'is in review',
  ACTIVE: 'is active',
  SUSPENDED: 'is suspended',
  ENDED: 'has ended',
}

export function describeStatus(status: Campaign['status']): string {
  return `The campaign ${WORDS[status]}.`
}
