// How long a provider asks us to wait: Retry-After, in seconds or as an HTTP date (RFC 9110, section 10.2.3).

import type { ProviderAnswer } from './provider.js'

/** A header that names a longer time is most likely wrong: nothing waits longer than this because of it. */
const WAIT_MS_MAX = 3_600_000

/** Undefined: it names no time. A date is compared with the provider's own clock where the response shows it. */
export function retryAfterMs(headers: ProviderAnswer['headers'], now: Date): number | undefined {
  const value = headers['retry-after']?.trim()
  if (!value) return undefined
  if (/^\d{1,9}$/.test(value)) return Math.min(Number(value) * 1000, WAIT_MS_MAX)
  const until = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(until)) return undefined
  const sentAt = Date.parse(headers.date ?? '')
  const waitMs = until - (Number.isNaN(sentAt) ? now.getTime() : sentAt)
  return Math.min(Math.max(waitMs, 0), WAIT_MS_MAX)
}
