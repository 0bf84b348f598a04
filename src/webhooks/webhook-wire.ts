// Webhooks and deliveries as the contract and its extensions write them: the only place that knows
// the wire's names.

import { Type } from 'typebox'
import { DELIVERY_STATES, type Delivery, EVENT_TYPES } from '../events/event.js'
import {
  Noun,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  Timestamp,
} from '../kit/contract/schema.js'
import type { Attempt } from './attempt-queries.js'
import type { Webhook } from './webhook.js'

export const WebhookShape = Noun('Webhook', {
  id: Type.String(),
  createdAt: Timestamp,
  name: NullableString,
  url: Type.String(),
  campaignId: Type.String(),
  signature: Type.String({
    description:
      'Sent with every event, verbatim. Four characters and … for a token without the scope `manage`',
  }),
  eventTypes: Type.Array(Type.Enum([...EVENT_TYPES])),
  numbers: Type.Array(Type.String(), {
    description:
      'E.164. Where all numbers of the campaign are meant, also those bought later: those of now',
  }),
  secret: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description:
      'The key of the `webhook-signature` header; null for a token without the scope `manage`. Extension (not in the contract)',
  }),
  enabled: Type.Boolean({ description: 'Extension (not in the contract)' }),
  disabledReason: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'null while enabled. Extension (not in the contract)',
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
}

const AttemptShape = Noun('DeliveryAttempt', {
  attempt: Type.Integer({ description: '1, 2, 3 …' }),
  at: Timestamp,
  responseCode: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'The HTTP status; null where no answer came',
  }),
  durationMs: Type.Integer(),
  responseBody: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The first KiB of the reply',
  }),
  error: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Why no answer came, or what is wrong with it',
  }),
})

export const DeliveryShape = Noun('Delivery', {
  id: Type.String(),
  webhookId: Type.String(),
  eventId: Type.String(),
  eventType: Type.String(),
  messageId: NullableString,
  sequence: NullableNumber,
  state: Type.Enum([...DELIVERY_STATES]),
  createdAt: Timestamp,
  finishedAt: NullableTimestamp,
  nextAttemptAt: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description: 'null where nothing more will be tried, and during an attempt',
  }),
  attempts: Type.Array(AttemptShape),
  requestBody: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'As it was sent; null before the first attempt',
  }),
})

export const DELIVERY_EXAMPLE = {
  id: 'dlv_01km3v9w8m0000pqv3t5x7z9bd',
  webhookId: WEBHOOK_EXAMPLE.id,
  eventId: 'evt_01km3v9w8m0000pqv3t5x7z9bd',
  eventType: 'message.status',
  messageId: 'msg_01km3v9w8m0000pqv3t5x7z9bd',
  sequence: 2,
  state: 'delivered',
  createdAt: '2026-11-15T12:00:00.000Z',
  finishedAt: '2026-11-15T12:00:00.031Z',
  nextAttemptAt: null,
  attempts: [
    {
      attempt: 1,
      at: '2026-11-15T12:00:00.009Z',
      responseCode: 200,
      durationMs: 21,
      responseBody: 'ok',
      error: null,
    },
  ],
  requestBody: '{"id":"evt_01km3v9w8m0000pqv3t5x7z9bd", …}',
}

/** `campaignNumbers` stand in where the webhook means all numbers of its campaign. */
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
    disabledReason: webhook.disabledReason,
  }
}

/** Who may only read learns which webhook an event was for, not how to pass for us. */
function maskSignature(signature: string): string {
  return `${signature.slice(0, 4)}…`
}

/** `hidden` is the signature where the caller may not see it: bodies that were sent hold it. */
export function wireDelivery(
  delivery: Delivery,
  attempts: readonly Attempt[],
  hidden: string | null,
) {
  const show = (text: string | null): string | null =>
    hidden === null || text === null ? text : text.replaceAll(hidden, maskSignature(hidden))
  const isWaiting = delivery.state === 'pending' && !delivery.isLeased
  return {
    id: delivery.id,
    webhookId: delivery.subscriberId,
    eventId: delivery.eventId,
    eventType: delivery.eventType,
    messageId: delivery.messageId,
    sequence: delivery.sequence,
    state: delivery.state,
    createdAt: delivery.createdAt.toISOString(),
    finishedAt: delivery.finishedAt?.toISOString() ?? null,
    nextAttemptAt: isWaiting ? (delivery.dueAt?.toISOString() ?? null) : null,
    // They are read after the delivery: one that was recorded in between belongs to its next state.
    attempts: attempts
      .filter(({ attempt }) => attempt <= delivery.attempts)
      .map((attempt) => ({ ...wireAttempt(attempt), responseBody: show(attempt.responseBody) })),
    requestBody: show(
      attempts.find((attempt) => attempt.requestBody !== null)?.requestBody ?? null,
    ),
  }
}

function wireAttempt(attempt: Attempt) {
  return {
    attempt: attempt.attempt,
    at: attempt.at.toISOString(),
    responseCode: attempt.responseStatus,
    durationMs: attempt.durationMs,
    error: attempt.error,
  }
}
