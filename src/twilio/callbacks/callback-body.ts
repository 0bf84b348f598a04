// Events as the forms that Twilio posts: the status of a message, and an inbound message. Pure.

import { createHmac } from 'node:crypto'
import type { Event } from '../../events/event.js'
import type { Status } from '../../messages/message-state.js'
import { METADATA } from '../message-metadata.js'
import { API_VERSION, fileOf } from '../message-resource.js'
import { twilioCodeOf, twilioStatusOf } from '../message-states.js'
import { accountSid, messageSid, serviceSid } from '../sids.js'

/** What is read of a message in our own form. */
export interface CallbackMessage {
  id: string
  type: string
  from: string
  to: string
  body: string
  mediaUrls: readonly string[]
  metadata: Readonly<Record<string, string>>
  numSegments: number
  campaignId: string
}

const NO_TYPES: ReadonlyMap<string, string> = new Map()

/** `mediaTypes`: by the ID at the end of the URL. */
export function callbackForm(
  event: Event,
  message: CallbackMessage,
  mediaTypes = NO_TYPES,
): string {
  const sid = messageSid(message)
  const common = {
    MessageSid: sid,
    SmsSid: sid,
    AccountSid: accountSid(event.accountId),
    MessagingServiceSid: message.campaignId ? serviceSid(message.campaignId) : '',
    From: message.from,
    To: message.to,
    ApiVersion: API_VERSION,
  }
  const own =
    event.eventType === 'message.status'
      ? statusFields(event)
      : inboundFields(event, message, mediaTypes)
  return new URLSearchParams({ ...common, ...own }).toString()
}

function statusFields(event: Event): Record<string, string> {
  const status = twilioStatusOf((event.status ?? 'SENT') as Status, event.errorCode)
  const code = twilioCodeOf(event.errorCode)
  return {
    MessageStatus: status,
    SmsStatus: status,
    ...(code !== null && { ErrorCode: String(code), ErrorMessage: event.errorMessage ?? '' }),
    ...(event.sequence !== null && { Sequence: String(event.sequence) }),
  }
}

const UNKNOWN_TYPE = 'application/octet-stream'

const UNKNOWN_PLACES = Object.fromEntries(
  ['From', 'To'].flatMap((who) => ['City', 'State', 'Zip'].map((what) => [who + what, ''])),
)

function inboundFields(
  event: Event,
  message: CallbackMessage,
  mediaTypes: ReadonlyMap<string, string>,
): Record<string, string> {
  const { keyword } = (event.data ?? {}) as { keyword?: string | null }
  const media = message.mediaUrls.flatMap((url, i) => [
    [`MediaUrl${i}`, url],
    [`MediaContentType${i}`, mediaTypes.get(fileOf(url)) ?? UNKNOWN_TYPE],
  ])
  return {
    SmsMessageSid: messageSid(message),
    Body: message.body,
    NumMedia: String(message.mediaUrls.length),
    NumSegments: String(message.numSegments),
    SmsStatus: 'received',
    ...UNKNOWN_PLACES,
    FromCountry: 'US',
    ToCountry: 'US',
    ...(keyword && { OptOutType: keyword }),
    ...Object.fromEntries(media),
  }
}

/** Where the status of a message goes. Empty if it has no StatusCallback. */
export function statusUrlOf({ metadata }: Pick<CallbackMessage, 'metadata'>): string {
  return metadata[METADATA.statusCallback] ?? ''
}

/**
 * X-Twilio-Signature: the URL as the receiver sees it, then every name and value in order of the names. The URL parser
 * writes some characters in another way, and a receiver only knows the result.
 */
export function signForm(authToken: string, url: string, form: string): string {
  const fields = [...new URLSearchParams(form)].sort(([a], [b]) => (a < b ? -1 : 1))
  const seen = URL.canParse(url) ? new URL(url).href : url
  const text = seen.split('#', 1)[0] + fields.map((pair) => pair.join('')).join('')
  return createHmac('sha1', authToken).update(text).digest('base64')
}
