// The periods of partitions: months, weeks from Monday, and days, all in UTC. Pure.

import { DAY_MS } from '../clock.js'

const PERIODS = ['month', 'week', 'day'] as const
export type Period = (typeof PERIODS)[number]

/** 1970 began on a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS
const DAYS: Record<Period, number> = { month: 31, week: 7, day: 1 }

export function startOf(period: Period, moment: Date): Date {
  if (period === 'month') return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth()))
  const [origin, sizeMs] = period === 'week' ? [FIRST_MONDAY_MS, 7 * DAY_MS] : [0, DAY_MS]
  return new Date(origin + Math.floor((moment.getTime() - origin) / sizeMs) * sizeMs)
}

/** The start of the next period. */
export function nextStart(period: Period, moment: Date): Date {
  return startOf(period, new Date(startOf(period, moment).getTime() + DAYS[period] * DAY_MS))
}

/** The latest start of the open end: after one whole period that is still empty. */
export function aheadOf(period: Period, now: Date): Date {
  return nextStart(period, nextStart(period, now))
}

/**
 * The longest period, up to the given one, that keeps a partition below the given number of bytes; at least
 * days.
 */
export function periodFor(longest: Period, bytesPerDay: number, bytesMax: number): Period {
  const allowed = PERIODS.slice(PERIODS.indexOf(longest))
  return allowed.find((period) => bytesPerDay * DAYS[period] <= bytesMax) ?? 'day'
}
