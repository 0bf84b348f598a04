// A token bucket in this process: requests per token, or failures per address. Off if the rate is zero.

import { Cache } from '../kit/cache.js'

export interface RateDecision {
  isAllowed: boolean
  headers: Record<string, string>
}

export interface RateLimiter {
  /** Null if there is no limit. */
  take: (key: string) => RateDecision | null
  /** Undoes a request that turned out not to count. */
  refund: (key: string) => void
}

interface Bucket {
  tokens: number
  filledAt: number
}

const BUCKETS_MAX = 50_000

export function createRateLimiter(
  perSecond: number,
  burst: number,
  nowMs: () => number = () => performance.now(),
): RateLimiter {
  if (perSecond === 0) return { take: () => null, refund: () => {} }
  // At worst, an evicted bucket allows one more burst.
  const buckets = new Cache<string, Bucket>({ max: BUCKETS_MAX })
  const bucketOf = (key: string, now: number): Bucket => {
    const existing = buckets.peek(key)
    if (existing) return existing
    const bucket = { tokens: burst, filledAt: now }
    buckets.set(key, bucket)
    return bucket
  }

  return {
    take: (key) => {
      const now = nowMs()
      const bucket = bucketOf(key, now)
      bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond)
      bucket.filledAt = now
      const isAllowed = bucket.tokens >= 1
      if (isAllowed) bucket.tokens -= 1
      return { isAllowed, headers: headersOf(bucket, isAllowed, perSecond, burst) }
    },
    refund: (key) => {
      const bucket = buckets.peek(key)
      if (bucket) bucket.tokens += 1
    },
  }
}

function headersOf(
  bucket: Bucket,
  isAllowed: boolean,
  perSecond: number,
  burst: number,
): Record<string, string> {
  const headers: Record<string, string> = {
    'ratelimit-limit': String(burst),
    'ratelimit-remaining': String(Math.floor(bucket.tokens)),
    'ratelimit-reset': String(Math.ceil((burst - bucket.tokens) / perSecond)),
  }
  if (!isAllowed) {
    headers['retry-after'] = String(Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond)))
  }
  return headers
}
