// Leases what is due of one account's webhooks and prepares the requests: which webhook, which body.

import type { AccountId } from '../accounts/account.js'
import {
  type ClaimedDelivery,
  claimDeliveries,
  holdDeliveries,
  releaseDeliveries,
} from '../events/delivery-queries.js'
import type { World } from '../kit/world.js'
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
  body: string
  /** Whether a former try has stored the body. */
  isBodyStored: boolean
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
  const wanted = turns.map(({ endpoint, places }) => ({
    subscriberId: endpoint.webhookId,
    places,
  }))
  const rows = await claimDeliveries(world.db, accountId, wanted, now, leaseUntil)
  await Promise.all(turns.map((turn) => settleTurn(world, turn, rows, now)))
  const claimed = rows.filter((row) => row.isClaimed)
  if (claimed.length === 0) return []
  try {
    return await prepare(world, describeMessages, claim, claimed)
  } catch (error) {
    const ids = claimed.map((row) => row.deliveryId)
    await releaseDeliveries(world.db, accountId, ids, now).catch(() => {})
    throw error
  }
}

/** A full turn may have left something. An empty one may mean that the webhook is off or deleted. */
async function settleTurn(
  { db }: World,
  { endpoint, places }: Turn,
  rows: readonly ClaimedDelivery[],
  now: Date,
): Promise<void> {
  const found = rows.filter((row) => row.subscriberId === endpoint.webhookId).length
  endpoint.isReady = found === places
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
  const messageIds = rows
    .filter((row) => row.requestBody === null && row.messageId !== null)
    .map((row) => row.messageId!)
  const [webhooks, messages] = await Promise.all([
    listWebhooksById(db, accountId, [...new Set(rows.map((row) => row.subscriberId))]),
    messageIds.length === 0 ? new Map() : describeMessages(db, accountId, [...new Set(messageIds)]),
  ])
  const webhookById = new Map(webhooks.map((webhook) => [webhook.id, webhook]))
  const endpointById = new Map(turns.map(({ endpoint }) => [endpoint.webhookId, endpoint]))

  const prepared: PreparedDelivery[] = []
  const orphaned: string[] = []
  for (const row of rows) {
    const webhook = webhookById.get(row.subscriberId)
    if (!webhook) {
      orphaned.push(row.deliveryId) // deleted a moment ago: the next turn finds it gone
      continue
    }
    const endpoint = endpointById.get(row.subscriberId)!
    if (webhook.failingSince) endpoint.expectFailure()
    prepared.push({
      endpoint,
      webhook,
      deliveryId: row.deliveryId,
      eventId: row.id,
      messageId: row.messageId,
      sequence: row.sequence,
      attempts: row.attempts,
      attemptsBefore: row.attemptsBefore,
      body: row.requestBody ?? webhookBody(row, messages.get(row.messageId ?? ''), webhook),
      isBodyStored: row.requestBody !== null,
      leaseUntil,
    })
  }
  if (orphaned.length > 0) await releaseDeliveries(db, accountId, orphaned, now)
  return prepared
}
