// Calendar months in UTC, as the ledger uses them.

import { serviceNow } from '../../lib/service-time'

const title = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** 2026-11 */
export function monthOf(moment: Date): string {
  return moment.toISOString().slice(0, 7)
}

export function isMonth(text: string): boolean {
  return /^[2-9]\d{3}-(0[1-9]|1[0-2])$/.test(text)
}

/** November 2026 */
export function monthTitle(month: string): string {
  return title.format(new Date(`${month}-01T00:00:00Z`))
}

export function monthBounds(month: string): { since: string; until: string } {
  return { since: `${month}-01T00:00:00.000Z`, until: `${monthAfter(month, 1)}-01T00:00:00.000Z` }
}

/** The last day of the month, or today if that is earlier. */
export function lastDayOf(month: string): string {
  const last = new Date(Date.parse(monthBounds(month).until) - 1)
  return new Date(Math.min(last.getTime(), serviceNow().getTime())).toISOString().slice(0, 10)
}

export function monthAfter(month: string, count: number): string {
  const start = new Date(`${month}-01T00:00:00Z`)
  start.setUTCMonth(start.getUTCMonth() + count)
  return monthOf(start)
}

const MONTHS_MAX = 120

/** From this month back to the first, newest first. */
export function monthsSince(first: string): string[] {
  const months: string[] = []
  for (
    let month = monthOf(serviceNow());
    month >= first && months.length < MONTHS_MAX;
    month = monthAfter(month, -1)
  ) {
    months.push(month)
  }
  return months
}
