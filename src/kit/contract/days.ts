// A range of whole days for reports: UTC, both ends included, with a maximum length.

import { Type } from 'typebox'
import { DAY_MS } from '../clock.js'
import { fieldRefusal } from './refusal.js'

const EXPECTS = 'must be a day such as 2026-11-15'

export interface Days {
  /** The start of the first day. */
  from: Date
  /** The start of the last day. */
  to: Date
}

export const Day = (description: string) =>
  Type.Optional(Type.String({ format: 'date', maxLength: 10, description, 'x-expects': EXPECTS }))

interface Bounds {
  now: Date
  daysMax: number
  /** Where the range starts by default. */
  firstOf: (to: Date) => Date
}

/** Refuses a range that is reversed, too long, or before any data. */
export function readDays(query: { from?: string; to?: string }, bounds: Bounds): Days {
  const { now, daysMax, firstOf } = bounds
  const to = new Date(query.to ?? dayOf(now))
  const from = query.from === undefined ? firstOf(to) : new Date(query.from)
  if (from > to) throw fieldRefusal('from', 'must not be after to')
  if (to.getTime() - from.getTime() >= daysMax * DAY_MS) {
    throw fieldRefusal('from', `must be at most ${daysMax} days before to`)
  }
  // There is no older data, and no ID can contain such a time.
  if (from.getTime() < 0) throw fieldRefusal('from', EXPECTS)
  return { from, to }
}

/** 2026-11-15 */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}
