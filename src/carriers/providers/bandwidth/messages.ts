// Bandwidth's messaging API: JSON with Basic authentication. Callbacks are arrays and carry our ID in their tag.
// They are not signed: they present a name and password that we chose. According to Bandwidth, refused messages are
// neither sent nor billed.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { CallbackRequest } from '../../../messages/carrier-http.js'
import type { Listed, PhoneFacts, Submission } from '../../../messages/carrier-port.js'
import type {
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
import { factsOf, listAt, objectAt, parseJson, textAt } from '../read-answer.js'
import { BANDWIDTH_CODES } from './codes.js'

export interface BandwidthSettings {
  baseUrl: string
  lookUpUrl: string
  accountId: string
  user: string
  password: string
  /** By our campaign. Others use the link's application. */
  applications: ReadonlyMap<string, string>
  application: string
  callbackUser: string
  callbackPassword: string
  /**
   * Whether "delivered" for an MMS comes from the phone's network. Otherwise it only means that it left
   * Bandwidth.
   */
  hasMmsReceipts: boolean
}

/** The maximum difference between its clock and ours. */
const CLOCK_MS_MAX = 120_000

export function createBandwidth(settings: BandwidthSettings): MessageApi {
  const { callbackUser, callbackPassword } = settings
  const expected = digestOf(basicAuth(callbackUser, callbackPassword))
  return {
    probe: () => ({
      method: 'GET',
      url: `${messagesUrl(settings)}?limit=1`,
      headers: headersOf(settings),
    }),
    submit: (submission, statusUrl) => composeSubmit(settings, submission, statusUrl),
    readSubmit,
    query: (submission, acceptedAt) => composeQuery(settings, submission, acceptedAt),
    readQuery: readList,
    lookUp: (number) => composeLookUp(settings, number),
    readLookUp,
    mediaHeaders: () => headersOf(settings),
    isGenuine: ({ headers: { authorization } }) =>
      typeof authorization === 'string' && timingSafeEqual(digestOf(authorization), expected),
    readCallbacks: (request) => readCallbacks(request, settings),
    storedReply: { status: 200 },
  }
}

const digestOf = (text: string) => createHash('sha256').update(text).digest()

function messagesUrl({ baseUrl, accountId }: BandwidthSettings): string {
  return `${baseUrl}/api/v2/users/${encodeURIComponent(accountId)}/messages`
}

function headersOf({ user, password }: BandwidthSettings): Record<string, string> {
  return { authorization: basicAuth(user, password) }
}

function composeSubmit(
  settings: BandwidthSettings,
  submission: Submission,
  statusUrl: string,
): ProviderRequest {
  const { applications, application } = settings
  const { from, to, body, mediaUrls, campaignId, expiresAt } = submission
  const fields = {
    applicationId: applications.get(campaignId) ?? application,
    from,
    to: [to],
    text: body,
    ...(mediaUrls.length > 0 && { media: mediaUrls }),
    // It is returned in every callback, so the first one settles an unknown outcome.
    tag: statusUrl.slice(statusUrl.lastIndexOf('/status/')),
    expiration: expiresAt.toISOString(),
  }
  return {
    method: 'POST',
    url: messagesUrl(settings),
    headers: { ...headersOf(settings), 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  }
}

function readSubmit({ status, headers, body }: ProviderAnswer, now: Date): SubmitResult {
  const parsed = parseJson(body)
  if (status >= 200 && status < 300) {
    const carrierId = textAt(parsed, 'id')
    return carrierId === null
      ? { kind: 'unknown', detail: `${status} without an id` }
      : { kind: 'accepted', carrierId, facts: {} }
  }
  const code = textAt(parsed, 'code') ?? textAt(parsed, 'errorCode')
  const [instead, text] = [textAt(parsed, 'type'), textAt(parsed, 'description')]
  const isOwn = text !== null && (instead !== null || code !== null)
  return readRefusal(BANDWIDTH_CODES, { status, headers, now, code, text, instead, isOwn })
}

function composeQuery(
  settings: BandwidthSettings,
  { from, to, type }: Submission,
  acceptedAt: Date,
): ProviderRequest {
  const query = new URLSearchParams({
    sourceTn: from,
    destinationTn: to,
    messageDirection: 'OUTBOUND',
    messageType: type.toLowerCase(),
    fromDateTime: new Date(acceptedAt.getTime() - CLOCK_MS_MAX).toISOString(),
    limit: '100',
  })
  return {
    method: 'GET',
    url: `${messagesUrl(settings)}?${query}`,
    headers: headersOf(settings),
  }
}

/**
 * The list has no texts or tags, and it lags: a missing message may still appear. So it can prove that Bandwidth
 * has a message, but not that it does not.
 */
function readList(
  { status, body }: ProviderAnswer,
  { from, to }: Submission,
  acceptedAt: Date,
): Omit<Listed, 'link'> | null {
  if (status !== 200) return null
  const since = acceptedAt.getTime() - CLOCK_MS_MAX
  const isOurs = (one: unknown) =>
    (textAt(one, 'sourceTn') ?? from) === from &&
    (textAt(one, 'destinationTn') ?? to) === to &&
    (textAt(one, 'messageDirection') ?? 'OUTBOUND') === 'OUTBOUND' &&
    !(Date.parse(textAt(one, 'receiveTime') ?? '') < since)
  const found = listAt(parseJson(body), 'messages').filter(isOurs)
  const carrierIds = found.flatMap((one) => textAt(one, 'messageId') ?? [])
  return { kind: 'listed', carrierIds, similarIds: [], isComplete: false, hasTexts: false }
}

function composeLookUp(settings: BandwidthSettings, number: string): ProviderRequest {
  const account = encodeURIComponent(settings.accountId)
  return {
    method: 'POST',
    url: `${settings.lookUpUrl}/v2/accounts/${account}/phoneNumberLookup`,
    headers: { ...headersOf(settings), 'content-type': 'application/json' },
    body: JSON.stringify({ phoneNumbers: [number] }),
  }
}

function readLookUp({ status, body }: ProviderAnswer): PhoneFacts | null {
  if (status !== 200) return null
  const found = objectAt(parseJson(body), 'data', 'results', 0)
  return factsOf(textAt(found, 'messagingProvider'), textAt(found, 'lineType'))
}

const STATUSES: Readonly<Record<string, ReceiptCallback['status']>> = {
  'message-sending': 'SENT',
  'message-sent': 'SENT',
  'message-delivered': 'DELIVERED',
  'message-read': 'READ',
  'message-failed': 'FAILED',
}
/** No receipt arrived within two hours: the outcome stays unknown. */
const NO_RECEIPT = '9902'

function readCallbacks(
  { body }: CallbackRequest,
  settings: BandwidthSettings,
): ProviderCallback[] | null {
  const parsed = parseJson(body)
  if (!Array.isArray(parsed)) return null
  const calls = parsed.map((one) => readCallback(one, settings))
  return calls.includes(null) ? null : (calls as ProviderCallback[][]).flat()
}

function readCallback(one: unknown, settings: BandwidthSettings): ProviderCallback[] | null {
  const message = objectAt(one, 'message')
  const [type, carrierId] = [textAt(one, 'type'), textAt(message, 'id')]
  if (type === null || carrierId === null) return null
  const status = STATUSES[type]
  if (status) return [readReceipt(one, { carrierId, status, message }, settings)]
  // Our own messages can arrive at the same URL. Treating them as inbound would create an endless loop.
  if (type !== 'message-received' || textAt(message, 'direction') === 'out') return []
  return readInbound(one, carrierId, message)
}

function readReceipt(
  one: unknown,
  of: { carrierId: string; status: ReceiptCallback['status']; message: Record<string, unknown> },
  { hasMmsReceipts }: BandwidthSettings,
): ReceiptCallback {
  const { carrierId, message } = of
  const code = textAt(one, 'errorCode')
  const isMms = listAt(message, 'media').length > 0
  const isMerelyGone = of.status === 'DELIVERED' && isMms && !hasMmsReceipts
  const isUnconfirmed = code === NO_RECEIPT
  const failed = of.status === 'FAILED' && !isUnconfirmed
  const description = [code, textAt(one, 'description')].filter((word) => word !== null).join(' ')
  return {
    kind: 'receipt',
    carrierId,
    status: isUnconfirmed ? 'UNCONFIRMED' : isMerelyGone ? 'SENT' : of.status,
    errorCode: failed ? (code === null ? 1499 : BANDWIDTH_CODES.failureOf(code)) : null,
    carrierCode: of.status === 'FAILED' ? description || null : null,
    isUnmapped: failed && code !== null && BANDWIDTH_CODES.meaningOf(code) === null,
    tag: textAt(message, 'tag'),
    from: textAt(message, 'from'),
    to: textAt(one, 'to'),
    facts: factsOf(textAt(one, 'carrierName'), null),
  }
}

function readInbound(
  one: unknown,
  carrierId: string,
  message: Record<string, unknown>,
): InboundCallback[] | null {
  const [from, to] = [textAt(message, 'from'), textAt(message, 'owner') ?? textAt(one, 'to')]
  if (from === null || to === null) return null
  const mediaUrls = listAt(message, 'media').filter((url) => typeof url === 'string')
  return [
    {
      kind: 'inbound',
      ...{ carrierId, from, to, mediaUrls },
      body: textAt(message, 'text') ?? '',
      facts: factsOf(textAt(one, 'carrierName'), null),
      handled: null,
    },
  ]
}
