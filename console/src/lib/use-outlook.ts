// Input of the balance forecast: usage of seven days, renewing campaigns and numbers, and the balance.

import { useQuery } from '@tanstack/react-query'
import type { Campaign } from '../../generated/types.gen'
import { usageQuery } from '../api/account-queries'
import { accountQuery, campaignsQuery, numbersQuery } from '../api/queries'
import { DAY_MS } from './durations'
import { type Forecast, forecast, type Renewal } from './forecast'
import { formatDuration } from './format-time'
import { serviceNow } from './service-time'

export interface NextRenewal extends Renewal {
  campaign: Campaign
  numbers: number
}

export interface Outlook {
  forecast: Forecast
  weekCost: number
  renewals: readonly NextRenewal[]
}

/** Null until all of it is loaded. */
export function useOutlook(): Outlook | null {
  const now = serviceNow()
  const today = now.toISOString().slice(0, 10)
  const weekAgo = new Date(now.getTime() - 6 * DAY_MS).toISOString().slice(0, 10)
  const usage = useQuery(usageQuery(weekAgo, today)).data?.usage
  const account = useQuery(accountQuery).data?.account
  const renewals = useRenewals()
  if (!usage || !account || !renewals) return null
  const weekCost = usage.reduce((sum, { cost }) => sum + cost, 0)
  const input = { now, balance: account.balance, weekCost, since: new Date(account.createdAt) }
  return { forecast: forecast({ ...input, renewals }), weekCost, renewals }
}

/** The next renewal of each active campaign, soonest first, including its numbers. */
export function useRenewals(): readonly NextRenewal[] | null {
  const campaigns = useQuery(campaignsQuery).data?.campaigns
  const numbers = useQuery(numbersQuery).data?.numbers
  if (!campaigns || !numbers) return null
  return campaigns
    .flatMap((campaign) => {
      const { id, status, renewsAt, monthlyFee } = campaign
      if (status !== 'ACTIVE' || renewsAt === null) return []
      const own = numbers.filter((number) => number.campaign === id)
      const rent = own.reduce((sum, { monthlyPrice }) => sum + monthlyPrice, 0)
      const amount = (monthlyFee ?? 0) / 100 + rent // that field is in cents
      return [{ id, campaign, numbers: own.length, at: new Date(renewsAt), amount }]
    })
    .sort((a, b) => a.at.getTime() - b.at.getTime())
}

/** How long the balance lasts at this week's pace. */
export function describePace({ forecast: { endsAt } }: Outlook): string {
  if (endsAt === null) return 'more than a year'
  const seconds = (endsAt.getTime() - serviceNow().getTime()) / 1000
  return seconds <= 0 ? 'none' : `about ${formatDuration(seconds)}`
}
