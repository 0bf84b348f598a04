// Campaign names, for records that have only the id.

import { useQuery } from '@tanstack/react-query'
import { campaignsQuery } from '../api/queries'

export interface CampaignNames {
  /** The name, or the id while names load or if the campaign is a draft. */
  nameOf: (id: string) => string
  /** Options for a filter. */
  options: readonly { value: string; label: string }[]
}

export function useCampaignNames(): CampaignNames {
  const campaigns = useQuery(campaignsQuery).data?.campaigns ?? []
  const names = new Map(campaigns.map(({ id, displayName }) => [id, displayName || id]))
  return {
    nameOf: (id) => names.get(id) ?? id,
    options: [...names].map(([value, label]) => ({ value, label })),
  }
}
