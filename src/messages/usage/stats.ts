// Statistics of messages in a time range: combines rows of counts into totals, groups, and buckets. Pure.
// stats-queries.ts counts.

import { CARRIERS } from '../lane.js'
import type { Direction } from '../message.js'
import { STATUSES, type Status } from '../message-state.js'
import { STEPS_PER_E } from '../moves/counter-queries.js'
import { BUCKET_MS, type UsageBucket } from './summed-span.js'

export const SPLITS = ['status', 'carrier', 'campaign'] as const
type Split = (typeof SPLITS)[number]

/** From this time until before that one. */
export interface StatsSpan {
  from: Date
  to: Date
  bucket: UsageBucket
  by: Split
  campaignId: string | null
}

interface CountRow {
  key: string
  direction: Direction
  status: Status
  count: number
}

interface TimeRow {
  key: string
  step: number
  count: number
}

/** Times as in JSON, because the rows arrive in one piece. */
export interface CountedMessages {
  inBuckets: (CountRow & { startMs: number })[]
  inGroups: (CountRow & { errorCode: number | null })[]
  times: TimeRow[]
}

interface Counts {
  outbound: number
  inbound: number
  /** Outbound only: inbound messages are always DELIVERED. */
  statuses: Record<Status, number>
}

interface Outcome extends Counts {
  /** The delivered share of finished messages. Null while none has finished. */
  deliveryRate: number | null
  medianDeliveryMs: number | null
  errors: { code: number; count: number }[]
}

export interface Stats {
  total: Outcome
  groups: (Outcome & { key: string })[]
  buckets: (Counts & { start: Date; groups: (Counts & { key: string })[] })[]
}

export function readStats(span: StatsSpan, { inBuckets, inGroups, times }: CountedMessages): Stats {
  const byKey = groupBy(inGroups, (row) => row.key)
  const timesOf = groupBy(times, (row) => row.key)
  return {
    total: outcomeOf(inGroups, times),
    groups: keysOf(span, byKey).map((key) => ({
      key,
      ...outcomeOf(byKey.get(key) ?? [], timesOf.get(key) ?? []),
    })),
    buckets: bucketsOf(span, inBuckets),
  }
}

/** All carriers in fixed order, or the campaigns with messages, busiest first. */
function keysOf({ by }: StatsSpan, byKey: ReadonlyMap<string, readonly CountRow[]>): string[] {
  if (by === 'status') return []
  if (by === 'carrier') return [...CARRIERS]
  return [...byKey]
    .map(([key, rows]) => ({ key, sum: rows.reduce((sum, { count }) => sum + count, 0) }))
    .sort((a, b) => b.sum - a.sum || (a.key < b.key ? -1 : 1))
    .map(({ key }) => key)
}

function bucketsOf(span: StatsSpan, rows: CountedMessages['inBuckets']): Stats['buckets'] {
  const byStart = groupBy(rows, (row) => row.startMs)
  return bucketStarts(span).map((startMs) => {
    const own = byStart.get(startMs) ?? []
    // Without a split, their only key is not a carrier.
    const byKey = groupBy(own, (row) => row.key)
    const groups = CARRIERS.filter((key) => byKey.has(key)).map((key) => ({
      key,
      ...countsOf(byKey.get(key)!),
    }))
    return { start: new Date(startMs), ...countsOf(own), groups }
  })
}

function groupBy<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}

/** Including buckets without messages. */
function bucketStarts({ from, to, bucket }: StatsSpan): number[] {
  const sizeMs = BUCKET_MS[bucket]
  const firstMs = Math.floor(from.getTime() / sizeMs) * sizeMs
  const count = Math.ceil((to.getTime() - firstMs) / sizeMs)
  return Array.from({ length: count }, (_, i) => firstMs + i * sizeMs)
}

function countsOf(rows: readonly CountRow[]): Counts {
  const statuses = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Counts['statuses']
  const counts: Counts = { outbound: 0, inbound: 0, statuses }
  for (const { direction, status, count } of rows) {
    if (direction === 'INBOUND') {
      counts.inbound += count
    } else {
      counts.outbound += count
      statuses[status] += count
    }
  }
  return counts
}

function outcomeOf(rows: CountedMessages['inGroups'], times: readonly TimeRow[]): Outcome {
  const counts = countsOf(rows)
  const { DELIVERED, READ, FAILED, EXPIRED } = counts.statuses
  const arrived = DELIVERED + READ
  const decided = arrived + FAILED + EXPIRED
  return {
    ...counts,
    deliveryRate: decided === 0 ? null : arrived / decided,
    medianDeliveryMs: medianMs(times),
    errors: errorsOf(rows),
  }
}

function medianMs(times: readonly TimeRow[]): number | null {
  const half = times.reduce((sum, { count }) => sum + count, 0) / 2
  let upTo = 0
  for (const { step, count } of times.toSorted((a, b) => a.step - b.step)) {
    upTo += count
    if (upTo >= half) return Math.round(1000 * Math.exp(step / STEPS_PER_E))
  }
  return null
}

/** Most frequent first. */
function errorsOf(rows: CountedMessages['inGroups']): Outcome['errors'] {
  const sums = new Map<number, number>()
  for (const { errorCode, count } of rows) {
    if (errorCode !== null) sums.set(errorCode, (sums.get(errorCode) ?? 0) + count)
  }
  return [...sums]
    .map(([code, count]) => ({ code, count }))
    .sort((a, b) => b.count - a.count || a.code - b.code)
}
