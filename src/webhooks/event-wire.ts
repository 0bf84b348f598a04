// What receivers get, kind by kind. openapi.json lists these under `webhooks`, and the tests check every delivered
// event against them. event-body.ts writes the events. This file declares their shape.

import { type TProperties, Type } from 'typebox'
import { ALERT_EXAMPLE, AlertShape } from '../alerts/alert-wire.js'
import { BRAND_CHANGES } from '../brands/append-brand-change.js'
import { BRAND_STATUSES } from '../brands/brand-state.js'
import { BrandShape } from '../brands/brand-wire.js'
import { CAMPAIGN_CHANGES } from '../campaigns/append-campaign-changes.js'
import { CAMPAIGN_STATUSES } from '../campaigns/campaign-state.js'
import { CampaignShape } from '../campaigns/campaign-wire.js'
import type { EventType } from '../events/event.js'
import { CONVERSATION_CHANGES } from '../inbox/append-conversation-change.js'
import { CONVERSATION_STATUSES } from '../inbox/conversation.js'
import { ConversationStateShape } from '../inbox/conversation-wire.js'
import { Noun, NullableString, Timestamp } from '../kit/contract/schema.js'
import { STATUSES } from '../messages/message-state.js'
import { MessageShape } from '../messages/message-wire.js'
import { NUMBER_CHANGES } from '../numbers/append-number-changes.js'
import { NumberWithCampaign } from '../numbers/number-wire.js'
import { E164 } from '../text/number-schema.js'
import { WEBHOOK_EXAMPLE } from './webhook-wire.js'

const IsTest = Type.Optional(Type.Literal(true, { description: 'Only in test events' }))
const Match = Type.Optional(
  Type.Unsafe<string | null>({
    enum: ['exact', 'near', null],
    description: 'Whether the recipient sent the keyword itself or free text',
  }),
)
const Changed = Type.Array(Type.String(), { description: 'The fields that changed' })

/** One envelope for every kind. */
function event<Data extends TProperties>(eventType: EventType, summary: string, data: Data) {
  const shape = Noun(nameOf(eventType), {
    id: Type.String({
      title: 'EventId',
      description: 'The same in every attempt. Use it to drop duplicates',
    }),
    eventType: Type.Literal(eventType),
    createdAt: Timestamp,
    webhookId: Type.String(),
    campaignId: Type.String(),
    signature: Type.String({
      title: 'WebhookSignature',
      description: 'The webhook’s signature, verbatim',
    }),
    data: Type.Object({ ...data, test: IsTest }),
  })
  return { summary, shape }
}

// message.incoming → MessageIncomingEvent
function nameOf(eventType: EventType): string {
  const words = eventType.split('.').map((word) => word[0]!.toUpperCase() + word.slice(1))
  return `${words.join('')}Event`
}

/** A kind of event without a shape does not compile. */
export const EVENT_SHAPES: Readonly<Record<EventType, ReturnType<typeof event>>> = {
  'message.incoming': event('message.incoming', 'An inbound message arrived', {
    message: MessageShape,
    keyword: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'The keyword that the service acted on. null if there was none',
      }),
    ),
    match: Match,
    replyId: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'The ID of the automatic reply. null if there was none',
      }),
    ),
    optoutSuspected: Type.Optional(
      Type.Boolean({
        description: 'The text reads like an opt-out, but the service did not act on it',
      }),
    ),
  }),
  'message.status': event('message.status', 'The status of a message changed', {
    message: MessageShape,
    previousStatus: Type.Unsafe<string | null>({ enum: [...STATUSES, null] }),
    sequence: Type.Integer({ description: '1, 2, 3 … within the events of one message' }),
  }),
  'recipient.optout': event('recipient.optout', 'A recipient opted out', {
    recipient: E164(),
    number: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The number that the recipient messaged. null for a manual opt-out',
    }),
    campaignId: Type.String(),
    keyword: NullableString,
    match: Match,
    messageId: NullableString,
    optedOutAt: Timestamp,
  }),
  'brand.changed': event('brand.changed', 'A brand was created or changed', {
    change: Type.Enum([...BRAND_CHANGES]),
    brand: BrandShape,
    previousStatus: Type.Optional(Type.Enum([...BRAND_STATUSES])),
    changed: Changed,
  }),
  'campaign.changed': event('campaign.changed', 'A campaign was created or changed', {
    change: Type.Enum([...CAMPAIGN_CHANGES]),
    campaign: CampaignShape,
    previousStatus: Type.Optional(Type.Enum([...CAMPAIGN_STATUSES])),
    changed: Changed,
  }),
  'number.changed': event('number.changed', 'A number was bought, released, or changed', {
    change: Type.Enum([...NUMBER_CHANGES]),
    number: NumberWithCampaign,
    previousStatus: Type.Optional(Type.String()),
    changed: Changed,
  }),
  'conversation.changed': event(
    'conversation.changed',
    'Someone replied, or a conversation was assigned, closed, read, or noted',
    {
      change: Type.Enum([...CONVERSATION_CHANGES]),
      conversation: ConversationStateShape,
      previousStatus: Type.Optional(Type.Enum([...CONVERSATION_STATUSES])),
      changed: Changed,
    },
  ),
  'alert.raised': event('alert.raised', 'The service noticed a problem', { alert: AlertShape }),
  'alert.cleared': event('alert.cleared', 'A problem is over', { alert: AlertShape }),
}

const ENVELOPE = {
  id: 'evt_01km3v9w8m0000pqv3t5x7z9bd',
  webhookId: WEBHOOK_EXAMPLE.id,
  campaignId: WEBHOOK_EXAMPLE.campaignId,
  signature: WEBHOOK_EXAMPLE.signature,
}

/** What the nested records do not show in their own examples. */
export const EVENT_EXAMPLES: Readonly<Record<EventType, object>> = {
  'message.incoming': {
    ...ENVELOPE,
    data: { keyword: null, match: null, replyId: null, optoutSuspected: false },
  },
  'message.status': { ...ENVELOPE, data: { previousStatus: 'QUEUED', sequence: 2 } },
  'recipient.optout': {
    ...ENVELOPE,
    data: {
      number: '+14152004000',
      campaignId: ENVELOPE.campaignId,
      keyword: 'STOP',
      match: 'exact',
      messageId: 'msg_01km3v9w8m0000pqv3t5x7z9bd',
    },
  },
  'brand.changed': { ...ENVELOPE, data: { previousStatus: 'PENDING', changed: ['status'] } },
  'campaign.changed': { ...ENVELOPE, data: { previousStatus: 'PENDING', changed: ['status'] } },
  'number.changed': { ...ENVELOPE, data: { changed: [] } },
  'conversation.changed': { ...ENVELOPE, data: { previousStatus: 'OPEN', changed: ['status'] } },
  'alert.raised': { ...ENVELOPE, data: { alert: ALERT_EXAMPLE } },
  'alert.cleared': {
    ...ENVELOPE,
    data: { alert: { ...ALERT_EXAMPLE, clearedAt: '2026-11-15T14:00:00.000Z' } },
  },
}
