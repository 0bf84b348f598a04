// What campaigns are called, wherever a record has only their id.

import { useQuery } from '@tanstack/react-query'
import { campaignsQuery } from '../api/queries'

export interface CampaignNames {
  /** Its name; its id until the names are there, or where it is a draft. */
  nameOf: (id: string) => string
  /** To choose from in a filter. */
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
