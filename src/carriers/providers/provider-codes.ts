// What a provider's codes and refusals mean for a message. Each provider has a table based on its documentation.
// Providers change and add codes: a code without an entry becomes 1499, is counted, and appears unchanged in the
// message's timeline.

import { type ErrorCode, MESSAGE_ERRORS, SENDER_REFUSED } from '../../messages/message-errors.js'
import type { ProviderAnswer, SubmitResult } from './provider.js'

/**
 * A number is the error code of the failed message. `throttled`: not accepted, retry later. `sender`: the
 * provider refuses the sending number, and messages from others may continue. `fault`: a problem of the operator,
 * such as the key or the balance. No customer's message fails because of it: the link goes down and reports why.
 */
export type CodeMeaning = ErrorCode | 'throttled' | 'sender' | 'fault'

export interface ProviderCodes {
  /** Null: unexplained so far. */
  meaningOf: (code: string) => CodeMeaning | null
  /** For a receipt, which arrives after the message was sent, so nothing can wait or be requeued. */
  failureOf: (code: string) => ErrorCode
  /**
   * The provider guarantees that nothing it refuses, with any status, is sent or billed. Others guarantee nothing
   * for a 5xx.
   */
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
  /** The provider's description, and the substitute for a missing code. */
  text: string | null
  instead?: string | null
  /** Whether the body is an error in this provider's format. A gateway writes something else. */
  isOwn: boolean
  /** When its rate limit ends, if there is no Retry-After. */
  resetMs?: number
}

/** Statuses for a gateway timeout or a closed connection. The provider may have the message. */
const GATEWAY_TIMEOUTS: ReadonlySet<number> = new Set([408, 425, 444, 460, 463, 494, 499])

/** For any response that is not a success. */
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

/** Whether the response proves that the message was not sent. */
function isCertain(
  { isRefusedNeverSent }: ProviderCodes,
  { status, isOwn }: Refused,
  meaning: CodeMeaning | null,
): boolean {
  if (status < 400) return false
  if (status < 500 && !GATEWAY_TIMEOUTS.has(status)) return true
  if (!isOwn) return false
  // 503: it was not ready to process anything. With its other failures, it is unknown how far processing went.
  return status === 503 || isRefusedNeverSent || typeof meaning === 'string'
}

/** A refused key is the operator's problem. With an unexplained code, it may be about this message. */
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

/** A header with a longer time is most likely wrong, so nothing waits longer than this. */
const WAIT_MS_MAX = 3_600_000

/**
 * Retry-After, in seconds or as an HTTP date (RFC 9110, section 10.2.3). Undefined: it names no time. A date is
 * compared with the provider's own clock if the response shows it.
 */
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
