// What the endpoints for deliveries and the live stream take, answer and refuse.

import { type TSchema, Type } from 'typebox'
import { DELIVERY_STATES, EVENT_TYPES } from '../events/event.js'
import { MESSAGE_REACH } from '../events/queue/delivery-record-queries.js'
import { IsoTime } from '../kit/contract/iso-time.js'
import { operation } from '../kit/contract/operation.js'
import {
  HasMore,
  IdParams,
  IdText,
  Noun,
  NullableTimestamp,
  PathText,
  pageQueryWith,
} from '../kit/contract/schema.js'
import {
  DELIVERY_EXAMPLE,
  DELIVERY_IN_FULL_EXAMPLE,
  DeliveryInFull,
  DeliveryShape,
} from './delivery-wire.js'
import { WEBHOOK_EXAMPLE } from './webhook-wire.js'

export const LIST = operation({
  id: 'listDeliveries',
  tag: 'Webhooks',
  summary: 'List the deliveries of a webhook with every attempt, newest first',
  description: `Kept for 30 days. With \`message\`, one call looks at ${MESSAGE_REACH.toLocaleString('en')} deliveries of that message’s time at most, the latest first.`,
  isExtension: true,
  scope: 'read',
  campaignAccess: 'webhook',
  params: IdParams,
  query: pageQueryWith({
    state: Type.Optional(Type.Enum([...DELIVERY_STATES])),
    message: Type.Optional(
      IdText({
        description: 'Only those of the events of this message',
        'x-also': ['messageId'],
      }),
    ),
  }),
  reply: Type.Object({ deliveries: Type.Array(DeliveryShape), hasMore: HasMore }),
  example: { deliveries: [DELIVERY_EXAMPLE], hasMore: false },
  failure: { deliveries: [] },
  refuses: ['webhook_missing', 'message_missing'],
})

const DeliveryParams = Type.Object({ ...IdParams.properties, deliveryId: PathText() })

export const GET = operation({
  id: 'getDelivery',
  tag: 'Webhooks',
  summary: 'Get a delivery with the request and the answer of every attempt',
  description:
    'As they were sent: address, headers in their order, the signatures of that very attempt. Kept for 30 days.',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'webhook',
  params: DeliveryParams,
  reply: Type.Object({ delivery: DeliveryInFull }),
  example: { delivery: DELIVERY_IN_FULL_EXAMPLE },
  failure: { delivery: null },
  refuses: ['webhook_missing', 'delivery_missing'],
})

const DeliveryReply = Type.Object({ success: Type.Literal(true), delivery: DeliveryShape })
const UNSENT_EXAMPLE = {
  ...DELIVERY_EXAMPLE,
  state: 'pending',
  finishedAt: null,
  nextAttemptAt: DELIVERY_EXAMPLE.createdAt,
}

export const REPLAY = operation({
  id: 'replayDelivery',
  tag: 'Webhooks',
  summary: 'Send a delivery once more',
  description:
    'At once, with the same body and the same event id, and with every attempt before it.',
  isExtension: true,
  scope: 'manage',
  campaignAccess: 'webhook',
  params: DeliveryParams,
  reply: DeliveryReply,
  example: { success: true, delivery: UNSENT_EXAMPLE },
  failure: { success: false },
  refuses: ['webhook_missing', 'delivery_missing', 'webhook_off', 'delivery_state'],
})

export const PREVIEW_RECOVERY = operation({
  id: 'previewRecovery',
  tag: 'Webhooks',
  summary: 'See what a recovery would send',
  description:
    'What was held while the webhook was off, and what has failed; what arrived in the end is left out. Answers while the webhook is off, too: switch it on by `enabled: true`, then recover `since` the `oldestAt` of this answer.',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'webhook',
  params: IdParams,
  query: Type.Object({
    since: Type.Optional(
      IsoTime('What was held or has failed at or after this moment. Default: all that is kept'),
    ),
  }),
  reply: Type.Object({
    recovery: Noun('Recovery', {
      held: Type.Integer({ description: 'Events that happened, or waited, while it was off' }),
      failed: Type.Integer({ description: 'Every attempt was used up' }),
      oldestAt: NullableTimestamp,
      hasMore: Type.Boolean({
        description: 'More than one call sends: these are the oldest 10,000',
      }),
    }),
  }),
  example: {
    recovery: { held: 30, failed: 7, oldestAt: DELIVERY_EXAMPLE.createdAt, hasMore: false },
  },
  failure: { recovery: null },
  refuses: ['webhook_missing'],
})

export const RECOVER = operation({
  id: 'recoverDeliveries',
  tag: 'Webhooks',
  summary: 'Send what was held or has failed since a time',
  description:
    'While a webhook is off, its events are kept as deliveries in state `held`, for 30 days; switching it on sends none of them by itself, this does. Oldest first, at most 10,000 in one call: repeat it while `hasMore` is true.',
  isExtension: true,
  scope: 'manage',
  campaignAccess: 'webhook',
  params: IdParams,
  body: Type.Object({
    since: IsoTime('What was held or has failed at or after this moment', {
      'x-missing': 'since is required',
    }),
  }),
  bodyExample: { since: '2026-11-15T12:00:00Z' },
  reply: Type.Object({
    success: Type.Literal(true),
    recovered: Type.Integer({ description: 'How many are sent now' }),
    hasMore: Type.Boolean(),
  }),
  example: { success: true, recovered: 42, hasMore: false },
  failure: { success: false },
  refuses: ['webhook_missing', 'webhook_off'],
})

export const TEST = operation({
  id: 'testWebhook',
  tag: 'Webhooks',
  summary: 'Send a test event to a webhook',
  description:
    'To this webhook alone, whatever it subscribes to; `data.test` is true. See how it went in the list of its deliveries.',
  isExtension: true,
  scope: 'manage',
  campaignAccess: 'webhook',
  params: IdParams,
  body: Type.Object({
    eventType: Type.Optional(
      Type.Enum([...EVENT_TYPES], { description: 'Default: the first that it subscribes to' }),
    ),
  }),
  bodyExample: { eventType: 'message.incoming' },
  reply: DeliveryReply,
  example: { success: true, delivery: { ...UNSENT_EXAMPLE, attempts: [], requestBody: null } },
  failure: { success: false },
  refuses: ['webhook_missing', 'webhook_off'],
})

/** Server-sent events are no JSON: the answer is described by its media type. */
const STREAM_REPLY = {
  content: {
    'text/event-stream': {
      schema: {
        type: 'string',
        description:
          'Server-sent events: `id`, `event` (the eventType) and `data` (JSON). What has no `id` tells how things stand',
      },
      example: `id: evt_01km3v9w8m0000pqv3t5x7z9bd\nevent: message.status\ndata: {"id":"evt_01km3v9w8m0000pqv3t5x7z9bd","eventType":"message.status","createdAt":"2026-11-15T12:00:00.000Z","campaignId":"${WEBHOOK_EXAMPLE.campaignId}","data":{}}\n\nevent: heartbeat\ndata: {"now":"2026-11-15T12:00:15.000Z"}\n\n`,
    },
  },
} as unknown as TSchema

export const STREAM = operation({
  id: 'streamEvents',
  databaseClass: 'open',
  tag: 'Webhooks',
  summary: 'Follow the events of the account as they happen',
  description: `Server-sent events. The data is what a webhook would get, without \`webhookId\` and \`signature\`; changes of records come too, as \`webhook.changed\` and the like. Resume by the header \`Last-Event-ID\` (or the query \`lastEventId\`): what was missed comes first.

Three events have no \`id\`: they tell how things stand, are not stored, and leave the \`Last-Event-ID\` as it is.
- \`heartbeat\` \`{now}\`: the time of the service, at the beginning, every 15 s and whenever the sandbox's clock was moved.
- \`resumed\` \`{lastEventId, caughtUp, isComplete}\`: after what was missed, how many that were. \`isComplete\` is false where the last seen event is no longer kept (30 days): some may be missing, so read again what you show.
- \`balance.changed\` with \`data\` \`{change, balance}\`: in dollars, \`current\` at the beginning and \`moved\` after charges, refunds and credits, at most once a second. (The one with an \`id\` has \`change\` \`low\`: below the threshold.)

Made for looking on and for local development; a webhook is retried until it has arrived.`,
  isExtension: true,
  scope: 'read',
  campaignAccess: 'handler',
  query: Type.Object({
    lastEventId: Type.Optional(
      Type.String({
        pattern: '^evt_[0-9a-z]{26}$',
        description: 'Where a client cannot set the header',
        'x-expects': 'must be the id of the last event that was seen',
      }),
    ),
  }),
  reply: STREAM_REPLY,
  example: undefined,
  failure: { events: [] },
  refuses: ['streams_too_many'],
})
