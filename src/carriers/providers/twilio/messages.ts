// Twilio's messaging API: form-encoded both ways, Basic authentication, callbacks signed with HMAC-SHA1 over the
// URL as configured there. It has no field for our ID, so the callback URL carries it.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CallbackRequest } from '../../../messages/carrier-http.js'
import type { Listed, PhoneFacts, Submission } from '../../../messages/carrier-port.js'
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
import { basicAuth } from '../provider-module.js'
import { factsOf, objectAt, parseJson, textAt } from '../read-answer.js'
import { TWILIO_CODES } from './codes.js'

export interface TwilioSettings {
  baseUrl: string
  lookUpUrl: string
  accountSid: string
  /** Signs callbacks. */
  authToken: string
  /** An API key for sending, or the account itself. */
  user: string
  password: string
  /** By our campaign: one service each. */
  services: ReadonlyMap<string, string>
  /** Whether it acts on STOP and similar keywords automatically, which can be turned off there. */
  answersKeywords: boolean
  now: () => Date
}

const VALIDITY_S_MAX = 36_000
const FIELDS_MAX = 500
/** Twilio's maximum. */
const PAGE_SIZE = 1_000
/** The size of such a page: about 1,000 bytes per message, plus its text. */
const PAGE_BYTES_MAX = 8 * 1024 * 1024
/** The maximum difference between its clock and ours. */
const CLOCK_MS_MAX = 120_000

export function createTwilio(settings: TwilioSettings): MessageApi {
  return {
    probe: () => ({
      method: 'GET',
      url: `${messagesUrl(settings)}?PageSize=1`,
      headers: { authorization: basicAuth(settings.user, settings.password) },
    }),
    submit: (submission, statusUrl) => composeSubmit(settings, submission, statusUrl),
    readSubmit,
    query: (submission) => composeQuery(settings, submission),
    readQuery: readList,
    lookUp: (number) => ({
      method: 'GET',
      url: `${settings.lookUpUrl}/v2/PhoneNumbers/${encodeURIComponent(number)}?Fields=line_type_intelligence`,
      headers: { authorization: basicAuth(settings.user, settings.password) },
    }),
    readLookUp,
    mediaHeaders: () => ({ authorization: basicAuth(settings.user, settings.password) }),
    isGenuine: (request, at) => isGenuine(settings.authToken, request, at),
    readCallbacks: (request) => readCallbacks(request, settings),
    storedReply: { status: 200, contentType: 'text/xml', body: '<Response/>' },
  }
}

function messagesUrl({ baseUrl, accountSid }: TwilioSettings): string {
  return `${baseUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`
}

function composeSubmit(
  settings: TwilioSettings,
  { from, to, body, mediaUrls, campaignId, expiresAt }: Submission,
  statusUrl: string,
): ProviderRequest {
  const leftS = Math.floor((expiresAt.getTime() - settings.now().getTime()) / 1000)
  const form = new URLSearchParams({ To: to, From: from })
  const service = settings.services.get(campaignId)
  if (service !== undefined) form.set('MessagingServiceSid', service)
  if (body !== '') form.set('Body', body)
  for (const url of mediaUrls) form.append('MediaUrl', url)
  form.set('SmartEncoded', 'false') // ours is folded already
  form.set('ValidityPeriod', String(Math.min(Math.max(leftS, 1), VALIDITY_S_MAX)))
  form.set('StatusCallback', statusUrl)
  return {
    method: 'POST',
    url: messagesUrl(settings),
    headers: {
      authorization: basicAuth(settings.user, settings.password),
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: form.toString(),
  }
}

function readSubmit({ status, headers, body }: ProviderAnswer, now: Date): SubmitResult {
  const parsed = parseJson(body)
  if (status >= 200 && status < 300) {
    const carrierId = textAt(parsed, 'sid')
    return carrierId === null
      ? { kind: 'unknown', detail: `${status} without a sid` }
      : { kind: 'accepted', carrierId, facts: {} }
  }
  const code = textAt(parsed, 'code')
  const isOwn = code !== null && /^\d{5}$/.test(code)
  const text = textAt(parsed, 'message')
  return readRefusal(TWILIO_CODES, { status, headers, now, code, text, isOwn })
}

function readLookUp({ status, body }: ProviderAnswer): PhoneFacts | null {
  if (status !== 200) return null
  const line = objectAt(parseJson(body), 'line_type_intelligence')
  return factsOf(textAt(line, 'carrier_name'), textAt(line, 'type'))
}

function composeQuery(settings: TwilioSettings, { from, to }: Submission): ProviderRequest {
  // Not by DateSent, which a message still queued there does not have.
  const query = new URLSearchParams({ To: to, From: from, PageSize: String(PAGE_SIZE) })
  return {
    method: 'GET',
    url: `${messagesUrl(settings)}?${query}`,
    headers: { authorization: basicAuth(settings.user, settings.password) },
    maxResponseBytes: PAGE_BYTES_MAX,
  }
}

/** Newest first, with texts. It is complete if it reaches back to before the message was accepted. */
function readList(
  { status, body }: ProviderAnswer,
  submission: Submission,
  acceptedAt: Date,
): Omit<Listed, 'link'> | null {
  const parsed = parseJson(body)
  const messages = objectAt(parsed).messages
  if (status !== 200 || !Array.isArray(messages)) return null
  const since = acceptedAt.getTime() - CLOCK_MS_MAX
  const times = messages.map((one) => Date.parse(textAt(one, 'date_created') ?? ''))
  const recent = messages.filter((one, i) => !(times[i]! < since) && isOurs(one, submission))
  const same = recent.filter((one) => textAt(one, 'body') === submission.body)
  const similar = recent.filter(
    (one) => !same.includes(one) && isSimilar(textAt(one, 'body') ?? '', submission.body),
  )
  const isWhole = messages.length < PAGE_SIZE && textAt(parsed, 'next_page_uri') === null
  return {
    kind: 'listed',
    carrierIds: sidsOf(same),
    similarIds: sidsOf(similar),
    isComplete: isWhole || times.some((time) => time < since),
    hasTexts: true,
  }
}

function isOurs(one: unknown, { from, to }: Submission): boolean {
  const direction = textAt(one, 'direction') ?? 'outbound'
  const [source, target] = [textAt(one, 'from') ?? from, textAt(one, 'to') ?? to]
  return direction.startsWith('outbound') && source === from && target === to
}

/** Compares texts that a provider may have changed: with a prefix, or other spaces and punctuation. */
function isSimilar(text: string, ours: string): boolean {
  const letters = (value: string) => value.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  return letters(text).includes(letters(ours)) || letters(text) === ''
}

function sidsOf(messages: readonly unknown[]): string[] {
  return messages.flatMap((one) => textAt(one, 'sid') ?? [])
}

function isGenuine(
  authToken: string,
  { headers, body }: CallbackRequest,
  { url }: CallbackContext,
): boolean {
  const signature = headers['x-twilio-signature']
  if (typeof signature !== 'string' || hasTooManyFields(body)) return false
  const fields = [...new URLSearchParams(body.toString('utf8'))]
  // By name, then by value. A repeated name and value is signed once.
  const sorted = fields.sort(([a, x], [b, y]) => order(a, b) || order(x, y))
  const pairs = new Set(sorted.map(([name, value]) => name + value))
  const signed = createHmac('sha1', authToken)
    .update(url + [...pairs].join(''))
    .digest()
  const bytes = Buffer.from(signature, 'base64')
  return bytes.length === signed.length && timingSafeEqual(bytes, signed)
}

/** Sorting many fields is expensive for us and free for an attacker. Twilio sends about 30. */
function hasTooManyFields(body: Buffer): boolean {
  let at = body.indexOf('&')
  for (let count = 0; at >= 0 && count < FIELDS_MAX; count += 1) at = body.indexOf('&', at + 1)
  return at >= 0
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const STATUSES: Readonly<Record<string, ReceiptCallback['status']>> = {
  accepted: 'SENT',
  queued: 'SENT',
  sending: 'SENT',
  sent: 'SENT',
  delivered: 'DELIVERED',
  read: 'READ',
  undelivered: 'FAILED',
  failed: 'FAILED',
}

function readCallbacks(
  { body }: CallbackRequest,
  settings: TwilioSettings,
): ProviderCallback[] | null {
  const form = new URLSearchParams(body.toString('utf8'))
  const carrierId = form.get('MessageSid') ?? form.get('SmsSid')
  if (!carrierId) return null
  const statusText = form.get('MessageStatus') ?? form.get('SmsStatus')
  if (statusText === 'received' || statusText === null)
    return readInbound(carrierId, form, settings)
  const status = STATUSES[statusText]
  if (!status) return []
  return [readReceipt(carrierId, status, form)]
}

function readReceipt(
  carrierId: string,
  status: ReceiptCallback['status'],
  form: URLSearchParams,
): ReceiptCallback {
  const code = form.get('ErrorCode')
  const isFailed = status === 'FAILED'
  const description = [code, form.get('ErrorMessage')].filter(Boolean).join(' ')
  return {
    kind: 'receipt',
    ...{ carrierId, status },
    errorCode: isFailed ? (code ? TWILIO_CODES.failureOf(code) : 1499) : null,
    carrierCode: isFailed ? description || null : null,
    isUnmapped: isFailed && Boolean(code) && TWILIO_CODES.meaningOf(code!) === null,
    from: form.get('From'),
    to: form.get('To'),
    facts: {},
  }
}

/**
 * Twilio acts on these words before the callback, and callbacks do not always show it. YES unblocks only people
 * it had blocked and is a common answer to anything, so we handle it.
 */
const HANDLED_KEYWORDS = handledKeywords({
  STOP: ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'],
  START: ['START', 'UNSTOP'],
  HELP: ['HELP', 'INFO'],
})

const HANDLED: ReadonlySet<string> = new Set(['STOP', 'START', 'HELP'])
const MEDIA_MAX = 10

function readInbound(
  carrierId: string,
  form: URLSearchParams,
  { answersKeywords }: TwilioSettings,
): InboundCallback[] | null {
  const [from, to, optOutType] = [form.get('From'), form.get('To'), form.get('OptOutType')]
  const body = form.get('Body') ?? ''
  if (!from || !to) return null
  const count = Math.min(Number(form.get('NumMedia')) || 0, MEDIA_MAX)
  const mediaUrls = Array.from({ length: count }, (_, i) => form.get(`MediaUrl${i}`) ?? [])
  return [
    {
      kind: 'inbound',
      ...{ carrierId, from, to, body, mediaUrls: mediaUrls.flat(), facts: {} },
      handled: isHandled(optOutType)
        ? optOutType
        : answersKeywords
          ? (HANDLED_KEYWORDS.get(body.trim().toUpperCase()) ?? null)
          : null,
    },
  ]
}

function isHandled(optOutType: string | null): optOutType is 'STOP' | 'START' | 'HELP' {
  return optOutType !== null && HANDLED.has(optOutType)
}
