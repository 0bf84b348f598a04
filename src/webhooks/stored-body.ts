// What is stored in place of the body of a delivered event: a version, a checksum, and the few values that may
// change later. The body is rebuilt from event, message, and webhook, byte for byte. If the checksum does not match,
// the body is not shown. See docs/decisions/0071.

import { crc32 } from 'node:zlib'
import type { Event } from '../events/event.js'
import { type BodyFor, isAboutMessage, type WireMessage, webhookBody } from './event-body.js'

type Values = Record<string, unknown>

interface BodyVersion {
  /** The fields of a message, in their order on the wire. */
  fields: readonly string[]
  readValues: (text: string) => Values
}

const FIELDS: readonly string[] = [
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
]

/**
 * Every version that a stored delivery may have. To add a field to messages, add a version with it: a delivery is
 * read for 30 days with the fields that it was sent with. Never change a version. One can be removed 30 days after
 * the last process stopped that wrote it.
 */
export const BODY_VERSIONS: ReadonlyMap<string, BodyVersion> = new Map([
  ['1', { fields: FIELDS, readValues: readVersion1 }],
  ['2', { fields: FIELDS, readValues: JSON.parse }],
])
export const [NEWEST_VERSION, NEWEST] = [...BODY_VERSIONS].at(-1)!

// `19 price":0.0079}`: the part of the JSON text that differed, and its position. Only the price ever did.
function readVersion1(text: string): Values {
  const start = text.indexOf(':')
  return { price: Number.parseFloat(text.slice(start + 1)) }
}

/**
 * Fields whose value can change after the event, such as the price after a refund. Each has the value that is not
 * stored. A field that already has a version cannot be added: its bodies were stored without it.
 */
const CHANGING: Values = { price: 0 }

function changingValues(message: WireMessage): Values | null {
  const { sentAt, direction } = message
  const changing = Object.keys(CHANGING).filter((field) => message[field] !== CHANGING[field])
  // A receipt may arrive after the message failed. By the clock of another process, it may come before that.
  if (sentAt === null && direction === 'OUTBOUND') changing.push('sentAt')
  return changing.length === 0 ? null : pick(message, changing)
}

interface EventRequest {
  body: string
  /** What the body can be rebuilt from. Null if it cannot: then the whole body is stored. */
  storedBody: string | null
}

export type RequestFor = (webhook: Parameters<BodyFor>[0]) => EventRequest

/** Bodies to send, and what is stored of them. */
export function requestFor(event: Event, message: WireMessage | undefined): RequestFor {
  const bodyFor = webhookBody(event, message)
  const described = isAboutMessage(event) ? message : undefined
  if (described && !isNewest(described)) {
    return (webhook) => ({ body: bodyFor(webhook), storedBody: null })
  }
  const values = described ? changingValues(described) : null
  const end = values === null ? '' : SEPARATOR + JSON.stringify(values)
  return (webhook) => {
    const body = bodyFor(webhook)
    return { body, storedBody: NEWEST_VERSION + SEPARATOR + checksum(body) + end }
  }
}

/** Null if it would differ from what was sent, or if a newer version of the service sent it. */
export function rebuildBody(
  storedBody: string,
  event: Event,
  message: WireMessage | undefined,
  webhook: Parameters<BodyFor>[0],
): string | null {
  const [name = '', sum, values] = storedBody.split(SEPARATOR)
  const version = BODY_VERSIONS.get(name)
  if (version === undefined) return null
  const stored = values === undefined ? CHANGING : { ...CHANGING, ...version.readValues(values) }
  const described = message && pick({ ...message, ...stored }, version.fields)
  const body = webhookBody(event, described)(webhook)
  return checksum(body) === sum ? body : null
}

/** JSON has no such character outside of an escape. */
const SEPARATOR = '\t'

/** Otherwise someone added a field and no version (a test fails), and no body can be rebuilt. */
function isNewest(message: WireMessage): boolean {
  const fields = Object.keys(message)
  return (
    fields.length === NEWEST.fields.length && fields.every((field, i) => field === NEWEST.fields[i])
  )
}

function pick(message: WireMessage, fields: readonly string[]): WireMessage {
  return Object.fromEntries(fields.map((field) => [field, message[field]]))
}

function checksum(text: string): string {
  return crc32(text).toString(36)
}
