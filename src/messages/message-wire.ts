// Messages in the contract's form: the only place with the wire's names and units.

import { Type } from 'typebox'
import {
  NullableNumber,
  NullableString,
  NullableTimestamp,
  Timestamp,
} from '../kit/contract/schema.js'
import { wireTime } from '../kit/contract/wire-time.js'
import { toDollars } from '../kit/money.js'
import { KEYWORD_NAMES, type KeywordName } from '../text/keywords.js'
import { DIRECTIONS, type Message } from './message.js'
import { STATUSES } from './message-state.js'
import { VALIDITY_SECONDS } from './validity.js'

export const MessageShape = Type.Object(
  {
    id: Type.String(),
    type: Type.Enum(['SMS', 'MMS']),
    createdAt: Timestamp,
    sentAt: NullableTimestamp,
    updatedAt: NullableTimestamp,
    scheduledAt: NullableTimestamp,
    direction: Type.Enum([...DIRECTIONS]),
    from: Type.String(),
    to: Type.String(),
    body: Type.String(),
    mediaUrls: Type.Array(Type.String()),
    metadata: Type.Record(Type.String(), Type.String()),
    numSegments: Type.Integer(),
    errorCode: NullableNumber,
    errorMessage: NullableString,
    campaignId: Type.String(),
    status: Type.Enum([...STATUSES]),
    validitySeconds: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'How long the service keeps trying after the message is due. null for inbound messages. Extension (not in the contract)',
    }),
    automatic: Type.Unsafe<KeywordName | null>({
      type: ['string', 'null'],
      enum: [...Object.values(KEYWORD_NAMES), null],
      description:
        'The keyword that triggered this automatic reply. null for all other messages. Extension (not in the contract)',
    }),
    price: Type.Number({ description: 'In dollars, as charged. Extension (not in the contract)' }),
  },
  { title: 'Message' },
)

export const MESSAGE_EXAMPLE = {
  id: 'msg_01km3v9w8m0000pqv3t5x7z9bd',
  type: 'SMS',
  createdAt: '2026-11-15T12:00:00.000Z',
  sentAt: '2026-11-15T12:00:00.012Z',
  updatedAt: '2026-11-15T12:00:00.071Z',
  scheduledAt: null,
  direction: 'OUTBOUND',
  from: '+14152004000',
  to: '+14155550123',
  body: 'Your table is ready.',
  mediaUrls: [],
  metadata: { order: '1042' },
  numSegments: 1,
  errorCode: null,
  errorMessage: null,
  campaignId: 'cmp_01km3v9w8m0000pqv3t5x7z9bd',
  status: 'DELIVERED',
  validitySeconds: 14_400,
  automatic: null,
  price: 0.0079,
}

export function wireMessage(message: Message) {
  const isInbound = message.direction === 'INBOUND'
  return {
    id: message.id,
    type: message.type,
    createdAt: wireTime(message.createdAt),
    sentAt: message.sentAt && wireTime(message.sentAt),
    updatedAt: message.updatedAt && wireTime(message.updatedAt),
    scheduledAt: message.scheduledAt && wireTime(message.scheduledAt),
    direction: message.direction,
    from: isInbound ? message.peer : message.number,
    to: isInbound ? message.number : message.peer,
    body: message.body,
    mediaUrls: message.mediaUrls,
    metadata: message.metadata,
    numSegments: message.numSegments,
    errorCode: message.errorCode,
    errorMessage: message.errorMessage,
    campaignId: message.campaignId,
    status: message.status,
    validitySeconds: isInbound ? null : (message.validitySeconds ?? VALIDITY_SECONDS),
    automatic: message.automatic,
    price: message.isRefunded ? 0 : toDollars(message.priceMicros),
  }
}
