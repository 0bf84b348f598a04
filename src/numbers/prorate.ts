// What a number costs between its purchase and the campaign's next renewal.

import type { PaidPeriod } from '../campaigns/campaign.js'
import { DAY_MS } from '../kit/clock.js'
import { ceilToCent } from '../kit/money.js'

/** Days left in the period, and days in total. A started day counts as a full day. */
export interface Share {
  daysLeft: number
  days: number
}

/** None are left past the renewal date, because the renewal charges the next month. */
export function shareLeft({ periodStart, renewsAt }: PaidPeriod, now: Date): Share {
  const days = Math.max(daysBetween(periodStart, renewsAt), 1)
  return { daysLeft: Math.min(daysBetween(now, renewsAt), days), days }
}

/** The share of the monthly price for the days left, rounded up to a cent. */
export function prorate(monthlyPriceMicros: bigint, period: PaidPeriod, now: Date): bigint {
  const { daysLeft, days } = shareLeft(period, now)
  const share = monthlyPriceMicros * BigInt(daysLeft)
  // Rounding up in both steps equals rounding up once, because whole micros never skip a whole cent.
  return ceilToCent((share + BigInt(days) - 1n) / BigInt(days))
}

function daysBetween(from: Date, until: Date): number {
  return Math.max(Math.ceil((until.getTime() - from.getTime()) / DAY_MS), 0)
}
