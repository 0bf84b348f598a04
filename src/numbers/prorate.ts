// What a number costs between its purchase and the campaign's next renewal.

import { ceilToCent } from '../kit/money.js'

const DAY_MS = 24 * 60 * 60 * 1000

/** The paid period of a campaign: [periodStart, renewsAt). */
export interface Period {
  periodStart: Date
  renewsAt: Date
}

/**
 * The share of the monthly price for the days left, rounded up to a cent. A day that has begun counts
 * whole. Nothing is due past the renewal date: the renewal, once made, charges the next month.
 */
export function prorate(monthlyPriceMicros: bigint, period: Period, now: Date): bigint {
  const days = Math.max(daysBetween(period.periodStart, period.renewsAt), 1)
  const daysLeft = Math.min(daysBetween(now, period.renewsAt), days)
  const share = monthlyPriceMicros * BigInt(daysLeft)
  // Rounding up at both steps is rounding up once: whole micros never pass over a whole cent.
  return ceilToCent((share + BigInt(days) - 1n) / BigInt(days))
}

function daysBetween(from: Date, until: Date): number {
  return Math.max(Math.ceil((until.getTime() - from.getTime()) / DAY_MS), 0)
}
