// What leased deliveries send: the first attempt's request is made from event and message, and a retry sends the same again.

import type { AccountId } from '../../accounts/account.js'
import type { Event } from '../../events/event.js'
import { listEventsById } from '../../events/event-queries.js'
import type { ClaimedDelivery } from '../../events/queue/delivery-claim-queries.js'
import type { DirectBatch, StatusChange } from '../../events/queue/direct-deliveries.js'
import type { Cache } from '../../kit/cache.js'
import type { World } from '../../kit/world.js'
import { findRequestBodies } from '../attempt-queries.js'
import { readDeliveredEvents } from '../delivered-events.js'
import type { DescribeMessages, WireMessage } from '../event-body.js'
import type { OtherDetails, OtherFormat } from '../other-format.js'
import { requestFor } from '../stored-body.js'
import type { Webhook } from '../webhook.js'

/** The request of an event to a webhook, in its format. */
export type MakeRequest = (webhook: Webhook, details?: OtherDetails) => PreparedRequest

export interface LeasedRow extends Omit<ClaimedDelivery, 'isClaimed'> {
  /** Of its event, if that need not be read. */
  change?: StatusChange
  /** Null: it is in the queue. */
  batch: DirectBatch | null
}

export interface PreparedRequest {
  body: string
  storedBody: string | null
  /** Default: the webhook's. */
  url?: string
}

export interface RequestContext {
  accountId: AccountId
  /** By event, recently made. */
  recentBodies: Cache<string, MakeRequest>
  /** For webhooks with another format than ours. */
  other: OtherFormat | null
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
export async function findBodies(
  db: World['db'],
  describeMessages: DescribeMessages,
  context: RequestContext,
  rows: readonly LeasedRow[],
): Promise<Bodies> {
  const { accountId } = context
  const retried = rows.filter((row) => row.attempts > 0).map((row) => row.id)
  const recordedBodies = await findRecorded(db, describeMessages, accountId, retried)
  const fresh = rows.filter((row) => !recordedBodies.has(row.id))
  return { recordedBodies, freshBodies: await makeBodies(db, describeMessages, context, fresh) }
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
  { accountId, recentBodies, other }: RequestContext,
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
