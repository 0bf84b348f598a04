// The days of the balance chart: past days from the ledger, and future days from the forecast.

import type { DayBalance } from '../../../generated/types.gen'
import { DAY_MS } from '../../lib/durations'
import type { Forecast, Point } from '../../lib/forecast'
import { floorMoney, formatMoney } from '../../lib/format'

/** How far ahead the chart goes: to the end of the balance if that is near. */
const AHEAD = { least: 7, most: 30 }

const words = new Intl.DateTimeFormat('en-US', { day: 'numeric', month: 'short', timeZone: 'UTC' })

export interface BalanceDay {
  /** Nov 14. Ledger days are UTC. */
  label: string
  /** The end of the day. Today: now. */
  at: Date
  isToday: boolean
  balance: number
  /** Null if not known yet. */
  spent: number | null
  added: number | null
}

/** A new account has no 30 days yet: its first day is the first one shown. */
export function sinceBeginning(
  days: readonly DayBalance[],
  createdAt: string,
): readonly DayBalance[] {
  const known = days.filter(({ date }) => date >= createdAt.slice(0, 10))
  return known.length > 0 ? known : days.slice(-1)
}

export function describePeriod(days: number): string {
  return days > 1 ? `the last ${days} days` : 'today'
}

export function daysOf(past: readonly DayBalance[], { points, endsAt }: Forecast): BalanceDay[] {
  const now = points[0]!.at
  const were = past.map(({ date, balance, spent, added }, i) => {
    const start = new Date(`${date}T00:00:00Z`)
    const isToday = i === past.length - 1
    const at = isToday ? now : new Date(start.getTime() + DAY_MS)
    return { label: words.format(start), at, isToday, balance, spent, added }
  })
  const left = endsAt ? Math.ceil((endsAt.getTime() - now.getTime()) / DAY_MS) : AHEAD.most
  const count = Math.min(Math.max(left, AHEAD.least), AHEAD.most)
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  const toCome = Array.from({ length: count }, (_, i) => {
    const at = new Date(today + (i + 2) * DAY_MS)
    const balance = balanceAt(points, at)
    const label = words.format(new Date(today + (i + 1) * DAY_MS))
    return { label, at, isToday: false, balance, spent: null, added: null }
  })
  return [...were, ...toCome]
}

function balanceAt(points: readonly Point[], at: Date): number {
  const i = points.findIndex((point) => point.at > at)
  if (i === -1) return points.at(-1)!.balance
  const [from, to] = [points[i - 1]!, points[i]!]
  const span = to.at.getTime() - from.at.getTime()
  const share = span === 0 ? 1 : (at.getTime() - from.at.getTime()) / span
  return from.balance + share * (to.balance - from.balance)
}

export function sentenceOf(past: readonly DayBalance[], { endsAt }: Forecast): string {
  const sum = (pick: (day: DayBalance) => number) => past.reduce((all, day) => all + pick(day), 0)
  const [spent, added] = [sum((day) => day.spent), sum((day) => day.added)]
  const then = endsAt
    ? ` At this pace, the balance runs out on ${words.format(endsAt)}.`
    : ' At this pace, the balance lasts more than a year.'
  return `${floorMoney(spent)} spent and ${floorMoney(added)} added ${past.length > 1 ? `in ${describePeriod(past.length)}` : 'today'}.${then}`
}

export function describeDay({ label, isToday, balance, spent, added }: BalanceDay): string {
  if (spent === null) return `${label}: about ${formatMoney(balance, 2)} (forecast)`
  const credited = added ? `, ${formatMoney(added)} added` : ''
  const when = isToday ? 'now' : 'at the end of the day'
  return `${label}: ${floorMoney(balance)} ${when}, ${formatMoney(spent)} spent${isToday ? ' so far' : ''}${credited}`
}
