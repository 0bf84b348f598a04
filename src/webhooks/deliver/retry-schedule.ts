// When a failed delivery is retried. Pure.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** After the immediate first attempt. Eight attempts in total, over about 28 hours. */
export const RETRY_WAITS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
]

/** A longer Retry-After is cut, because a wrong header must not silence an endpoint for months. */
export const RETRY_AFTER_MS_MAX = 10 * HOUR

/** Jitter only shortens, so the documented wait is the maximum and retries still spread out. */
const JITTER = 0.1

/**
 * Null when all attempts are used. `attempts` counts those in this round, including the failed one. The endpoint
 * can lengthen the wait but never shorten it.
 */
export function retryWaitMs(
  attempts: number,
  retryAfterMs: number | null,
  random: () => number = Math.random,
): number | null {
  const waitMs = RETRY_WAITS_MS[attempts - 1]
  if (waitMs === undefined) return null
  const jittered = waitMs * (1 - JITTER * random())
  return Math.round(Math.max(jittered, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MS_MAX)))
}

/** The header's two forms: seconds, or an HTTP date. Null for anything else. */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * SECOND
  if (!/^[A-Z][a-z]{2},? /.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime())
}
