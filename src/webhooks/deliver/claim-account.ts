// Leases the due deliveries of one account's webhooks and prepares the requests: which webhook, which body.

import type { AccountId } from '../../accounts/account.js'
import type { Event } from '../../events/event.js'
import { listEventsById } from '../../events/event-queries.js'
import { type ClaimedDelivery, claimDeliveries } from '../../events/queue/delivery-claim-queries.js'
import { releaseDeliveries } from '../../events/queue/delivery-lease-queries.js'
import { pauseDeliveries } from '../../events/queue/delivery-round-queries.js'
import type { StatusChange } from '../../events/queue/direct-deliveries.js'
import type { Cache } from '../../kit/cache.js'
import type { World } from '../../kit/world.js'
import { findRequestBodies } from '../attempt-queries.js'
import { readDeliveredEvents } from '../delivered-events.js'
import { PAUSE_PORTION } from '../disable-webhook.js'
import type { DescribeMessages, WireMessage } from '../event-body.js'
import type { OtherDetails, OtherFormat } from '../other-format.js'
import { requestFor } from '../stored-body.js'
import type { Webhook } from '../webhook.js'
import { listWebhooksById } from '../webhook-queries.js'
import type { Endpoint } from './endpoint.js'
import type { EndpointClaim } from './endpoint-board.js'

/** How long a request that is too early is postponed. */
const EARLY_MS = 250

/** The request of an event to a webhook, in its format. */
export type MakeRequest = (webhook: Webhook, details?: OtherDetails) => PreparedRequest

export interface LeasedRow extends Omit<ClaimedDelivery, 'isClaimed'> {
  /** Of its event, if that need not be read. */
  change?: StatusChange
}

interface PreparedRequest {
  body: string
  storedBody: string | null
  /** Default: the webhook's. */
  url?: string
}

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
}

/** How leased deliveries become requests. */
export interface Preparation {
  accountId: AccountId
  endpoints: readonly Endpoint[]
  now: Date
  leaseUntil: Date
  /** By event, recently made. */
  recentBodies: Cache<string, MakeRequest>
  /** For webhooks with another format than ours. */
  other: OtherFormat | null
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
  const claimed = rows.filter((row) => row.isClaimed)
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
    const { accountId, leaseUntil, now } = preparation
    const ids = rows.map((row) => row.id)
    await releaseDeliveries(world.db, accountId, ids, [leaseUntil], now).catch(() => {})
    throw error
  }
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
  { db }: World,
  describeMessages: DescribeMessages,
  preparation: Preparation,
  rows: readonly LeasedRow[],
): Promise<LeasedDelivery[]> {
  const { accountId, endpoints, now, leaseUntil } = preparation
  const [webhooks, { recordedBodies, freshBodies }] = await Promise.all([
    listWebhooksById(db, accountId, [...new Set(rows.map((row) => row.subscriberId))]),
    findBodies(db, describeMessages, preparation, rows),
  ])
  const webhookById = new Map(webhooks.map((webhook) => [webhook.id, webhook]))
  const endpointById = new Map(endpoints.map((endpoint) => [endpoint.webhookId, endpoint]))
  const details = await findDetails(preparation, webhookById, rows)

  const prepared: LeasedDelivery[] = []
  const orphaned: string[] = []
  const early: string[] = []
  for (const row of rows) {
    const webhook = webhookById.get(row.subscriberId)
    const recorded = recordedBodies.get(row.id)
    const more = webhook?.format === 'json' ? undefined : details.get(row.messageId ?? '')
    if (more?.isEarly && recorded === undefined) {
      early.push(row.id)
      continue
    }
    const made = webhook && freshBodies.get(row.eventId)?.(webhook, more)
    const request: PreparedRequest | undefined =
      recorded === undefined ? made : { body: recorded, storedBody: null }
    if (!webhook || !request) {
      orphaned.push(row.id) // just deleted: the next claim does not find it
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
    })
  }
  const later = new Date(now.getTime() + EARLY_MS)
  if (orphaned.length > 0) await releaseDeliveries(db, accountId, orphaned, [leaseUntil], now)
  if (early.length > 0) await releaseDeliveries(db, accountId, early, [leaseUntil], later)
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

interface Bodies {
  /** By delivery. */
  recordedBodies: Map<string, string>
  /** By event. */
  freshBodies: Map<string, MakeRequest>
}

/**
 * A retry sends what the first attempt sent, unless that was redacted since. The first attempt's body is made from
 * event and message.
 */
async function findBodies(
  db: World['db'],
  describeMessages: DescribeMessages,
  preparation: Preparation,
  rows: readonly LeasedRow[],
): Promise<Bodies> {
  const { accountId } = preparation
  const retried = rows.filter((row) => row.attempts > 0).map((row) => row.id)
  const recordedBodies = await findRecorded(db, describeMessages, accountId, retried)
  const fresh = rows.filter((row) => !recordedBodies.has(row.id))
  return { recordedBodies, freshBodies: await makeBodies(db, describeMessages, preparation, fresh) }
}

async function findRecorded(
  db: World['db'],
  describeMessages: DescribeMessages,
  accountId: AccountId,
  retried: readonly string[],
): Promise<Map<string, string>> {
  if (retried.length === 0) return new Map()
  const bodies = await findRequestBodies(db, accountId, retried)
  const others = retried.filter((id) => !bodies.has(id))
  if (others.length === 0) return bodies
  for (const { deliveryId, requestBody } of await readDeliveredEvents(
    db,
    describeMessages,
    accountId,
    others,
  )) {
    if (requestBody !== null) bodies.set(deliveryId, requestBody)
  }
  return bodies
}

async function makeBodies(
  db: World['db'],
  describeMessages: DescribeMessages,
  { accountId, recentBodies, other }: Preparation,
  rows: readonly LeasedRow[],
): Promise<Map<string, MakeRequest>> {
  const bodies = new Map<string, MakeRequest>()
  const eventIds = new Set<string>()
  const messageIds = new Set<string>()
  const known = new Map<string, LeasedRow>()
  for (const row of rows) {
    const { eventId, messageId, attempts, change } = row
    // An earlier attempt without a recorded body was redacted, and what is in memory may be older than that.
    const recent = change || attempts > 0 ? undefined : recentBodies.peek(eventId)
    if (recent) {
      bodies.set(eventId, recent)
      continue
    }
    if (change) known.set(eventId, row)
    else eventIds.add(eventId)
    if (messageId !== null) messageIds.add(messageId)
  }
  const [events, messages] = await Promise.all([
    eventIds.size === 0 ? [] : listEventsById(db, accountId, [...eventIds]),
    messageIds.size === 0 ? new Map() : describeMessages(db, accountId, [...messageIds]),
  ])
  for (const event of events) {
    const request = makeRequest(event, messages, other)
    bodies.set(event.id, request)
    recentBodies.set(event.id, request)
  }
  // Not kept: all webhooks that get such an event without a claim get it at once.
  for (const row of known.values()) {
    bodies.set(row.eventId, makeRequest(eventOf(accountId, row, messages), messages, other))
  }
  return bodies
}

function makeRequest(
  event: Event,
  messages: ReadonlyMap<string, WireMessage>,
  other: OtherFormat | null,
): MakeRequest {
  const message = messages.get(event.messageId ?? '')
  const ours = requestFor(event, message)
  return (webhook, details) =>
    webhook.format === 'json' || other === null
      ? ours(webhook)
      : { ...other.write(event, message, webhook, details), storedBody: null }
}

/** As `listEventsById` would read it. Status events have the campaign and the number of their message. */
function eventOf(
  accountId: AccountId,
  { eventId, messageId, sequence, change }: LeasedRow,
  messages: ReadonlyMap<string, WireMessage>,
): Event {
  const message = messages.get(messageId ?? '')
  const { status, previousStatus, errorCode, errorMessage, createdAt } = change!
  return {
    accountId,
    id: eventId,
    eventType: 'message.status',
    messageId,
    sequence,
    data: null,
    campaignId: (message?.campaignId ?? null) as string | null,
    number: (message?.from ?? null) as string | null,
    status,
    previousStatus,
    errorCode,
    errorMessage,
    createdAt,
  }
}
