// How many items need attention, by the page where they can be fixed. Message counts are never included.

import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { openAlertsQuery } from '../../api/alert-queries'
import { accountQuery, webhooksQuery } from '../../api/queries'
import { useMay } from '../../api/session'
import { alertsToShow } from '../../lib/attention'
import { needsAttention } from '../../lib/webhook-needs'

const PLACES: Record<string, string> = {
  campaign_returned: '/campaigns',
  brand_refused: '/brands',
  low_balance: '/billing',
  renewal_unpaid: '/billing',
}

export function useNeeds(): ReadonlyMap<string, number> {
  const { data: account } = useQuery(accountQuery)
  const enabled = useMay('read')
  const { data: webhooks } = useQuery({ ...webhooksQuery, enabled })
  const { data: open } = useQuery({ ...openAlertsQuery, enabled })
  const needs = new Map<string, number>()
  const add = (place: string): void => void needs.set(place, (needs.get(place) ?? 0) + 1)
  for (const { kind } of account?.notices ?? []) add(PLACES[kind] ?? '/overview')
  for (const webhook of webhooks?.webhooks ?? []) {
    if (needsAttention(webhook)) add('/webhooks')
  }
  for (const _ of alertsToShow(open?.alerts ?? [], account?.notices ?? [])) add('/alerts')
  useFaviconDot(needs.size > 0)
  return needs
}

/** The favicon has a dot while something needs attention. */
function useFaviconDot(isShown: boolean): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]')
    if (link) link.href = isShown ? '/console/favicon-needs.svg' : '/favicon.svg'
  }, [isShown])
}
