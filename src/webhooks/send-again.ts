// Deliveries on request: one again, everything missed since a time, and a test.

import type { AccountId } from '../accounts/account.js'
import { appendSample } from '../events/append-events.js'
import type { Delivery, EventType } from '../events/event.js'
import { findDelivery } from '../events/queue/delivery-record-queries.js'
import {
  countUndelivered,
  insertDelivery,
  restartDelivery,
  restartUndelivered,
  type Undelivered,
} from '../events/queue/delivery-round-queries.js'
import { Refusal } from '../kit/contract/refusal.js'
import { idFloor, isId } from '../kit/ids.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { sampleData } from './sample-event.js'
import type { Webhook } from './webhook.js'
import { getWebhook } from './webhook-queries.js'

/** The maximum in one transaction. The client repeats the request for more. */
const RECOVER_MAX = 10_000

async function getEnabledWebhook(
  tx: Transaction,
  accountId: AccountId,
  id: string,
): Promise<Webhook> {
  const webhook = await getWebhook(tx, accountId, id)
  if (!webhook.isEnabled) throw new Refusal('webhook_off')
  return webhook
}

export async function getDelivery(
  db: Queryable,
  accountId: AccountId,
  webhookId: string,
  id: string,
): Promise<Delivery> {
  const delivery = isId('dlv', id) && (await findDelivery(db, accountId, webhookId, id))
  if (!delivery) throw new Refusal('delivery_missing')
  return delivery
}

export async function replayDelivery(
  tx: Transaction,
  accountId: AccountId,
  webhookId: string,
  id: string,
  now: Date,
): Promise<Delivery> {
  await getWebhook(tx, accountId, webhookId)
  await getDelivery(tx, accountId, webhookId, id)
  await getEnabledWebhook(tx, accountId, webhookId)
  if (!(await restartDelivery(tx, accountId, id, now))) {
    throw new Refusal('delivery_state', 'The delivery is being sent right now')
  }
  return (await findDelivery(tx, accountId, webhookId, id))!
}

export async function recoverDeliveries(
  tx: Transaction,
  accountId: AccountId,
  webhookId: string,
  since: Date,
  now: Date,
): Promise<{ recovered: number; hasMore: boolean }> {
  await getEnabledWebhook(tx, accountId, webhookId)
  const floor = deliveryFloor(since)
  const recovered = await restartUndelivered(tx, accountId, webhookId, floor, now, RECOVER_MAX)
  return { recovered, hasMore: recovered === RECOVER_MAX }
}

/** What recoverDeliveries would send, also while the webhook is disabled. */
export async function previewRecovery(
  db: Queryable,
  accountId: AccountId,
  webhookId: string,
  since: Date,
): Promise<Undelivered & { hasMore: boolean }> {
  await getWebhook(db, accountId, webhookId)
  return countUndelivered(db, accountId, webhookId, deliveryFloor(since), RECOVER_MAX)
}

// IDs contain the time since 1970. Nothing was paused before that.
function deliveryFloor(since: Date): string {
  return idFloor('dlv', new Date(Math.max(0, since.getTime())))
}

/** The event has no campaign, so no other webhook gets it. */
export async function sendTestEvent(
  tx: Transaction,
  accountId: AccountId,
  webhookId: string,
  requestedType: EventType | null,
  now: Date,
): Promise<Delivery> {
  const webhook = await getEnabledWebhook(tx, accountId, webhookId)
  const eventType = requestedType ?? webhook.eventTypes[0]!
  const eventId = await appendSample(tx, {
    accountId,
    eventType,
    data: sampleData(eventType, webhook, now),
    now,
  })
  const id = await insertDelivery(tx, accountId, webhookId, eventId, now)
  return (await findDelivery(tx, accountId, webhookId, id))!
}
