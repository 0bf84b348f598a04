// Where to look into an alert.

import type { LinkProps } from '@tanstack/react-router'
import type { ListedAlert } from '../../../generated/types.gen'

export function alertLink({
  kind,
  subject,
  campaignId,
}: ListedAlert): { to: LinkProps; label: string } | null {
  switch (kind) {
    case 'network_delivery':
      return failedMessages({})
    case 'campaign_delivery':
      return failedMessages({ campaign: subject })
    case 'error_spike':
      return failedMessages({ errorCode: Number(subject) })
    case 'webhook_failing':
      return { to: { to: '/webhooks' }, label: 'View webhooks' }
    case 'balance_low':
      return { to: { to: '/billing' }, label: 'Go to billing' }
    case 'campaign_trouble':
      return {
        to: { to: '/campaigns/$id', params: { id: campaignId ?? subject } },
        label: 'View campaign',
      }
    case 'number_trouble':
      return { to: { to: '/numbers' }, label: 'View numbers' }
    case 'link_down':
    case 'link_delivery':
      return null
  }
}

function failedMessages(filter: { campaign?: string; errorCode?: number }) {
  const search = { status: 'FAILED' as const, ...filter }
  return { to: { to: '/messages', search }, label: 'View failed messages' } as const
}
