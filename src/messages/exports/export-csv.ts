// A message as a line of an export.

import { type CsvCell, csvLine } from '../../kit/contract/csv.js'
import { plainDollars } from '../../kit/money.js'
import type { Message } from '../message.js'

const PHONE_NUMBER = /^\+[0-9]{1,15}$/

export const EXPORT_HEAD = csvLine([
  'id',
  'createdAt',
  'sentAt',
  'campaignId',
  'direction',
  'type',
  'from',
  'to',
  'status',
  'errorCode',
  'errorMessage',
  'numSegments',
  'price',
  'body',
  'mediaUrls',
  'metadata',
])

export function exportLine(message: Message): string {
  const { id, createdAt, sentAt, mediaUrls, metadata } = message
  const isInbound = message.direction === 'INBOUND'
  return csvLine([
    id,
    { exact: createdAt.toISOString() },
    sentAt && { exact: sentAt.toISOString() },
    message.campaignId,
    message.direction,
    message.type,
    phoneCell(isInbound ? message.peer : message.number),
    phoneCell(isInbound ? message.number : message.peer),
    message.status,
    message.errorCode,
    message.errorMessage,
    message.numSegments,
    { exact: plainDollars(message.isRefunded ? 0n : message.priceMicros) },
    message.body,
    mediaUrls.join(' '),
    Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata),
  ])
}

/** A plus and digits are no formula, and programs that read the file need the number unchanged. */
function phoneCell(phone: string): CsvCell {
  return PHONE_NUMBER.test(phone) ? { exact: phone } : phone
}
