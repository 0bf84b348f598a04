// When a failed request is sent again, and how long the client waits before that.

import type { LongcodeError } from './error.js'

const FIRST_DELAY_MS = 500
const DELAY_MAX_MS = 8_000
/** If the service asks for a longer wait, the caller decides. */
const RETRY_AFTER_MAX_S = 60

/** Waiting does not help against these, although their status is 429 or 503. */
const LASTING = new Set<string>([
  'calls_absent',
  'carrier_absent',
  'forwardings_too_many',
  'streams_too_many',
  'uploads_full',
])

/** Null if the request should not be sent again. */
export function retryDelayMs(error: LongcodeError, attempt: number): number | null {
  if (!isRetryable(error)) return null
  const { retryAfterSeconds } = error
  if (retryAfterSeconds !== null) {
    return retryAfterSeconds <= RETRY_AFTER_MAX_S ? retryAfterSeconds * 1_000 : null
  }
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** attempt, DELAY_MAX_MS)
  // Random jitter, so clients do not retry in lockstep.
  return delayMs * (0.5 + Math.random() / 2)
}

function isRetryable({ code, status }: LongcodeError): boolean {
  if (code === 'aborted' || LASTING.has(code)) return false
  if (status === null || code === 'response_unreadable') return true
  return code === 'idempotency_in_flight' || status === 429 || status >= 500
}

/** In seconds. The header has seconds or a date. */
export function readRetryAfter(header: string | null): number | null {
  if (header === null) return null
  if (/^\d+$/.test(header)) return Number(header)
  const seconds = (Date.parse(header) - Date.now()) / 1_000
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds))
}

/** Rejects with the reason of the signal when it aborts. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
