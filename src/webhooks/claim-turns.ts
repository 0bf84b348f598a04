// Leases what is due of one account's webhooks and prepares the requests: which webhook, which body.

import type { AccountId } from '../accounts/account.js'
import {
  type ClaimedDelivery,
  claimDeliveries,
  holdDeliveries,
  releaseDeliveries,
} from '../events/delivery-queries.js'
import { listEventsById } from '../events/event-queries.js'
import type { World } from '../kit/world.js'
import { findRequestBodies } from './attempt-queries.js'
import type { Endpoint } from './endpoint.js'
import type { Turn } from './endpoint-board.js'
import { type DescribeMessages, webhookBody } from './event-body.js'
import { HOLD_PORTION } from './switch-off.js'
import type { Webhook } from './webhook.js'
import { listWebhooksById } from './webhook-queries.js'

export interface PreparedDelivery {
  endpoint: Endpoint
  webhook: Webhook
  deliveryId: string
  eventId: string
  messageId: string | null
  sequence: number | null
  /** Made before the present round, and in it. */
  attempts: number
  attemptsBefore: number
  /** Encoded once: it is signed, sent and recorded. */
  body: Buffer
  leaseUntil: Date
}

export interface Claim {
  accountId: AccountId
  turns: readonly Turn[]
  now: Date
  leaseUntil: Date
}

export async function claimTurns(
  world: World,
  describeMessages: DescribeMessages,
  claim: Claim,
): Promise<PreparedDelivery[]> {
  const { accountId, turns, now, leaseUntil } = claim
  const places = turns.map(({ endpoint, wanted }) => ({
    subscriberId: endpoint.webhookId,
    places: wanted,
  }))
  const rows = await claimDeliveries(world.db, accountId, places, now, leaseUntil)
  await Promise.all(turns.map((turn) => settleTurn(world, turn, rows, now)))
  const claimed = rows.filter((row) => row.isClaimed)
  if (claimed.length === 0) return []
  try {
    return await prepare(world, describeMessages, claim, claimed)
  } catch (error) {
    const ids = claimed.map((row) => row.id)
    await releaseDeliveries(world.db, accountId, ids, [leaseUntil], now).catch(() => {})
    throw error
  }
}

/** A full turn may have left something. An empty one may mean that the webhook is off or deleted. */
async function settleTurn(
  { db }: World,
  { endpoint, wanted }: Turn,
  rows: readonly ClaimedDelivery[],
  now: Date,
): Promise<void> {
  const found = rows.filter((row) => row.subscriberId === endpoint.webhookId).length
  endpoint.isReady = found === wanted
  if (found > 0) return
  const held = await holdDeliveries(db, endpoint.accountId, endpoint.webhookId, now, HOLD_PORTION)
  endpoint.isReady = held === HOLD_PORTION
}

async function prepare(
  { db }: World,
  describeMessages: DescribeMessages,
  { accountId, turns, now, leaseUntil }: Claim,
  rows: readonly ClaimedDelivery[],
): Promise<PreparedDelivery[]> {
  const [webhooks, bodyOf] = await Promise.all([
    listWebhooksById(db, accountId, [...new Set(rows.map((row) => row.subscriberId))]),
    findBodies(db, describeMessages, accountId, rows),
  ])
  const webhookById = new Map(webhooks.map((webhook) => [webhook.id, webhook]))
  const endpointById = new Map(turns.map(({ endpoint }) => [endpoint.webhookId, endpoint]))

  const prepared: PreparedDelivery[] = []
  const orphaned: string[] = []
  for (const row of rows) {
    const webhook = webhookById.get(row.subscriberId)
    const body = webhook && bodyOf(row.id, row.eventId, webhook)
    if (!webhook || body === undefined) {
      orphaned.push(row.id) // deleted a moment ago: the next turn finds it gone
      continue
    }
    const endpoint = endpointById.get(row.subscriberId)!
    if (webhook.failingSince) endpoint.expectFailure()
    prepared.push({
      endpoint,
      webhook,
      deliveryId: row.id,
      eventId: row.eventId,
      messageId: row.messageId,
      sequence: row.sequence,
      attempts: row.attempts,
      attemptsBefore: row.attemptsBefore,
      body: Buffer.from(body),
      leaseUntil,
    })
  }
  if (orphaned.length > 0) await releaseDeliveries(db, accountId, orphaned, [leaseUntil], now)
  return prepared
}

type BodyOf = (deliveryId: string, eventId: string, webhook: Webhook) => string | undefined

/** A retry sends what the first try sent; the first try's body is made from event and message. */
async function findBodies(
  db: World['db'],
  describeMessages: DescribeMessages,
  accountId: AccountId,
  rows: readonly ClaimedDelivery[],
): Promise<BodyOf> {
  const retried = rows.filter((row) => row.attempts > 0).map((row) => row.id)
  const stored = retried.length === 0 ? new Map() : await findRequestBodies(db, accountId, retried)
  const fresh = rows.filter((row) => !stored.has(row.id))
  const messageIds = [...new Set(fresh.flatMap((row) => row.messageId ?? []))]
  const [events, messages] = await Promise.all([
    listEventsById(db, accountId, [...new Set(fresh.map((row) => row.eventId))]),
    messageIds.length === 0 ? new Map() : describeMessages(db, accountId, messageIds),
  ])
  const bodyByEvent = new Map(
    events.map((event) => [event.id, webhookBody(event, messages.get(event.messageId ?? ''))]),
  )
  return (deliveryId, eventId, webhook) =>
    stored.get(deliveryId) ?? bodyByEvent.get(eventId)?.(webhook)
}
