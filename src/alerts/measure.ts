// Whether the delivery rate of some messages is below normal. Pure. Small numbers never raise an alert, and an alert that
// was raised needs a better rate to clear, so it does not flap.

import type { OutcomeCount } from '../messages/usage/outcome-queries.js'
import type { Alert } from './alert.js'

/** Fewer finished messages say nothing about a rate. */
const FINISHED_MIN = 50
/** Fewer failed messages are not worth an alert, whatever their share. */
export const FAILED_MIN = 20
/** With fewer messages in the week before, the usual rate is assumed. */
const NORMAL_MIN = 200
const USUAL_RATE = 0.95
/** However low the rate was before, less than this is a problem. */
const RATE_FLOOR = 0.7
/** How far below normal raises an alert, and how much better than that clears it. */
const DROP = 0.15
const MARGIN = 0.05

/** This hour and the one before if they have enough messages, or else the last 24 hours. */
type Window = 'recent' | 'day'

export interface Measure {
  window: Window
  finished: number
  failed: number
  rate: number
  normalRate: number
  isLow: boolean
}

/** Null: too few messages. */
export function measure(
  rows: readonly OutcomeCount[],
  open: Pick<Alert, 'figures'> | undefined,
): Measure | null {
  const window = windowOf(rows)
  if (window === null) return null
  const finished = sum(rows, window)
  const failed = sum(rows.filter(isFailed), window)
  const rate = 1 - failed / finished
  const normalRate = open?.figures.normalRate ?? normalRateOf(rows)
  const limit = Math.max(RATE_FLOOR, normalRate - DROP) + (open ? MARGIN : 0)
  const isLow = rate < limit && (open !== undefined || failed >= FAILED_MIN)
  return { window, finished, failed, rate, normalRate, isLow }
}

export function windowOf(rows: readonly OutcomeCount[]): Window | null {
  if (sum(rows, 'recent') >= FINISHED_MIN) return 'recent'
  return sum(rows, 'day') >= FINISHED_MIN ? 'day' : null
}

function normalRateOf(rows: readonly OutcomeCount[]): number {
  const finished = sum(rows, 'before')
  if (finished < NORMAL_MIN) return USUAL_RATE
  return 1 - sum(rows.filter(isFailed), 'before') / finished
}

function isFailed({ errorCode }: OutcomeCount): boolean {
  return errorCode !== 0
}

export function sum(rows: readonly OutcomeCount[], window: Window | 'before'): number {
  return rows.reduce((all, row) => all + row[window], 0)
}

/** The first hour with failures in the window. */
export function failingSince(rows: readonly OutcomeCount[], window: Window, now: Date): Date {
  const name = window === 'recent' ? 'firstRecentAt' : 'firstAt'
  const times = rows.filter(isFailed).flatMap((row) => row[name]?.getTime() ?? [])
  return new Date(Math.min(now.getTime(), ...times))
}

/** Error codes, most frequent first. */
export function topErrors(
  rows: readonly OutcomeCount[],
  window: Window,
): { code: number; count: number }[] {
  const counts = new Map<number, number>()
  for (const row of rows.filter(isFailed)) {
    counts.set(row.errorCode, (counts.get(row.errorCode) ?? 0) + row[window])
  }
  return [...counts]
    .map(([code, count]) => ({ code, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
}

export function groupBy<Key>(
  rows: readonly OutcomeCount[],
  keyIn: (row: OutcomeCount) => Key,
): Map<Key, OutcomeCount[]> {
  const groups = new Map<Key, OutcomeCount[]>()
  for (const row of rows) {
    const key = keyIn(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return groups
}
