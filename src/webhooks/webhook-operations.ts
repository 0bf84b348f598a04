// What the webhook endpoints accept, return, and refuse. webhook-routes.ts connects each to its route.

import { Type } from 'typebox'
import { EVENT_TYPES } from '../events/event.js'
import { operation } from '../kit/contract/operation.js'
import { HasMore, IdParams, PageQuery } from '../kit/contract/schema.js'
import { WEBHOOK_EXAMPLE, WebhookShape } from './webhook-wire.js'

const NAME_LENGTH_MAX = 100
const NUMBERS_MAX = 1_000
const NUMBER_LENGTH_MAX = 1_000 // an invalid number is refused by name, even if it is long
/** A thousand numbers, and the rest. */
const BODY_BYTES_MAX = 64 * 1024

const Name = Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: NAME_LENGTH_MAX })

const Url = Type.String({
  minLength: 1,
  maxLength: 2000,
  pattern: '\\S',
  description:
    'http or https, at most 2000 characters, without a user name or password. In production, it must resolve to a public address.',
  examples: [WEBHOOK_EXAMPLE.url],
  'x-also': ['endpoint', 'target', 'address', 'callback', 'webhookUrl'],
})

const EventTypes = Type.Array(Type.Enum([...EVENT_TYPES]), {
  minItems: 1,
  maxItems: 100,
  'x-expects': `must be a list with at least one of ${EVENT_TYPES.join(', ')}`,
  'x-also': ['events', 'types', 'topics'],
})

const NUMBERS = {
  type: ['array', 'null'],
  items: { type: 'string', maxLength: NUMBER_LENGTH_MAX },
  minItems: 1,
  maxItems: NUMBERS_MAX,
  description:
    'Numbers of this campaign in E.164 format. Default: all, including numbers bought later',
  'x-also': ['phoneNumbers', 'phones'],
} as const
const Numbers = Type.Unsafe<string[] | null>({ ...NUMBERS })

const WebhookReply = Type.Object({ success: Type.Literal(true), webhook: WebhookShape })
const WEBHOOK_REPLY_EXAMPLE = { success: true, webhook: WEBHOOK_EXAMPLE }

export const CREATE = operation({
  id: 'createWebhook',
  tag: 'Webhooks',
  summary: 'Create a webhook for a campaign',
  scope: 'manage',
  campaignAccess: 'campaign',
  params: IdParams,
  body: Type.Object({
    name: Type.Optional(Name),
    url: Url,
    eventTypes: EventTypes,
    numbers: Type.Optional(Numbers),
  }),
  bodyLimit: BODY_BYTES_MAX,
  bodyExample: {
    name: 'orders',
    url: WEBHOOK_EXAMPLE.url,
    eventTypes: ['message.incoming', 'message.status'],
    numbers: ['+14155550123'],
  },
  reply: WebhookReply,
  example: WEBHOOK_REPLY_EXAMPLE,
  failure: { success: false },
  refuses: ['campaign_missing', 'campaign_state', 'webhooks_too_many', 'webhooks_full'],
})

export const LIST_OF_CAMPAIGN = operation({
  id: 'listCampaignWebhooks',
  tag: 'Webhooks',
  summary: 'List the webhooks of a campaign, newest first',
  scope: 'read',
  campaignAccess: 'campaign',
  params: IdParams,
  reply: Type.Object({ webhooks: Type.Array(WebhookShape) }),
  example: { webhooks: [WEBHOOK_EXAMPLE] },
  failure: { webhooks: [] },
  refuses: ['campaign_missing'],
})

export const LIST = operation({
  id: 'listWebhooks',
  tag: 'Webhooks',
  summary: 'List the webhooks of all campaigns, newest first',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'handler',
  query: PageQuery,
  reply: Type.Object({ webhooks: Type.Array(WebhookShape), hasMore: HasMore }),
  example: { webhooks: [WEBHOOK_EXAMPLE], hasMore: false },
  failure: { webhooks: [] },
})

export const GET = operation({
  id: 'getWebhook',
  tag: 'Webhooks',
  summary: 'Retrieve a webhook',
  scope: 'read',
  campaignAccess: 'webhook',
  params: IdParams,
  reply: Type.Object({ webhook: WebhookShape }),
  example: { webhook: WEBHOOK_EXAMPLE },
  failure: { webhook: null },
  refuses: ['webhook_missing'],
})

export const UPDATE = operation({
  id: 'updateWebhook',
  tag: 'Webhooks',
  summary: 'Update a webhook',
  description:
    'Changes only the given fields. While a webhook is disabled, its events are `held` for 30 days. `enabled: true` enables it again but does not send them: `GET …/recover` counts them, and `POST …/recover` sends them.',
  scope: 'manage',
  campaignAccess: 'webhook',
  params: IdParams,
  body: Type.Object({
    name: Type.Optional(Name),
    url: Type.Optional(Url),
    eventTypes: Type.Optional(EventTypes),
    numbers: Type.Optional(Numbers),
    enabled: Type.Optional(Type.Boolean({ 'x-also': ['active', 'disabled', 'on'] })),
  }),
  bodyLimit: BODY_BYTES_MAX,
  bodyExample: { url: 'https://example.com/longcode/v2', enabled: true },
  reply: WebhookReply,
  example: WEBHOOK_REPLY_EXAMPLE,
  failure: { success: false },
  refuses: ['webhook_missing'],
})

export const DELETE = operation({
  id: 'deleteWebhook',
  tag: 'Webhooks',
  summary: 'Delete a webhook',
  description: 'Nothing more is sent to it. Pending retries are dropped.',
  scope: 'manage',
  campaignAccess: 'webhook',
  params: IdParams,
  reply: Type.Object({ success: Type.Literal(true), id: Type.String() }),
  example: { success: true, id: WEBHOOK_EXAMPLE.id },
  failure: { success: false },
  refuses: ['webhook_missing'],
})

export const ROTATE = operation({
  id: 'rotateWebhookSecret',
  tag: 'Webhooks',
  summary: 'Rotate the secret of a webhook',
  description:
    'The previous secret stays valid for 24 hours. During that time, `webhook-signature` has two values, so a receiver can switch at any time.',
  isExtension: true,
  scope: 'manage',
  campaignAccess: 'webhook',
  params: IdParams,
  reply: WebhookReply,
  example: WEBHOOK_REPLY_EXAMPLE,
  failure: { success: false },
  refuses: ['webhook_missing'],
})
