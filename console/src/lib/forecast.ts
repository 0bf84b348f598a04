// How long the balance lasts: messages at the pace of the last seven days, and renewals on their dates. One-time
// fees are left out.

import { DAY_MS } from './durations'

const WEEK_DAYS = 7
/** One week of traffic says little about more than a year. */
const HORIZON_DAYS = 365

export interface Renewal {
  id: string
  at: Date
  /** Dollars per month, from then on. */
  amount: number
}

export interface Point {
  at: Date
  balance: number
}

export interface Forecast {
  /** Dollars per day for messages. */
  perDay: number
  /** From now until the balance is empty, or for a year. A renewal is two points at one time. */
  points: readonly Point[]
  /** When the balance is empty. Null: not within a year. */
  endsAt: Date | null
}

interface Given {
  now: Date
  balance: number
  /** Dollars that the messages of the last seven days cost. */
  weekCost: number
  /** An account younger than a week is averaged over its age. */
  since: Date
  renewals: readonly Renewal[]
}

export function forecast({ now, balance, weekCost, since, renewals }: Given): Forecast {
  const age = (now.getTime() - since.getTime()) / DAY_MS
  const perDay = weekCost / Math.min(WEEK_DAYS, Math.max(1, age))
  const end = new Date(now.getTime() + HORIZON_DAYS * DAY_MS)
  const points: Point[] = [{ at: now, balance }]
  let left: Point = points[0]!
  const add = (point: Point): Date | null => {
    const zeroAt = zeroBetween(left, point)
    left = zeroAt ? { at: zeroAt, balance: 0 } : point
    points.push(left)
    return zeroAt
  }
  for (const { at, amount } of [...dueUntil(renewals, now, end), { at: end, amount: 0 }]) {
    const days = (at.getTime() - left.at.getTime()) / DAY_MS
    const before = { at, balance: left.balance - perDay * days }
    const endsAt =
      add(before) ?? (amount > 0 ? add({ at, balance: before.balance - amount }) : null)
    if (endsAt) return { perDay, points, endsAt }
  }
  return { perDay, points, endsAt: null }
}

/** Where the line from one point to the next crosses zero. Null: it does not. */
function zeroBetween(from: Point, to: Point): Date | null {
  if (to.balance > 0 || from.balance === to.balance) return null
  const share = from.balance / (from.balance - to.balance)
  return new Date(from.at.getTime() + share * (to.at.getTime() - from.at.getTime()))
}

function dueUntil(renewals: readonly Renewal[], now: Date, end: Date): Renewal[] {
  const due = renewals.flatMap((renewal) => {
    const dates: Renewal[] = []
    for (let month = 0; ; month += 1) {
      const at = monthsLater(renewal.at, month)
      if (at > end) return dates
      dates.push({ ...renewal, at: at < now ? now : at })
    }
  })
  return due.sort((a, b) => a.at.getTime() - b.at.getTime())
}

/** A short month clamps the day, as renewals do. */
function monthsLater(moment: Date, months: number): Date {
  const later = new Date(moment)
  later.setUTCDate(1)
  later.setUTCMonth(later.getUTCMonth() + months)
  const last = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate()
  later.setUTCDate(Math.min(moment.getUTCDate(), last))
  return later
}
