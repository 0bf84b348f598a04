// A message as Twilio's clients read it. Every date is present, because a client takes a missing one for now.

import { plainDollars } from '../kit/money.js'
import type { Message } from '../messages/message.js'
import { METADATA } from './message-metadata.js'
import { twilioCodeOf, twilioStatusOf } from './message-states.js'
import { accountSid, messageSid, serviceSid } from './sids.js'

export const API_VERSION = '2010-04-01'
export const API_PATH = `/${API_VERSION}`

/** RFC 2822: `Sun, 15 Nov 2026 12:00:00 +0000`. */
export function twilioDate(at: Date): string {
  return at.toUTCString().replace('GMT', '+0000')
}

export function accountPath(accountId: string): string {
  return `${API_PATH}/Accounts/${accountSid(accountId)}`
}

export function messagePath(message: Message): string {
  return `${accountPath(message.accountId)}/Messages/${messageSid(message)}`
}

function directionOf({ direction, automatic, metadata }: Message): string {
  if (direction === 'INBOUND') return 'inbound'
  return automatic !== null || metadata[METADATA.reply] ? 'outbound-reply' : 'outbound-api'
}

export type MessageResource = ReturnType<typeof messageResource>

export function messageResource(message: Message) {
  const isInbound = message.direction === 'INBOUND'
  const account = accountSid(message.accountId)
  const sid = messageSid(message)
  const createdDate = twilioDate(message.createdAt)
  const path = `${API_PATH}/Accounts/${account}/Messages/${sid}`
  const isPaid = message.priceMicros > 0n && !message.isRefunded
  const errorCode = twilioCodeOf(message.errorCode)
  return {
    body: message.body,
    num_segments: String(message.numSegments),
    direction: directionOf(message),
    from: isInbound ? message.peer : message.number,
    to: isInbound ? message.number : message.peer,
    date_created: createdDate,
    date_updated: message.updatedAt ? twilioDate(message.updatedAt) : createdDate,
    date_sent: isInbound ? createdDate : message.sentAt && twilioDate(message.sentAt),
    price: isPaid ? `-${plainDollars(message.priceMicros)}` : null,
    price_unit: 'USD',
    error_code: errorCode,
    error_message: errorCode === null ? null : message.errorMessage,
    uri: `${path}.json`,
    account_sid: account,
    num_media: String(message.mediaUrls.length),
    status: isInbound ? 'received' : twilioStatusOf(message.status, message.errorCode),
    messaging_service_sid: serviceSid(message.campaignId),
    sid,
    api_version: API_VERSION,
    subresource_uris: { media: `${path}/Media.json` },
  }
}

/** The last part of a URL, which is the ID of an inbound file. */
export function fileOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1)
}
