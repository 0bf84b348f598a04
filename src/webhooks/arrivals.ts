// A delivery that arrived at its first attempt stores a few fields of its request instead of its body. The body is
// rebuilt from event, message, and webhook, to the byte. Fields that can change are among the stored ones, and a
// checksum shows if the rebuilt body differs from what was sent. Then it is not shown. See docs/decisions/0071.

import { crc32 } from 'node:zlib'
import type { AccountId } from '../accounts/account.js'
import type { Event } from '../events/event.js'
import { listEventsById } from '../events/event-queries.js'
import { type Arrival, listArrivals } from '../events/queue/delivery-arrival-queries.js'
import type { Queryable } from '../kit/postgres/db.js'
import { type Attempt, listAttempts } from './attempt-queries.js'
import { type BodyFor, type DescribeMessages, type WireMessage, webhookBody } from './event-body.js'
import { listWebhooksById } from './webhook-queries.js'

/**
 * The message fields in an outline, in their order on the wire. Stored values with this layout are read for thirty
 * days. If the wire changes, this list stays and another one gets its own number. Until then, bodies are stored
 * whole.
 */
const LAYOUT = '1'
const FIELDS = [
  'id',
  'type',
  'createdAt',
  'sentAt',
  'updatedAt',
  'scheduledAt',
  'direction',
  'from',
  'to',
  'body',
  'mediaUrls',
  'metadata',
  'numSegments',
  'errorCode',
  'errorMessage',
  'campaignId',
  'status',
  'validitySeconds',
  'automatic',
  'price',
] as const

/** What a refund reverts. Everything else in a message's outline stays, or comes from the event. */
const CHANGING = { price: 0 }

/** The part of the body that can be computed at any time. */
function outlineFor(event: Event, message: WireMessage | undefined): BodyFor {
  if (message === undefined) return webhookBody(event, undefined)
  const known = FIELDS.filter((field) => field in message)
  const stable = Object.fromEntries(known.map((field) => [field, message[field]]))
  return webhookBody(event, 'price' in stable ? { ...stable, ...CHANGING } : stable)
}

interface EventRequest {
  body: string
  /** What the body can be rebuilt from. Null if it cannot. */
  words: string | null
}

export type RequestFor = (webhook: Parameters<BodyFor>[0]) => EventRequest

export function requestFor(event: Event, message: WireMessage | undefined): RequestFor {
  const bodyFor = webhookBody(event, message)
  const outline = outlineFor(event, message)
  return (webhook) => {
    const body = bodyFor(webhook)
    return { body, words: wordsOf(body, outline(webhook)) }
  }
}

/** Between two JSON fields. If a text contains it, body and outline both do. */
const BETWEEN = ',"'
/** JSON has no such character outside of an escape. */
const APART = '\t'

export function wordsOf(body: string, outline: string): string | null {
  const [sent, known] = [body.split(BETWEEN), outline.split(BETWEEN)]
  if (sent.length !== known.length) return null
  const words = [LAYOUT, checksum(body)]
  sent.forEach((word, i) => {
    if (word !== known[i]) words.push(`${i} ${word}`)
  })
  return words.join(APART)
}

/** Null if it differs from what was sent: the message was redacted or deleted. */
export function bodyOf(words: string, outline: string): string | null {
  const [layout, sum, ...changes] = words.split(APART)
  if (layout !== LAYOUT) return null
  const parts = outline.split(BETWEEN)
  for (const change of changes) {
    const space = change.indexOf(' ')
    parts[Number(change.slice(0, space))] = change.slice(space + 1)
  }
  const body = parts.join(BETWEEN)
  return checksum(body) === sum ? body : null
}

function checksum(text: string): string {
  return crc32(text).toString(36)
}

/** The stored form: the body's fields in the first line, then the head (sent-request.ts). */
export function packRequest(words: string, head: string): string {
  return `${words}\n${head}`
}

/** Every attempt of these deliveries, oldest first within each. */
export async function readAttempts(
  db: Queryable,
  describeMessages: DescribeMessages,
  accountId: AccountId,
  deliveryIds: readonly string[],
): Promise<Attempt[]> {
  const first = await readArrivals(db, describeMessages, accountId, deliveryIds)
  return [...first, ...(await listAttempts(db, accountId, deliveryIds))]
}

/** The first attempts that succeeded immediately, rebuilt. */
export async function readArrivals(
  db: Queryable,
  describeMessages: DescribeMessages,
  accountId: AccountId,
  deliveryIds: readonly string[],
): Promise<Attempt[]> {
  const arrivals = await listArrivals(db, accountId, deliveryIds)
  const outlineOf = await readOutlines(
    db,
    describeMessages,
    accountId,
    arrivals.filter(({ request }) => request !== null),
  )
  return arrivals.map((arrival) => {
    const { deliveryId, at, responseStatus, durationMs, responseBody, request } = arrival
    const [words = '', ...head] = request?.split('\n') ?? []
    const outline = outlineOf(arrival)
    const requestBody = outline === undefined ? null : bodyOf(words, outline)
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

async function readOutlines(
  db: Queryable,
  describeMessages: DescribeMessages,
  accountId: AccountId,
  arrivals: readonly Arrival[],
): Promise<(arrival: Arrival) => string | undefined> {
  if (arrivals.length === 0) return () => undefined
  const distinct = (ids: readonly (string | null)[]) => [
    ...new Set(ids.filter((id) => id !== null)),
  ]
  const messageIds = distinct(arrivals.map(({ messageId }) => messageId))
  const events = await listEventsById(db, accountId, distinct(arrivals.map((a) => a.eventId)))
  const webhookIds = distinct(arrivals.map(({ subscriberId }) => subscriberId))
  const webhooks = await listWebhooksById(db, accountId, webhookIds)
  const messages = await describeMessages(db, accountId, messageIds)
  const eventById = new Map(events.map((event) => [event.id, event]))
  const webhookById = new Map(webhooks.map((webhook) => [webhook.id, webhook]))
  return ({ eventId, subscriberId }) => {
    const event = eventById.get(eventId)
    const webhook = webhookById.get(subscriberId)
    return event && webhook && outlineFor(event, messages.get(event.messageId ?? ''))(webhook)
  }
}
