// What a provider's codes and refusals mean for a message. Each provider has a table based on its documentation.
// Providers change and add codes: a code without an entry becomes 1499, is counted, and appears unchanged in the
// message's timeline.

import { type ErrorCode, MESSAGE_ERRORS, SENDER_REFUSED } from '../../messages/message-errors.js'
import type { ProviderAnswer, SubmitResult } from './provider.js'

/**
 * A number is why the message failed. `throttled`: not accepted, and welcome later. `sender`: the provider refuses the
 * number that it is from; messages from others may continue. `fault`: something of the host's is wrong, such as the key
 * or the balance. No customer's message fails because of it: the link goes down and reports why.
 */
export type CodeMeaning = ErrorCode | 'throttled' | 'sender' | 'fault'

export interface ProviderCodes {
  /** Null: nobody has explained it yet. */
  meaningOf: (code: string) => CodeMeaning | null
  /** Of a receipt, which comes when the message is gone: nothing can wait or be requeued any more. */
  failureOf: (code: string) => ErrorCode
  /** The provider promises that nothing it refuses, with any status, is sent or billed. Others promise nothing of a 5xx. */
  isRefusedNeverSent: boolean
}

export function defineCodes(
  codes: Partial<Record<CodeMeaning, readonly string[]>>,
  { isRefusedNeverSent = false } = {},
): ProviderCodes {
  const meanings = new Map(
    Object.entries(codes).flatMap(([key, list]) => {
      const meaning = (Object.hasOwn(MESSAGE_ERRORS, key) ? Number(key) : key) as CodeMeaning
      return list.map((code): [string, CodeMeaning] => [code, meaning])
    }),
  )
  const meaningOf = (code: string) => meanings.get(code) ?? null
  return {
    meaningOf,
    failureOf: (code) => {
      const meaning = meaningOf(code) ?? 1499
      if (meaning === 'sender') return SENDER_REFUSED
      return typeof meaning === 'number' ? meaning : 1375
    },
    isRefusedNeverSent,
  }
}

export interface Refused {
  status: number
  headers: ProviderAnswer['headers']
  now: Date
  code: string | null
  /** The provider's description, and what stands for the code if it gives none. */
  text: string | null
  instead?: string | null
  /** Whether the body is an error as this provider writes them. A gateway writes something else. */
  isOwn: boolean
  /** When its limit of requests is over, where it names no Retry-After. */
  resetMs?: number
}

/** Statuses by which a gateway reports a timeout or a closed connection: the provider may have the message. */
const GATEWAY_TIMEOUTS: ReadonlySet<number> = new Set([408, 425, 444, 460, 463, 494, 499])

/** Of any answer that is not a success. */
export function readRefusal(codes: ProviderCodes, refused: Refused): SubmitResult {
  const { status, code, isOwn } = refused
  const meaning = isOwn && code !== null ? codes.meaningOf(code) : null
  if (status === 429) return throttled(refused)
  if (!isCertain(codes, refused, meaning)) return { kind: 'unknown', detail: describe(refused) }
  if (meaning === 'throttled') return throttled(refused)
  if (meaning === 'fault' || isKeyRefused(refused)) {
    return { kind: 'fault', detail: carrierCodeOf(refused) }
  }
  if ((status >= 500 || status === 408) && meaning !== 'sender') return throttled(refused)
  const carrierCode = carrierCodeOf(refused)
  if (meaning === 'sender') return { kind: 'sender', carrierCode }
  return { kind: 'failed', errorCode: meaning ?? 1499, carrierCode, isUnmapped: meaning === null }
}

/** Whether the answer shows that the message was not sent. */
function isCertain(
  { isRefusedNeverSent }: ProviderCodes,
  { status, isOwn }: Refused,
  meaning: CodeMeaning | null,
): boolean {
  if (status < 400) return false
  if (status < 500 && !GATEWAY_TIMEOUTS.has(status)) return true
  if (!isOwn) return false
  // 503: it was not ready to process anything. Of its other failures nobody knows how far it came.
  return status === 503 || isRefusedNeverSent || typeof meaning === 'string'
}

/** A key that is refused is the host's fault. With a code that nobody has explained, it may be about this message. */
function isKeyRefused({ status, code, isOwn }: Refused): boolean {
  if (status === 401 || status === 407) return true
  return status === 403 && (!isOwn || code === null)
}

function throttled({ status, headers, now, resetMs }: Refused): SubmitResult {
  const retryAfter = status === 429 || status === 503 ? retryAfterMs(headers, now) : undefined
  if (retryAfter !== undefined)
    return { kind: 'throttled', retryAfterMs: retryAfter, isForAll: true }
  return { kind: 'throttled', ...(resetMs !== undefined && { retryAfterMs: resetMs }) }
}

function carrierCodeOf({ status, code, instead, text, isOwn }: Refused): string {
  if (!isOwn) return `HTTP ${status}`
  const parts = [code ?? instead ?? `HTTP ${status}`, text]
  return parts.filter((word) => word != null).join(' ')
}

function describe(refused: Refused): string {
  const { status, isOwn } = refused
  if (!isOwn) return `HTTP ${status} from a gateway, not from the provider itself`
  return `HTTP ${status} (${carrierCodeOf(refused)})`
}

/** A header that names a longer time is most likely wrong: nothing waits longer than this because of it. */
const WAIT_MS_MAX = 3_600_000

/** Retry-After, in seconds or as an HTTP date (RFC 9110, section 10.2.3). Undefined: it names no time. A date is compared with the provider's own clock where the response shows it. */
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
