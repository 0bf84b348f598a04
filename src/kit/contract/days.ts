// A range of whole days, as reports take it: UTC, both ends included, no longer than a report may be.

import { Type } from 'typebox'
import { fieldRefusal } from './refusal.js'

export const DAY_MS = 24 * 60 * 60 * 1000
const EXPECTS = 'must be a day such as 2026-11-15'

export interface Days {
  /** The beginning of the first day. */
  from: Date
  /** The beginning of the last. */
  to: Date
}

export const Day = (description: string) =>
  Type.Optional(Type.String({ format: 'date', maxLength: 10, description, 'x-expects': EXPECTS }))

interface Bounds {
  now: Date
  daysMax: number
  /** Where the range begins unless it says so. */
  firstOf: (to: Date) => Date
}

/** Refuses a range that is turned round, too long, or before anything was kept. */
export function readDays(query: { from?: string; to?: string }, bounds: Bounds): Days {
  const { now, daysMax, firstOf } = bounds
  const to = new Date(query.to ?? dayOf(now))
  const from = query.from === undefined ? firstOf(to) : new Date(query.from)
  if (from > to) throw fieldRefusal('from', 'must not be after to')
  if (to.getTime() - from.getTime() >= daysMax * DAY_MS) {
    throw fieldRefusal('from', `must be at most ${daysMax} days before to`)
  }
  // Nothing is older, and no id can hold such a time.
  if (from.getTime() < 0) throw fieldRefusal('from', EXPECTS)
  return { from, to }
}

/** 2026-11-15 */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}
