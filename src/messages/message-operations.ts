// The endpoints of the messages module, as declared to the HTTP layer and openapi.json.

import { Type } from 'typebox'
import { IsoTime } from '../kit/contract/iso-time.js'
import { operation } from '../kit/contract/operation.js'
import {
  also,
  HasMore,
  IdParams,
  IdText,
  Noun,
  NullableString,
  pageQueryWith,
  Timestamp,
} from '../kit/contract/schema.js'
import { E164, PhoneQuery } from '../text/number-schema.js'
import { BODY_LENGTH_MAX } from '../text/segments.js'
import { MEDIA_COUNT_MAX } from './media.js'
import { BATCH_MESSAGES_MAX, DIRECTIONS } from './message.js'
import { SEARCH_REACH } from './message-queries.js'
import { STATUSES } from './message-state.js'
import { MESSAGE_EXAMPLE, MessageShape } from './message-wire.js'
import { VALIDITY_SECONDS_MAX, VALIDITY_SECONDS_MIN } from './validity.js'

/** Less than a thousand of the longest messages. Those need several batches. */
export const BATCH_BYTES_MAX = 1024 * 1024
const ENTRY_FIELDS_MAX = 100
const METADATA_PAIRS_MAX = 50

export const Body = Type.String({
  minLength: 1,
  maxLength: BODY_LENGTH_MAX,
  description: `At most ${BODY_LENGTH_MAX} characters`,
  'x-missing': 'Message body required',
  'x-also': ['text', 'message', 'content', 'msg'],
})

export const MediaUrls = Type.Array(Type.String({ maxLength: 2000 }), {
  maxItems: MEDIA_COUNT_MAX,
  description: 'Media to attach: sends an MMS',
  'x-expects': `must be a list of at most ${MEDIA_COUNT_MAX} http(s) URLs`,
  'x-also': ['media', 'mediaUrl', 'attachments', 'images', 'files'],
})

// Not Type.Record: its key pattern ignores keys with a line break.
const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string', maxLength: 512 },
  propertyNames: {
    maxLength: 64,
    pattern: '[\\s\\S]',
    'x-expects': 'must have keys of 1 to 64 characters',
  },
  maxProperties: METADATA_PAIRS_MAX,
  description: 'String pairs, returned on retrieval and in webhook events',
  'x-also': ['meta', 'tags', 'custom', 'data'],
})

// In the order of the checks.
export const SendBody = Noun('SendMessageBody', {
  body: Body,
  to: E164({ 'x-also': ['phone', 'phoneNumber', 'recipient', 'number', 'destination'] }),
  from: Type.Optional(E164({ 'x-also': ['sender', 'fromNumber', 'source'] })),
  mediaUrls: Type.Optional(MediaUrls),
  metadata: Type.Optional(Metadata),
  scheduledAt: Type.Optional(
    also(
      IsoTime('When to send, at most 35 days ahead. Extension (not in the contract)'),
      ...['sendAt', 'sendTime', 'schedule', 'deliverAt', 'sendOn', 'date'],
    ),
  ),
  validitySeconds: Type.Optional(
    Type.Integer({
      minimum: VALIDITY_SECONDS_MIN,
      maximum: VALIDITY_SECONDS_MAX,
      'x-also': ['ttl', 'expiresIn', 'timeout', 'validityPeriod'],
      description:
        'How long to keep trying after the message is due. After that, it is EXPIRED (1400) and refunded. Default: 4 hours. Extension (not in the contract)',
    }),
  ),
  campaign: Type.Optional(
    IdText({ description: 'An ACTIVE campaign. Optional when `from` is given' }),
  ),
})

const SEND_REFUSALS = [
  'field_invalid',
  'sender_foreign',
  'campaign_missing',
  'campaign_state',
  'campaign_numberless',
  'recipient_opted_out',
  'balance_insufficient',
  'queue_full',
  'messages_full',
  'carrier_absent',
  'sends_too_many',
] as const

export const SEND_EXAMPLE = {
  campaign: MESSAGE_EXAMPLE.campaignId,
  to: '+14155550123',
  body: 'Your table is ready.',
  metadata: { order: '1042' },
}

export const SEND = operation({
  id: 'sendMessage',
  databaseClass: 'send',
  tag: 'Messages',
  summary: 'Send an SMS or MMS',
  description:
    'The response confirms that the message is stored and paid for. Its status follows by webhook, or read the message.',
  scope: 'send',
  campaignAccess: 'handler',
  body: SendBody,
  bodyExample: SEND_EXAMPLE,
  reply: Type.Object({ success: Type.Literal(true), id: Type.String() }),
  example: { success: true, id: MESSAGE_EXAMPLE.id },
  failure: { success: false },
  refuses: SEND_REFUSALS,
})

export const BatchBody = Type.Object({
  // Checked one by one, so an invalid one has its own result and does not stop the others.
  messages: Type.Array(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      maxProperties: ENTRY_FIELDS_MAX,
      description: 'The same fields as the body of POST /v1/message/send',
      'x-fields': SendBody,
    }),
    { minItems: 1, maxItems: BATCH_MESSAGES_MAX },
  ),
})

export const RefusedEntry = Type.Object({
  success: Type.Literal(false),
  error: Type.String(),
  code: Type.String(),
})

export const BatchResult = Type.Union([
  Type.Object({ success: Type.Literal(true), id: Type.String() }),
  RefusedEntry,
])

export const BATCH = operation({
  id: 'sendBatch',
  databaseClass: 'send',
  tag: 'Messages',
  summary: 'Send up to 1000 messages, each with its own result',
  isExtension: true,
  scope: 'send',
  campaignAccess: 'handler',
  body: BatchBody,
  bodyExample: { messages: [SEND_EXAMPLE] },
  bodyLimit: BATCH_BYTES_MAX,
  reply: Type.Object({
    success: Type.Literal(true),
    results: Type.Array(BatchResult),
  }),
  example: { success: true, results: [{ success: true, id: MESSAGE_EXAMPLE.id }] },
  failure: { success: false },
})

export const LIST = operation({
  id: 'listMessages',
  tag: 'Messages',
  summary: 'List the messages of a campaign, newest first',
  description: `With \`status\`, one request reads at most ${SEARCH_REACH.toLocaleString('en')} messages (beyond those skipped). A page can have fewer than \`limit\`, or none, while \`hasMore\` is true. For the next page, pass \`next\` as \`after\`.`,
  scope: 'read',
  campaignAccess: 'query',
  query: pageQueryWith({
    campaign: IdText({ minLength: 1 }),
    direction: Type.Optional(Type.Enum([...DIRECTIONS])),
    number: Type.Optional(PhoneQuery({ description: 'Only messages to or from this number' })),
    status: Type.Optional(Type.Enum([...STATUSES])),
    since: Type.Optional(IsoTime('Created at or after. Extension (not in the contract)')),
    until: Type.Optional(IsoTime('Created before. Extension (not in the contract)')),
  }),
  reply: Type.Object({
    messages: Type.Array(MessageShape),
    hasMore: HasMore,
    next: Type.Optional({
      ...NullableString,
      description: 'With `status`: the value of `after` for the next page',
    }),
  }),
  example: { messages: [MESSAGE_EXAMPLE], hasMore: false },
  failure: { messages: null },
  refuses: ['campaign_missing'],
})

export const GET = operation({
  id: 'getMessage',
  tag: 'Messages',
  summary: 'Retrieve a message',
  scope: 'read',
  campaignAccess: 'message',
  params: IdParams,
  reply: Type.Object({ message: MessageShape }),
  example: { message: MESSAGE_EXAMPLE },
  failure: { message: null },
  refuses: ['message_missing'],
})

export const TIMELINE = operation({
  id: 'getTimeline',
  tag: 'Messages',
  summary: 'List every step, wait, and retry of a message, with reasons',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'message',
  params: IdParams,
  reply: Type.Object({
    timeline: Type.Array(
      Noun('TimelineEntry', { at: Timestamp, kind: Type.String(), text: Type.String() }),
    ),
  }),
  example: {
    timeline: [
      { at: MESSAGE_EXAMPLE.createdAt, kind: 'created', text: 'Accepted and queued for sending' },
      { at: MESSAGE_EXAMPLE.sentAt, kind: 'sent', text: 'Accepted by the carrier' },
    ],
  },
  failure: { timeline: [] },
  refuses: ['message_missing'],
})

export const CANCEL = operation({
  id: 'cancelMessage',
  tag: 'Messages',
  summary: 'Cancel a SCHEDULED message and refund it',
  isExtension: true,
  scope: 'send',
  campaignAccess: 'message',
  params: IdParams,
  reply: Type.Object({ success: Type.Literal(true), id: Type.String() }),
  example: { success: true, id: MESSAGE_EXAMPLE.id },
  failure: { success: false },
  refuses: ['message_missing', 'message_state'],
})

export const ERRORS = operation({
  id: 'listErrors',
  tag: 'Messages',
  summary: 'List message error codes',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'none',
  reply: Type.Object({
    errors: Type.Array(
      Noun('MessageError', {
        code: Type.Integer(),
        text: Type.String(),
        charged: Type.Boolean({
          description: 'Whether a message that fails with this code is charged',
        }),
        note: Type.Union([Type.String(), Type.Null()], { description: 'Exceptions to `charged`' }),
      }),
    ),
  }),
  example: {
    errors: [
      { code: 1350, text: 'The recipient number is invalid …', charged: false, note: null },
      {
        code: 1320,
        text: 'The daily message cap toward this carrier has been reached',
        charged: true,
        note: 'Charged only if the carrier accepted the message …',
      },
    ],
  },
  failure: { errors: [] },
})
