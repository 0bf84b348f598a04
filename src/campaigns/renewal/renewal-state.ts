// How a renewal changes a campaign (decision 0031), paid or unpaid. Pure: renew-campaigns.ts does the
// locking, charging, and writing.

import { DAY_MS } from '../../kit/clock.js'
import type { Campaign, PaidPeriod } from '../campaign.js'
import { moveCampaign } from '../campaign-state.js'
import { oneMonthLater } from './renewal-date.js'

/** How long a campaign with an unpaid renewal keeps sending. */
const GRACE_DAYS = 7
const GRACE_MS = GRACE_DAYS * DAY_MS

/** A number of the campaign, as far as renewals need it. */
export interface NumberFee {
  phoneNumber: string
  monthlyPriceMicros: bigint
}

type Renewable = Pick<Campaign, 'status' | 'suspendedFor' | 'graceUntil'> &
  PaidPeriod & { renewalDay: number }

/**
 * The next period to pay for. Periods are paid one by one, including those missed while the service was off.
 * A campaign suspended for non-payment owes only the current period.
 */
export function owedPeriod(campaign: Renewable, now: Date): PaidPeriod {
  let period = periodFrom(campaign.renewsAt, campaign.renewalDay)
  while (stoodStill(campaign, now) && period.renewsAt <= now) {
    period = periodFrom(period.renewsAt, campaign.renewalDay)
  }
  return period
}

function periodFrom(periodStart: Date, renewalDay: number): PaidPeriod {
  return { periodStart, renewsAt: oneMonthLater(periodStart, renewalDay) }
}

function stoodStill({ status, graceUntil }: Renewable, now: Date): boolean {
  return status === 'SUSPENDED' && graceUntil !== null && graceUntil <= now
}

/** The fee and the prices of the numbers, which are paid together or not at all. */
export function owedMicros(monthlyFeeMicros: bigint, numberFees: readonly NumberFee[]): bigint {
  return numberFees.reduce((sum, fee) => sum + fee.monthlyPriceMicros, monthlyFeeMicros)
}

/** Paid. A campaign suspended by the operator stays suspended. */
export function settled<C extends Renewable>(campaign: C, period: PaidPeriod): C {
  const paid = { ...campaign, ...period, graceUntil: null }
  if (campaign.suspendedFor !== 'renewal') return paid
  return { ...moveCampaign(paid, 'ACTIVE'), suspendedFor: null }
}

/**
 * Not paid. The grace period starts at the first failed attempt, not at the renewal date, so no campaign is
 * suspended without warning because the service was off. Null if there is nothing new to record.
 */
export function unsettled<C extends Renewable>(campaign: C, now: Date): C | null {
  if (campaign.graceUntil === null) {
    return { ...campaign, graceUntil: new Date(now.getTime() + GRACE_MS) }
  }
  if (campaign.status !== 'ACTIVE' || campaign.graceUntil > now) return null
  return { ...moveCampaign(campaign, 'SUSPENDED'), suspendedFor: 'renewal' }
}

/** An operator who resumes an unpaid campaign gives it a full new grace period. */
export function graceAfterResume(graceUntil: Date | null, now: Date): Date | null {
  return graceUntil && new Date(now.getTime() + GRACE_MS)
}
