// Deliveries that succeeded at the first attempt have no row in webhook_attempts. Their request is rebuilt from what
// is stored of it, with event, message, and webhook. See docs/decisions/0071.

import type { AccountId } from '../accounts/account.js'
import { listEventsById } from '../events/event-queries.js'
import {
  type DeliveredEvent,
  listDeliveredEvents,
} from '../events/queue/delivered-event-queries.js'
import type { Queryable } from '../kit/postgres/db.js'
import { type Attempt, listAttempts } from './attempt-queries.js'
import type { DescribeMessages } from './event-body.js'
import { rebuildBody } from './stored-body.js'
import { listWebhooksById } from './webhook-queries.js'

/** The stored form: the body in the first line (stored-body.ts), then the head (sent-request.ts). */
export function packRequest(storedBody: string, head: string): string {
  return `${storedBody}\n${head}`
}

/** Every attempt of these deliveries, oldest first within each. */
export async function readAttempts(
  db: Queryable,
  describeMessages: DescribeMessages,
  accountId: AccountId,
  deliveryIds: readonly string[],
): Promise<Attempt[]> {
  const first = await readDeliveredEvents(db, describeMessages, accountId, deliveryIds)
  return [...first, ...(await listAttempts(db, accountId, deliveryIds))]
}

/** The first attempts that succeeded immediately, rebuilt. */
export async function readDeliveredEvents(
  db: Queryable,
  describeMessages: DescribeMessages,
  accountId: AccountId,
  deliveryIds: readonly string[],
): Promise<Attempt[]> {
  const deliveredEvents = await listDeliveredEvents(db, accountId, deliveryIds)
  const bodyOf = await readBodies(
    db,
    describeMessages,
    accountId,
    deliveredEvents.filter(({ request }) => request !== null),
  )
  return deliveredEvents.map((delivered) => {
    const { deliveryId, at, responseStatus, durationMs, responseBody, request } = delivered
    const [storedBody = '', ...head] = request?.split('\n') ?? []
    const requestBody = bodyOf(delivered, storedBody)
    return {
      deliveryId,
      attempt: 1,
      at,
      requestBody,
      requestHead: requestBody === null ? null : head.join('\n'),
      responseStatus,
      durationMs,
      responseBody,
      error: null,
    }
  })
}

async function readBodies(
  db: Queryable,
  describeMessages: DescribeMessages,
  accountId: AccountId,
  deliveredEvents: readonly DeliveredEvent[],
): Promise<(delivered: DeliveredEvent, storedBody: string) => string | null> {
  if (deliveredEvents.length === 0) return () => null
  const distinct = (ids: readonly (string | null)[]) => [
    ...new Set(ids.filter((id) => id !== null)),
  ]
  const eventIds = distinct(deliveredEvents.map(({ eventId }) => eventId))
  const webhookIds = distinct(deliveredEvents.map(({ subscriberId }) => subscriberId))
  const messageIds = distinct(deliveredEvents.map(({ messageId }) => messageId))
  const events = await listEventsById(db, accountId, eventIds)
  const webhooks = await listWebhooksById(db, accountId, webhookIds)
  const messages = await describeMessages(db, accountId, messageIds)
  const eventById = new Map(events.map((event) => [event.id, event]))
  const webhookById = new Map(webhooks.map((webhook) => [webhook.id, webhook]))
  return ({ eventId, subscriberId }, storedBody) => {
    const event = eventById.get(eventId)
    const webhook = webhookById.get(subscriberId)
    if (!event || !webhook) return null
    return rebuildBody(storedBody, event, messages.get(event.messageId ?? ''), webhook)
  }
}
