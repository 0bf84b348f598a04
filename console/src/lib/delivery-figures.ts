// How an endpoint does, from the deliveries that a page has read. They are the newest, and so the figures
// are either of a whole day or of exactly these: the window is named, never guessed.

import type { Delivery } from '../../generated/types.gen'

export interface Bucket {
  start: Date
  attempts: number
  failed: number
  /** 95 of 100 answers took no longer; null without an answer. */
  p95Ms: number | null
}

export interface Figures {
  /** Last 24 h, or: last 100 deliveries. */
  window: { kind: 'day' } | { kind: 'last'; count: number }
  counts: Record<Delivery['state'], number>
  p50Ms: number | null
  p95Ms: number | null
  buckets: Bucket[]
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Of a window that is no day. */
const BUCKETS = 24

type Attempt = Delivery['attempts'][number]

/** Newest first, as the API lists them. */
export function figuresOf(newest: readonly Delivery[], hasMore: boolean, now: Date): Figures {
  const dayAgo = now.getTime() - DAY_MS
  const oldest = newest.at(-1)
  const isWholeDay = !hasMore || (oldest !== undefined && Date.parse(oldest.createdAt) < dayAgo)
  const counted = isWholeDay
    ? newest.filter(({ createdAt }) => Date.parse(createdAt) >= dayAgo)
    : newest
  const counts = { pending: 0, held: 0, delivered: 0, failed: 0 }
  for (const { state } of counted) counts[state] += 1
  const attempts = counted.flatMap((delivery) => delivery.attempts)
  return {
    window: isWholeDay ? { kind: 'day' } : { kind: 'last', count: newest.length },
    counts,
    p50Ms: percentile(attempts, 0.5),
    p95Ms: percentile(attempts, 0.95),
    buckets: isWholeDay ? hoursOf(attempts, dayAgo) : spanOf(attempts),
  }
}

/** By the hour, as clocks strike: the first and the last of the day are cut. */
function hoursOf(attempts: readonly Attempt[], dayAgo: number): Bucket[] {
  return bucketsOf(attempts, Math.floor(dayAgo / HOUR_MS) * HOUR_MS, HOUR_MS, 25)
}

function spanOf(attempts: readonly Attempt[]): Bucket[] {
  const times = attempts.map(({ at }) => Date.parse(at))
  if (times.length === 0) return []
  const from = Math.min(...times)
  return bucketsOf(attempts, from, Math.max(1, Math.max(...times) - from) / BUCKETS, BUCKETS)
}

function bucketsOf(
  attempts: readonly Attempt[],
  from: number,
  step: number,
  count: number,
): Bucket[] {
  const parts: Attempt[][] = Array.from({ length: count }, () => [])
  for (const attempt of attempts) {
    const at = Math.floor((Date.parse(attempt.at) - from) / step)
    parts[Math.max(0, Math.min(count - 1, at))]!.push(attempt)
  }
  return parts.map((part, i) => ({
    start: new Date(from + i * step),
    attempts: part.length,
    failed: part.filter((attempt) => !isSuccess(attempt)).length,
    p95Ms: percentile(part, 0.95),
  }))
}

export function isSuccess({ responseCode }: Pick<Attempt, 'responseCode'>): boolean {
  return responseCode !== null && responseCode >= 200 && responseCode < 300
}

/** Of the answers: an attempt without one has no time. */
function percentile(attempts: readonly Attempt[], share: number): number | null {
  const times = attempts
    .filter(({ responseCode }) => responseCode !== null)
    .map(({ durationMs }) => durationMs)
    .sort((a, b) => a - b)
  return times[Math.ceil(times.length * share) - 1] ?? null
}
