// What a renewal does to a campaign (decision 0031), paid and unpaid. Pure: the lock, the
// money and the writing are renew-campaigns.ts's.

import type { Campaign } from '../campaign.js'
import { moveCampaign } from '../campaign-state.js'
import { oneMonthLater } from './renewal-date.js'

/** How long a campaign with an unpaid renewal goes on sending. */
const GRACE_DAYS = 7
const GRACE_MS = GRACE_DAYS * 24 * 60 * 60 * 1000

export interface Period {
  periodStart: Date
  renewsAt: Date
}

/** A number of the campaign, as far as renewals care. */
export interface Rent {
  phoneNumber: string
  monthlyPriceMicros: bigint
}

type Renewable = Pick<Campaign, 'status' | 'suspendedFor' | 'graceUntil'> &
  Period & { renewalDay: number }

/**
 * The period to pay for next. Each one in turn, also those that were missed while the service was
 * off. A campaign that stood still because it was unpaid owes no more than the period of today.
 */
export function owedPeriod(campaign: Renewable, now: Date): Period {
  let period = periodFrom(campaign.renewsAt, campaign.renewalDay)
  while (stoodStill(campaign, now) && period.renewsAt <= now) {
    period = periodFrom(period.renewsAt, campaign.renewalDay)
  }
  return period
}

function periodFrom(periodStart: Date, renewalDay: number): Period {
  return { periodStart, renewsAt: oneMonthLater(periodStart, renewalDay) }
}

function stoodStill({ status, graceUntil }: Renewable, now: Date): boolean {
  return status === 'SUSPENDED' && graceUntil !== null && graceUntil <= now
}

/** Fee and rents, which are paid together or not at all. */
export function owedMicros(monthlyFeeMicros: bigint, rents: readonly Rent[]): bigint {
  return rents.reduce((sum, rent) => sum + rent.monthlyPriceMicros, monthlyFeeMicros)
}

/** Paid. Whom the operator suspended stays so. */
export function settled<C extends Renewable>(campaign: C, period: Period): C {
  const paid = { ...campaign, ...period, graceUntil: null }
  if (campaign.suspendedFor !== 'renewal') return paid
  return { ...moveCampaign(paid, 'ACTIVE'), suspendedFor: null }
}

/**
 * Not paid. The grace begins at the first attempt that failed, not at the renewal date: nobody is
 * suspended unwarned because the service was off. Null where there is nothing new to record.
 */
export function unsettled<C extends Renewable>(campaign: C, now: Date): C | null {
  if (campaign.graceUntil === null) {
    return { ...campaign, graceUntil: new Date(now.getTime() + GRACE_MS) }
  }
  if (campaign.status !== 'ACTIVE' || campaign.graceUntil > now) return null
  return { ...moveCampaign(campaign, 'SUSPENDED'), suspendedFor: 'renewal' }
}

/** An operator who resumes an unpaid campaign gives it as much time again as it had at first. */
export function graceAfterResume(graceUntil: Date | null, now: Date): Date | null {
  return graceUntil && new Date(now.getTime() + GRACE_MS)
}
