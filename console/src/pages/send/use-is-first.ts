// Whether this would be the first message to someone in a marketing campaign. That one should include opt-out
// instructions.

import { useQuery } from '@tanstack/react-query'
import type { Campaign } from '../../../generated/types.gen'
import { recipientQuery } from '../../api/send-queries'

export function useIsFirst(campaign: Campaign, phone: string | null): boolean {
  const isMarketing = campaign.usecase === 'MARKETING' || campaign.subUsecases.includes('MARKETING')
  const { data } = useQuery({
    ...recipientQuery(campaign.id, phone ?? ''),
    enabled: isMarketing && phone !== null,
  })
  return isMarketing && !data?.lastMessage
}
