// Telnyx's messaging API: JSON both ways, an API key as bearer token, callbacks signed with Ed25519. It has no
// field for our ID, so the callback URL carries it. It has no expiry field either, so our own queue enforces
// expiry.

import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { promisify } from 'node:util'
import type { AccountId } from '../../../accounts/account.js'
import type { CallbackRequest } from '../../../messages/carrier-http.js'
import type { PhoneFacts, Submission } from '../../../messages/carrier-port.js'
import { isGsm7 } from '../../../text/gsm7.js'
import { handledKeywords } from '../callbacks.js'
import type {
  CallbackContext,
  InboundCallback,
  MessageApi,
  ProviderAnswer,
  ProviderCallback,
  ProviderRequest,
  ReceiptCallback,
  SubmitResult,
} from '../provider.js'
import { readRefusal } from '../provider-codes.js'
import { factsOf, listAt, objectAt, parseJson, textAt } from '../read-answer.js'
import { TELNYX_CODES } from './codes.js'

export interface TelnyxSettings {
  baseUrl: string
  key: string
  /** 32 bytes in base64, as the account's page shows it. */
  publicKey: string
  /** By our campaign, so one STOP silences one campaign. Others use the number's own profile. */
  profiles: ReadonlyMap<string, string>
  /** Whether it acts on STOP automatically, which can be turned off there. */
  answersKeywords: boolean
}

/** The maximum age or clock difference of a signed callback. */
const TOLERANCE_MS = 300_000
/** The prefix of a 32-byte Ed25519 key in SPKI. */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex')
const RESET_S_MAX = 60

export function createTelnyx(settings: TelnyxSettings): MessageApi {
  const key = readPublicKey(settings.publicKey)
  const headers = { authorization: `Bearer ${settings.key}` }
  return {
    probe: () => ({
      method: 'GET',
      url: `${settings.baseUrl}/v2/messaging_profiles?page[size]=1`,
      headers,
    }),
    submit: (submission, statusUrl) => composeSubmit(settings, submission, statusUrl),
    readSubmit,
    lookUp: (number) => ({
      method: 'GET',
      url: `${settings.baseUrl}/v2/number_lookup/${encodeURIComponent(number)}?type=carrier`,
      headers,
    }),
    readLookUp,
    isGenuine: (request, at) => isGenuine(key, request, at),
    readCallbacks: (request) => readCallbacks(request, settings),
    storedReply: { status: 200 },
  }
}

/** Throws if it is not a key. */
export function readPublicKey(text: string): KeyObject {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length !== 32) throw new Error('must be the base64 of 32 bytes')
  return createPublicKey({
    key: Buffer.concat([SPKI_HEAD, bytes]),
    format: 'der',
    type: 'spki',
  })
}

function composeSubmit(
  { baseUrl, key, profiles }: TelnyxSettings,
  { from, to, body, mediaUrls, type, campaignId }: Submission,
  statusUrl: string,
): ProviderRequest {
  const profile = profiles.get(campaignId)
  const fields = {
    from,
    to,
    ...(body !== '' && { text: body }),
    ...(mediaUrls.length > 0 && { media_urls: mediaUrls }),
    type,
    // Our text is already folded. Their folding would count other segments.
    ...(type === 'SMS' && { encoding: isGsm7(body) ? 'gsm7' : 'ucs2' }),
    ...(profile !== undefined && { messaging_profile_id: profile }),
    webhook_url: statusUrl,
    use_profile_webhooks: false,
  }
  return {
    method: 'POST',
    url: `${baseUrl}/v2/messages`,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  }
}

function readSubmit(answer: ProviderAnswer, now: Date): SubmitResult {
  const { status, headers } = answer
  const parsed = parseJson(answer.body)
  if (status >= 200 && status < 300) {
    const carrierId = textAt(parsed, 'data', 'id')
    if (carrierId === null) return { kind: 'unknown', detail: `${status} without an id` }
    const to = objectAt(parsed, 'data', 'to', 0)
    return {
      kind: 'accepted',
      carrierId,
      facts: factsOf(textAt(to, 'carrier'), textAt(to, 'line_type')),
    }
  }
  const error = objectAt(parsed, 'errors', 0)
  const code = textAt(error, 'code')
  const isOwn = code !== null && /^\d{5}$/.test(code)
  const text = titleOf(error)
  return readRefusal(TELNYX_CODES, { status, headers, now, code, text, isOwn, ...resetOf(headers) })
}

function readLookUp({ status, body }: ProviderAnswer): PhoneFacts | null {
  if (status !== 200) return null
  const data = objectAt(parseJson(body), 'data')
  const ported = textAt(data, 'portability', 'spid_carrier_name')
  const carrier = ported ?? textAt(data, 'carrier', 'name')
  return factsOf(carrier, textAt(data, 'carrier', 'type'))
}

/** When the rate limit ends, as it reports. */
function resetOf(headers: ProviderAnswer['headers']): { resetMs?: number } {
  const resetS = Number(headers['x-ratelimit-reset'])
  return resetS > 0 && resetS <= RESET_S_MAX ? { resetMs: resetS * 1000 } : {}
}

/** Code and text, for the timeline. */
function describeError(error: Record<string, unknown>): string | null {
  const parts = [textAt(error, 'code'), titleOf(error)]
  return parts.filter((word) => word !== null).join(' ') || null
}

function titleOf(error: Record<string, unknown>): string | null {
  return textAt(error, 'title') ?? textAt(error, 'detail')
}

/** In a worker thread, because it takes longer than the rest of a callback. */
const verifyAside = promisify(verify)

async function isGenuine(
  key: KeyObject,
  { headers, body }: CallbackRequest,
  { now }: CallbackContext,
): Promise<boolean> {
  const [signature, timestamp] = [headers['telnyx-signature-ed25519'], headers['telnyx-timestamp']]
  if (typeof signature !== 'string' || typeof timestamp !== 'string') return false
  if (!/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(now.getTime() - Number(timestamp) * 1000) > TOLERANCE_MS) return false
  const signed = Buffer.concat([Buffer.from(`${timestamp}|`), body])
  const bytes = Buffer.from(signature, 'base64')
  return bytes.length === 64 && verifyAside(null, signed, key, bytes)
}

function readCallbacks(
  { body, path }: CallbackRequest,
  settings: TelnyxSettings,
): ProviderCallback[] | null {
  const data = objectAt(parseJson(body), 'data')
  if (textAt(data, 'event_type')?.startsWith('10dlc.')) return readRegistration(path)
  const payload = objectAt(data, 'payload')
  const carrierId = textAt(payload, 'id')
  if (carrierId === null) return null
  switch (textAt(data, 'event_type')) {
    case 'message.received':
      return readInbound(carrierId, payload, settings)
    case 'message.sent':
    case 'message.finalized':
      return [readReceipt(carrierId, payload)]
    default:
      return [] // another kind of event: genuine, but not for us
  }
}

/** The URL we gave it names the record. Other callbacks are not about our registrations. */
function readRegistration(path: string): ProviderCallback[] {
  const [, accountId, recordId] = REGISTRATION.exec(path) ?? []
  if (!accountId || !recordId) return []
  return [{ kind: 'registration', accountId: accountId as AccountId, recordId }]
}

const REGISTRATION = /^\/registration\/(acc_[0-9a-z]{26})\/((?:brd|cmp)_[0-9a-z]{26})$/

const STATUSES: Readonly<Record<string, ReceiptCallback['status']>> = {
  queued: 'SENT',
  sending: 'SENT',
  sent: 'SENT',
  delivered: 'DELIVERED',
  delivery_failed: 'FAILED',
  sending_failed: 'FAILED',
  expired: 'FAILED',
  delivery_unconfirmed: 'UNCONFIRMED',
}

function readReceipt(carrierId: string, payload: Record<string, unknown>): ReceiptCallback {
  const to = objectAt(payload, 'to', 0)
  const statusText = textAt(to, 'status') ?? ''
  const status = STATUSES[statusText] ?? 'SENT'
  const code = textAt(payload, 'errors', 0, 'code')
  const facts = factsOf(textAt(to, 'carrier'), textAt(to, 'line_type'))
  const description = describeError(objectAt(payload, 'errors', 0))
  return {
    kind: 'receipt',
    carrierId,
    status,
    errorCode: status === 'FAILED' ? errorOf(statusText, code, facts.isLandline === true) : null,
    carrierCode:
      description ?? (status === 'FAILED' || status === 'UNCONFIRMED' ? statusText : null),
    isUnmapped: status === 'FAILED' && code !== null && TELNYX_CODES.meaningOf(code) === null,
    from: textAt(payload, 'from', 'phone_number'),
    to: textAt(to, 'phone_number'),
    facts,
  }
}

/** 40001 means both "landline" and "no route". The line type decides. */
function errorOf(statusText: string, code: string | null, isLandline: boolean) {
  if (code === null) return statusText === 'expired' ? 1400 : 1499
  if (code === '40001' && isLandline) return 1360
  return TELNYX_CODES.failureOf(code)
}

/** One for each of our numbers. A group message may name several. */
function readInbound(
  carrierId: string,
  payload: Record<string, unknown>,
  { answersKeywords }: TelnyxSettings,
): InboundCallback[] | null {
  const from = textAt(payload, 'from', 'phone_number')
  const numbers = listAt(payload, 'to').flatMap((one) => textAt(one, 'phone_number') ?? [])
  if (from === null || numbers.length === 0) return null
  const facts = factsOf(textAt(payload, 'from', 'carrier'), textAt(payload, 'from', 'line_type'))
  const mediaUrls = listAt(payload, 'media').flatMap((one) => textAt(one, 'url') ?? [])
  const body = textAt(payload, 'text') ?? ''
  const autoresponse = HANDLED[textAt(payload, 'autoresponse_type')?.toUpperCase() ?? ''] ?? null
  const handled =
    autoresponse ??
    (answersKeywords ? (HANDLED_KEYWORDS.get(body.trim().toUpperCase()) ?? null) : null)
  return numbers.map((to, i) => ({
    kind: 'inbound',
    carrierId: i === 0 ? carrierId : `${carrierId} ${to}`,
    ...{ from, to, body, mediaUrls, facts, handled },
  }))
}

const HANDLED: Readonly<Record<string, InboundCallback['handled']>> = {
  OPT_OUT: 'STOP',
  STOP: 'STOP',
  OPT_IN: 'START',
  START: 'START',
  HELP: 'HELP',
  INFO: 'HELP',
}

/**
 * Telnyx acts on these words before the callback, and most callbacks do not show it. Whether it answers START and
 * HELP depends on the profile, so we answer them unless the callback shows otherwise.
 */
const HANDLED_KEYWORDS = handledKeywords({
  STOP: ['STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT'],
})
