// Stretches of time that partitions hold: months, weeks from Monday, days, all in UTC. Pure.

const PERIODS = ['month', 'week', 'day'] as const
export type Period = (typeof PERIODS)[number]

const DAY_MS = 24 * 60 * 60 * 1000
/** 1970 began on a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS
const DAYS: Record<Period, number> = { month: 31, week: 7, day: 1 }

export function startOf(period: Period, moment: Date): Date {
  if (period === 'month') return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth()))
  const [origin, sizeMs] = period === 'week' ? [FIRST_MONDAY_MS, 7 * DAY_MS] : [0, DAY_MS]
  return new Date(origin + Math.floor((moment.getTime() - origin) / sizeMs) * sizeMs)
}

/** The start of the period after the one that the moment is in. */
export function nextStart(period: Period, moment: Date): Date {
  return startOf(period, new Date(startOf(period, moment).getTime() + DAYS[period] * DAY_MS))
}

/** Where what is open-ended has to begin at the latest: after one whole period that nothing is in yet. */
export function aheadOf(period: Period, now: Date): Date {
  return nextStart(period, nextStart(period, now))
}

/** The longest period, from one on, of which a partition stays below so many bytes; or days. */
export function periodFor(longest: Period, bytesPerDay: number, bytesMax: number): Period {
  const allowed = PERIODS.slice(PERIODS.indexOf(longest))
  return allowed.find((period) => bytesPerDay * DAYS[period] <= bytesMax) ?? 'day'
}
