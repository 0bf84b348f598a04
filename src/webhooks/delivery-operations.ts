// What the endpoints for deliveries and the live stream accept, return, and refuse.

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
  description: `Stored for 30 days. With \`message\`, one request reads at most ${MESSAGE_REACH.toLocaleString('en')} deliveries from the time of that message, latest first.`,
  isExtension: true,
  scope: 'read',
  campaignAccess: 'webhook',
  params: IdParams,
  query: pageQueryWith({
    state: Type.Optional(Type.Enum([...DELIVERY_STATES])),
    message: Type.Optional(
      IdText({
        description: 'Only deliveries of events about this message',
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
  summary: 'Get a delivery with the request and response of every attempt',
  description:
    'Exactly as sent: URL, headers in order, and the signatures of that attempt. Stored for 30 days.',
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
  summary: 'Send a delivery again',
  description: 'Sent immediately with the same body and event ID, with a full set of retries.',
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
  summary: 'Preview what a recovery would send',
  description:
    'Counts events that were held while the webhook was disabled and deliveries that failed, without those that arrived later. Works while the webhook is disabled. Enable the webhook with `enabled: true`, then recover `since` the `oldestAt` of this response.',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'webhook',
  params: IdParams,
  query: Type.Object({
    since: Type.Optional(
      IsoTime('Held or failed at or after this time. Default: everything stored'),
    ),
  }),
  reply: Type.Object({
    recovery: Noun('Recovery', {
      held: Type.Integer({ description: 'Events held while the webhook was disabled' }),
      failed: Type.Integer({ description: 'All attempts failed' }),
      oldestAt: NullableTimestamp,
      hasMore: Type.Boolean({
        description: 'There are more than one request can send. These are the oldest 10,000',
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
  summary: 'Send held and failed events since a given time',
  description:
    'While a webhook is disabled, its events are stored for 30 days as deliveries in state `held`. Enabling it does not send them. This request does: oldest first, at most 10,000 per request. Repeat it while `hasMore` is true.',
  isExtension: true,
  scope: 'manage',
  campaignAccess: 'webhook',
  params: IdParams,
  body: Type.Object({
    since: IsoTime('Held or failed at or after this time', {
      'x-missing': 'since is required',
    }),
  }),
  bodyExample: { since: '2026-11-15T12:00:00Z' },
  reply: Type.Object({
    success: Type.Literal(true),
    recovered: Type.Integer({ description: 'Number of events being sent' }),
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
    'Sends only to this webhook, regardless of its subscriptions. `data.test` is true. The list of deliveries shows the result.',
  isExtension: true,
  scope: 'manage',
  campaignAccess: 'webhook',
  params: IdParams,
  body: Type.Object({
    eventType: Type.Optional(
      Type.Enum([...EVENT_TYPES], {
        description: 'Default: the first type that the webhook subscribes to',
      }),
    ),
  }),
  bodyExample: { eventType: 'message.incoming' },
  reply: DeliveryReply,
  example: { success: true, delivery: { ...UNSENT_EXAMPLE, attempts: [], requestBody: null } },
  failure: { success: false },
  refuses: ['webhook_missing', 'webhook_off'],
})

/** Server-sent events are not JSON, so the response is described by its media type. */
const STREAM_REPLY = {
  content: {
    'text/event-stream': {
      schema: {
        type: 'string',
        description:
          'Server-sent events: `id`, `event` (the eventType), and `data` (JSON). Events without an `id` report the current state',
      },
      example: `id: evt_01km3v9w8m0000pqv3t5x7z9bd\nevent: message.status\ndata: {"id":"evt_01km3v9w8m0000pqv3t5x7z9bd","eventType":"message.status","createdAt":"2026-11-15T12:00:00.000Z","campaignId":"${WEBHOOK_EXAMPLE.campaignId}","data":{}}\n\nevent: heartbeat\ndata: {"now":"2026-11-15T12:00:15.000Z"}\n\n`,
    },
  },
} as unknown as TSchema

export const STREAM = operation({
  id: 'streamEvents',
  databaseClass: 'open',
  tag: 'Webhooks',
  summary: 'Stream the events of the account',
  description: `Server-sent events. The data is the same as in a webhook, without \`webhookId\` and \`signature\`. Record changes are included (\`webhook.changed\` and others). To resume, send the header \`Last-Event-ID\` (or the query \`lastEventId\`): missed events come first.

Three events have no \`id\`. They report the current state, are not stored, and do not change the \`Last-Event-ID\`.
- \`heartbeat\` \`{now}\`: the current time of the service, at the start, every 15 s, and whenever the sandbox clock moves.
- \`resumed\` \`{lastEventId, caughtUp, isComplete}\`: sent after the missed events, with their number. \`isComplete\` is false if the last seen event is no longer stored (30 days). Some events may be missing, so reload what you show.
- \`balance.changed\` with \`data\` \`{change, balance}\`: in dollars, \`current\` at the start and \`moved\` after charges, refunds, and credits, at most once a second. (The event with an \`id\` has \`change\` \`low\`: the balance is below the threshold.)

Meant for live views and local development. Webhooks are retried until they arrive.`,
  isExtension: true,
  scope: 'read',
  campaignAccess: 'handler',
  query: Type.Object({
    lastEventId: Type.Optional(
      Type.String({
        pattern: '^evt_[0-9a-z]{26}$',
        description: 'For clients that cannot set the header',
        'x-expects': 'must be the ID of the last event received',
      }),
    ),
  }),
  reply: STREAM_REPLY,
  example: undefined,
  failure: { events: [] },
  refuses: ['streams_too_many'],
})
