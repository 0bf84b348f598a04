// Leases the due deliveries of one account's webhooks and prepares the requests: which webhook, which body.

import { type ClaimedDelivery, claimDeliveries } from '../../events/queue/delivery-claim-queries.js'
import { pauseDeliveries } from '../../events/queue/delivery-round-queries.js'
import type { DirectBatch } from '../../events/queue/direct-deliveries.js'
import type { World } from '../../kit/world.js'
import { PAUSE_PORTION } from '../disable-webhook.js'
import type { DescribeMessages } from '../event-body.js'
import type { OtherDetails } from '../other-format.js'
import type { Webhook } from '../webhook.js'
import { listWebhooksById } from '../webhook-queries.js'
import type { Endpoint } from './endpoint.js'
import type { EndpointClaim } from './endpoint-board.js'
import {
  findBodies,
  type LeasedRow,
  type PreparedRequest,
  type RequestContext,
} from './make-requests.js'
import { releaseLeased } from './release-leased.js'

/** How long a request that is too early is postponed. */
const EARLY_MS = 250

export interface LeasedDelivery {
  endpoint: Endpoint
  webhook: Webhook
  deliveryId: string
  eventId: string
  messageId: string | null
  sequence: number | null
  /** Attempts made before the current round, and in it. */
  attempts: number
  attemptsBefore: number
  /** Empty: its message names it. */
  url: string
  /** Encoded once, then signed, sent, and recorded. */
  body: Buffer
  /** What is stored of it if the first attempt succeeds. Null if all of it is stored. */
  storedBody: string | null
  /** By an earlier attempt. */
  isBodyRecorded: boolean
  leaseUntil: Date
  /** Null: it is in the queue. */
  batch: DirectBatch | null
}

/** How leased deliveries become requests. */
export interface Preparation extends RequestContext {
  endpoints: readonly Endpoint[]
  now: Date
  leaseUntil: Date
}

export interface AccountClaim extends Omit<Preparation, 'endpoints'> {
  claims: readonly EndpointClaim[]
}

export async function claimAccount(
  world: World,
  describeMessages: DescribeMessages,
  claim: AccountClaim,
): Promise<LeasedDelivery[]> {
  const { accountId, claims, now, leaseUntil } = claim
  const slots = claims.map(({ endpoint, count }) => ({
    subscriberId: endpoint.webhookId,
    slots: count,
  }))
  const rows = await claimDeliveries(world.db, accountId, slots, now, leaseUntil)
  await Promise.all(claims.map((claim) => settleClaim(world, claim, rows, now)))
  const claimed = rows.filter((row) => row.isClaimed).map((row) => ({ ...row, batch: null }))
  if (claimed.length === 0) return []
  const endpoints = claims.map(({ endpoint }) => endpoint)
  return prepareDeliveries(world, describeMessages, { ...claim, endpoints }, claimed)
}

/** A failure releases them. */
export async function prepareDeliveries(
  world: World,
  describeMessages: DescribeMessages,
  preparation: Preparation,
  rows: readonly LeasedRow[],
): Promise<LeasedDelivery[]> {
  try {
    return await prepare(world, describeMessages, preparation, rows)
  } catch (error) {
    await releaseRows(world, preparation, rows, preparation.now).catch(() => {})
    throw error
  }
}

function releaseRows(
  { db }: World,
  { accountId, leaseUntil }: Preparation,
  rows: readonly LeasedRow[],
  dueAt: Date,
): Promise<void> {
  const released = rows.map((row) => ({ ...row, leaseUntil }))
  return releaseLeased(db, accountId, released, dueAt)
}

/** A full claim may have left something. An empty one may mean that the webhook is disabled or deleted. */
async function settleClaim(
  { db }: World,
  { endpoint, count }: EndpointClaim,
  rows: readonly ClaimedDelivery[],
  now: Date,
): Promise<void> {
  const { accountId, webhookId } = endpoint
  const found = rows.filter((row) => row.subscriberId === webhookId).length
  if (found < count) endpoint.markExhausted()
  else endpoint.markReady()
  if (found > 0) return
  const paused = await pauseDeliveries(db, accountId, webhookId, now, PAUSE_PORTION)
  if (paused === PAUSE_PORTION) endpoint.markReady()
  else endpoint.markExhausted()
}

async function prepare(
  world: World,
  describeMessages: DescribeMessages,
  preparation: Preparation,
  rows: readonly LeasedRow[],
): Promise<LeasedDelivery[]> {
  const { db } = world
  const { accountId, endpoints, now, leaseUntil } = preparation
  const [webhooks, { recordedBodies, freshBodies }] = await Promise.all([
    listWebhooksById(db, accountId, [...new Set(rows.map((row) => row.subscriberId))]),
    findBodies(db, describeMessages, preparation, rows),
  ])
  const webhookById = new Map(webhooks.map((webhook) => [webhook.id, webhook]))
  const endpointById = new Map(endpoints.map((endpoint) => [endpoint.webhookId, endpoint]))
  const details = await findDetails(preparation, webhookById, rows)

  const prepared: LeasedDelivery[] = []
  const orphaned: LeasedRow[] = []
  const early: LeasedRow[] = []
  for (const row of rows) {
    const webhook = webhookById.get(row.subscriberId)
    const recorded = recordedBodies.get(row.id)
    const more = webhook?.format === 'json' ? undefined : details.get(row.messageId ?? '')
    if (more?.isEarly && recorded === undefined) {
      early.push(row)
      continue
    }
    const made = webhook && freshBodies.get(row.eventId)?.(webhook, more)
    const request: PreparedRequest | undefined =
      recorded === undefined ? made : { body: recorded, storedBody: null }
    if (!webhook || !request) {
      orphaned.push(row) // just deleted: the next claim does not find it
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
      url: request.url ?? webhook.url,
      body: Buffer.from(request.body),
      storedBody: request.storedBody,
      isBodyRecorded: recorded !== undefined,
      leaseUntil,
      batch: row.batch,
    })
  }
  const later = new Date(now.getTime() + EARLY_MS)
  if (orphaned.length > 0) await releaseRows(world, preparation, orphaned, now)
  if (early.length > 0) await releaseRows(world, preparation, early, later)
  return prepared
}

/** Only inbound messages have any, and the webhook without a campaign gets only statuses. */
async function findDetails(
  { accountId, other }: Preparation,
  webhooks: ReadonlyMap<string, Webhook>,
  rows: readonly LeasedRow[],
): Promise<ReadonlyMap<string, OtherDetails>> {
  const ids = new Set<string>()
  for (const { subscriberId, messageId } of rows) {
    const { format = 'json', campaignId = '' } = webhooks.get(subscriberId) ?? {}
    if (format !== 'json' && campaignId !== '' && messageId !== null) ids.add(messageId)
  }
  return other === null || ids.size === 0 ? new Map() : other.findDetails(accountId, [...ids])
}
