// Metrics of an endpoint, computed from the newest deliveries that the page has read. They cover either the last
// 24 hours or exactly these deliveries, and the window is always named.

import type { Delivery } from '../../generated/types.gen'
import { DAY_MS, MINUTE_MS } from './durations'

export interface Bucket {
  start: Date
  attempts: number
  failed: number
  /** 95% of responses took no longer. Null: no response. */
  p95Ms: number | null
}

export interface Figures {
  /** The last 24 hours, or the last 100 deliveries. */
  window: { kind: 'day' } | { kind: 'last'; count: number }
  counts: Record<Delivery['state'], number>
  p50Ms: number | null
  p95Ms: number | null
  buckets: Bucket[]
}

const BUCKETS = 25
/** As fine as the attempts allow, since those of a new webhook are minutes apart. */
const STEPS_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS]

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
    buckets: bucketsOf(attempts, now.getTime()),
  }
}

/** Buckets aligned to the clock, from the first attempt at the latest up to now. */
function bucketsOf(attempts: readonly Attempt[], now: number): Bucket[] {
  const first = Math.min(now, ...attempts.map(({ at }) => Date.parse(at)))
  const startOf = (step: number) => (Math.floor(now / step) - BUCKETS + 1) * step
  const step = STEPS_MS.find((one) => startOf(one) <= first) ?? STEPS_MS.at(-1)!
  const parts: Attempt[][] = Array.from({ length: BUCKETS }, () => [])
  for (const attempt of attempts) {
    const at = Math.floor((Date.parse(attempt.at) - startOf(step)) / step)
    parts[Math.max(0, Math.min(BUCKETS - 1, at))]!.push(attempt)
  }
  return parts.map((part, i) => ({
    start: new Date(startOf(step) + i * step),
    attempts: part.length,
    failed: part.filter((attempt) => !isSuccess(attempt)).length,
    p95Ms: percentile(part, 0.95),
  }))
}

export function isSuccess({ responseCode }: Pick<Attempt, 'responseCode'>): boolean {
  return responseCode !== null && responseCode >= 200 && responseCode < 300
}

/** Of the responses only: an attempt without one has no duration. */
function percentile(attempts: readonly Attempt[], share: number): number | null {
  const times = attempts
    .filter(({ responseCode }) => responseCode !== null)
    .map(({ durationMs }) => durationMs)
    .sort((a, b) => a - b)
  return times[Math.ceil(times.length * share) - 1] ?? null
}
