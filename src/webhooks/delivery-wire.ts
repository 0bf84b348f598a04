// Deliveries as JSON, in lists and one by one: the only place with the wire's names.

import { Type } from 'typebox'
import { DELIVERY_STATES, type Delivery } from '../events/event.js'
import {
  Noun,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  Timestamp,
} from '../kit/contract/schema.js'
import type { Attempt } from './attempt-queries.js'
import { describeRequest } from './sent-request.js'
import { maskSignature, WEBHOOK_EXAMPLE } from './webhook-wire.js'

const AttemptShape = Noun('DeliveryAttempt', {
  attempt: Type.Integer({ description: '1, 2, 3 …' }),
  at: Timestamp,
  responseCode: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'The HTTP status. null if there was no response',
  }),
  durationMs: Type.Integer(),
  responseBody: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The first KiB of the response',
  }),
  error: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Why there was no response, or what was wrong with it',
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
    description: 'null if no attempt follows, and during an attempt',
  }),
  attempts: Type.Array(AttemptShape),
  requestBody: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description:
      'As sent. null before the first attempt, and if the message was redacted or deleted since',
  }),
})

const RequestShape = Noun('SentRequest', {
  method: Type.Enum(['GET', 'POST'], {
    description: 'GET only for a webhook in the format `twilio-get`, whose URL has the form',
  }),
  url: Type.String(),
  headers: Type.Array(Noun('SentHeader', { name: Type.String(), value: Type.String() }), {
    description:
      'All headers in the order sent, with the time and signatures of this attempt. `x-webhook-signature` shows only … and its last four characters',
  }),
})

export const DeliveryInFull = Noun('DeliveryInFull', {
  ...DeliveryShape.properties,
  attempts: Type.Array(
    Noun('DeliveryAttemptInFull', {
      ...AttemptShape.properties,
      request: Type.Union([RequestShape, Type.Null()], {
        description:
          'The body is the `requestBody` of the delivery, the same in every attempt. null if the message was redacted or deleted since',
      }),
    }),
  ),
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

/** As in the list, with the request of each attempt. */
export const DELIVERY_IN_FULL_EXAMPLE = {
  ...DELIVERY_EXAMPLE,
  attempts: DELIVERY_EXAMPLE.attempts.map((attempt) => ({
    ...attempt,
    request: {
      method: 'POST',
      url: WEBHOOK_EXAMPLE.url,
      headers: [
        { name: 'host', value: 'example.com' },
        { name: 'connection', value: 'keep-alive' },
        { name: 'content-type', value: 'application/json' },
        { name: 'user-agent', value: 'Longcode/0.1.0' },
        { name: 'x-webhook-signature', value: '…3aUe' },
        { name: 'webhook-id', value: DELIVERY_EXAMPLE.eventId },
        { name: 'webhook-timestamp', value: '1794744000' },
        {
          name: 'webhook-signature',
          value: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
        },
        { name: 'accept-encoding', value: 'identity' },
        { name: 'content-length', value: '1024' },
      ],
    },
  })),
}

/** `hidden` is the signature if the client may not see it, because sent bodies contain it. */
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
    // They are read after the delivery. One recorded in between belongs to its next state.
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

/** As wireDelivery, with the request of each attempt. The signature is never shown there. */
export function wireDeliveryInFull(
  delivery: Delivery,
  attempts: readonly Attempt[],
  signature: string,
  showsSecrets: boolean,
) {
  const wired = wireDelivery(delivery, attempts, showsSecrets ? null : signature)
  const body = attempts.find((attempt) => attempt.requestBody !== null)?.requestBody ?? null
  const requestOf = ({ requestHead }: Attempt) =>
    requestHead === null || body === null
      ? null
      : describeRequest(requestHead, delivery.eventId, maskSignature(signature), body)
  return {
    ...wired,
    attempts: wired.attempts.map((attempt, i) => ({
      ...attempt,
      request: requestOf(attempts[i]!),
    })),
  }
}
