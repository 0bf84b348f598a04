// What a campaign costs, read from the service. Null until it is known.

import { useQuery } from '@tanstack/react-query'
import { pricesQuery } from '../../api/queries'
import { formatMoney } from '../../lib/format'

interface CampaignPrices {
  creation: number
  monthly: number
}

export function useCampaignPrices(): CampaignPrices | null {
  const prices = useQuery(pricesQuery).data?.prices
  return prices ? { creation: prices.campaignCreation, monthly: prices.campaignMonthly } : null
}

/** For a button: " · $20.00". */
export function describeCreation(prices: CampaignPrices | null): string {
  return prices ? ` · ${formatMoney(prices.creation)}` : ''
}
