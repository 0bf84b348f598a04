// The previews of the messages module, as declared to the HTTP layer and openapi.json.

import { Type } from 'typebox'
import { operation } from '../kit/contract/operation.js'
import { Timestamp } from '../kit/contract/schema.js'
import {
  BATCH_BYTES_MAX,
  BatchBody,
  BatchResult,
  Body,
  MediaUrls,
  RefusedEntry,
  SEND_EXAMPLE,
} from './message-operations.js'

const EncodingName = Type.Enum(['GSM-7', 'UCS-2'])

export const PREVIEW_BATCH = operation({
  id: 'previewBatch',
  tag: 'Messages',
  summary: 'Preview a batch and its price without sending it',
  description:
    'Checks the fields of each message. It does not check the campaign, opt-outs, or the balance, so the price is an upper limit. With the `Idempotency-Key` of a batch with the same body, it also returns what that batch has sent.',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'none',
  body: BatchBody,
  bodyExample: { messages: [SEND_EXAMPLE, { ...SEND_EXAMPLE, body: '' }] },
  bodyLimit: BATCH_BYTES_MAX,
  reply: Type.Object({
    success: Type.Literal(true),
    numMessages: Type.Integer({ description: 'Number of messages that can be sent' }),
    numSegments: Type.Integer({ description: 'Total' }),
    price: Type.Number({ description: 'Total in dollars' }),
    results: Type.Array(
      Type.Union([
        Type.Object({
          success: Type.Literal(true),
          type: Type.Enum(['SMS', 'MMS']),
          encoding: EncodingName,
          numSegments: Type.Integer(),
          price: Type.Number(),
        }),
        RefusedEntry,
      ]),
    ),
    sent: Type.Optional(
      Type.Union([Type.Object({ at: Timestamp, results: Type.Array(BatchResult) }), Type.Null()], {
        description:
          'With an `Idempotency-Key`: when a batch with this key and body was sent, and its results. null: it was not, or more than 24 hours ago',
      }),
    ),
  }),
  example: {
    success: true,
    numMessages: 1,
    numSegments: 1,
    price: 0.0079,
    results: [
      { success: true, type: 'SMS', encoding: 'GSM-7', numSegments: 1, price: 0.0079 },
      { success: false, error: 'Message body required', code: 'field_invalid' },
    ],
  },
  failure: { success: false },
})

export const PreviewBody = Type.Object({ body: Body, mediaUrls: Type.Optional(MediaUrls) })

export const PREVIEW = operation({
  id: 'previewMessage',
  tag: 'Messages',
  summary: 'Preview a message and its price without sending it',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'none',
  body: PreviewBody,
  bodyExample: { body: 'Dinner at 8 – don’t be late…' },
  reply: Type.Object({
    success: Type.Literal(true),
    type: Type.Enum(['SMS', 'MMS']),
    body: Type.String({ description: 'The text as it would be sent' }),
    encoding: EncodingName,
    numSegments: Type.Integer(),
    parts: Type.Integer({ description: 'Parts that the carrier would transmit' }),
    price: Type.Number({ description: 'dollars' }),
    fill: Type.Union(
      [
        Type.Object({
          units: Type.Integer({ description: 'In the whole text' }),
          perSegment: Type.Integer({ description: 'In a full segment' }),
          inLast: Type.Integer({ description: 'In the last segment' }),
        }),
        Type.Null(),
      ],
      {
        description:
          'How full the segments are, in GSM-7 septets or UCS-2 code units. null for an MMS',
      },
    ),
    folded: Type.Array(
      Type.Object({ from: Type.String(), to: Type.String(), count: Type.Integer() }),
    ),
    unicodeCharacters: Type.Array(Type.String(), {
      description: 'The characters that force UCS-2',
    }),
    withoutUnicode: Type.Union(
      [Type.Object({ numSegments: Type.Integer(), price: Type.Number() }), Type.Null()],
      { description: 'The result without these characters. null if there are none' },
    ),
  }),
  example: {
    success: true,
    type: 'SMS',
    body: "Dinner at 8 - don't be late...",
    encoding: 'GSM-7',
    numSegments: 1,
    parts: 1,
    price: 0.0079,
    fill: { units: 30, perSegment: 160, inLast: 30 },
    folded: [{ from: '–', to: '-', count: 1 }],
    unicodeCharacters: [],
    withoutUnicode: null,
  },
  failure: { success: false },
})
