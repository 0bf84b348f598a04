// Webhooks as JSON: the only place with the wire's names.

import { Type } from 'typebox'
import { EVENT_TYPES } from '../events/event.js'
import { Noun, NullableString, Timestamp } from '../kit/contract/schema.js'
import { describeDisabled, WEBHOOK_FORMATS, type Webhook } from './webhook.js'

export const WebhookShape = Noun('Webhook', {
  id: Type.String(),
  createdAt: Timestamp,
  name: NullableString,
  url: Type.String(),
  campaignId: Type.String(),
  signature: Type.String({
    description:
      'Sent with every event, verbatim. Tokens without the scope `manage` see only … and its last four characters',
  }),
  eventTypes: Type.Array(Type.Enum([...EVENT_TYPES])),
  numbers: Type.Array(Type.String(), {
    description: 'E.164. For a webhook on all numbers of the campaign, the current numbers',
  }),
  secret: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description:
      'The signing secret of the `webhook-signature` header. null for tokens without the scope `manage`. Extension (not in the contract)',
  }),
  enabled: Type.Boolean({ description: 'Extension (not in the contract)' }),
  disabledReason: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'null while enabled. Extension (not in the contract)',
  }),
  failingSince: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description:
      'The first failure since the last success. null if the last attempt succeeded or there was none. Extension (not in the contract)',
  }),
  formerSecretUntil: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description:
      'When the previous secret stops signing. null if there is none. Extension (not in the contract)',
  }),
  format: Type.Enum([...WEBHOOK_FORMATS], {
    description:
      'json: events as documented. twilio and twilio-get: the SmsUrl of a number in the Twilio-compatible API, with POST or GET. Extension (not in the contract)',
  }),
})

export const WEBHOOK_EXAMPLE = {
  id: 'whk_01km3v9w8m0000pqv3t5x7z9bd',
  createdAt: '2026-11-15T12:00:00.000Z',
  name: 'orders',
  url: 'https://example.com/longcode',
  campaignId: 'cmp_01km3v9w8m0000pqv3t5x7z9bd',
  signature: 'q4ZJ0vWb8kT1nY7cXr2PdLs5GmHf3aUe',
  eventTypes: ['message.incoming', 'message.status'],
  numbers: ['+14155550123'],
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  enabled: true,
  disabledReason: null,
  failingSince: null,
  formerSecretUntil: null,
  format: 'json',
}

/** `campaignNumbers` are shown if the webhook covers all numbers of its campaign. */
export function wireWebhook(
  webhook: Webhook,
  campaignNumbers: readonly string[],
  showsSecrets: boolean,
) {
  return {
    id: webhook.id,
    createdAt: webhook.createdAt.toISOString(),
    name: webhook.name,
    url: webhook.url,
    campaignId: webhook.campaignId,
    signature: showsSecrets ? webhook.signature : maskSignature(webhook.signature),
    eventTypes: webhook.eventTypes,
    numbers: webhook.numbers ?? [...campaignNumbers],
    secret: showsSecrets ? webhook.secret : null,
    enabled: webhook.isEnabled,
    disabledReason: describeDisabled(webhook.disabledReason),
    failingSince: webhook.failingSince?.toISOString() ?? null,
    formerSecretUntil: webhook.formerSecretUntil?.toISOString() ?? null,
    format: webhook.format,
  }
}

/** A read-only token can tell which webhook an event was for, but cannot impersonate the service. */
export function maskSignature(signature: string): string {
  return `…${signature.slice(-4)}`
}
