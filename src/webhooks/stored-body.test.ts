// What is stored of a delivered body is enough to rebuild it byte for byte, or else nothing is shown. One test for
// each way in which event, message, or service can change in between.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Event } from '../events/event.js'
import type { Message } from '../messages/message.js'
import { MESSAGE_EXAMPLE, MessageShape, wireMessage } from '../messages/message-wire.js'
import { type WireMessage, webhookBody } from './event-body.js'
import { BODY_VERSIONS, NEWEST, NEWEST_VERSION, rebuildBody, requestFor } from './stored-body.js'

const NOW = new Date('2026-11-15T12:00:00.071Z')
const SENT_AT = new Date('2026-11-15T12:00:00.012Z')
const WEBHOOK = { id: 'whk_1', campaignId: 'cmp_1', signature: 'sig_1' }

const STATUS = {
  id: 'evt_1',
  eventType: 'message.status',
  campaignId: 'cmp_1',
  messageId: 'msg_1',
  sequence: 2,
  status: 'DELIVERED',
  previousStatus: 'SENT',
  errorCode: null,
  errorMessage: null,
  data: null,
  createdAt: NOW,
} as unknown as Event

const MESSAGE = {
  id: 'msg_1',
  type: 'SMS',
  direction: 'OUTBOUND',
  number: '+14152004000',
  peer: '+14155550123',
  body: 'He said "yes",\t"no",\nor neither',
  mediaUrls: [],
  metadata: { order: ',"1042' },
  numSegments: 1,
  campaignId: 'cmp_1',
  status: 'DELIVERED',
  priceMicros: 7_900n,
  isRefunded: false,
  automatic: null,
  validitySeconds: null,
  scheduledAt: null,
  errorCode: null,
  errorMessage: null,
  sentAt: SENT_AT,
  createdAt: new Date('2026-11-15T12:00:00.000Z'),
  updatedAt: NOW,
} as unknown as Message

const INBOUND = {
  ...MESSAGE,
  direction: 'INBOUND',
  sentAt: null,
  priceMicros: 0n,
} as Message

interface Sent {
  event?: Event
  message?: Message
}

/** Sends a body, then rebuilds it after the message has changed to `later`. Null: it is deleted. */
function sendThenRebuild(
  later: WireMessage | null,
  { event = STATUS, message = MESSAGE }: Sent = {},
) {
  const { body, storedBody } = requestFor(event, wireMessage(message))(WEBHOOK)
  return { body, rebuilt: rebuildBody(storedBody!, event, later ?? undefined, WEBHOOK) }
}

/** Without the version that it starts with, which must be the newest. */
function unversioned(storedBody: string | null): string {
  const [version, ...rest] = storedBody!.split('\t')
  assert.equal(version, NEWEST_VERSION)
  return rest.join('\t')
}

function assertSame({ body, rebuilt }: ReturnType<typeof sendThenRebuild>): void {
  assert.equal(rebuilt, body)
}

test('the fields of a message are those of the newest body version', () => {
  const help = `The fields of a message differ from the newest body version. To add a field, edit three places:
  1. src/messages/message-wire.ts: MessageShape, MESSAGE_EXAMPLE, and wireMessage, in the same order
  2. src/webhooks/stored-body.ts: a new version in BODY_VERSIONS, with the field in that order.
     Never change a version that exists. If the value of the field can change, add it to CHANGING.
  3. CHANGELOG.md: a line that names \`message.<field>\`
Then run npm run openapi. CONTRIBUTING.md has the whole list ("A field of a message").\n`
  for (const fields of [MessageShape.properties, MESSAGE_EXAMPLE, wireMessage(MESSAGE)]) {
    assert.deepEqual(Object.keys(fields), [...NEWEST.fields], help)
  }
  const changelog = readFileSync('CHANGELOG.md', 'utf8')
  const released: readonly string[] = BODY_VERSIONS.get('2')!.fields
  const added = NEWEST.fields.filter((field) => !released.includes(field))
  const missing = added.filter((field) => !changelog.includes(`\`message.${field}\``))
  assert.deepEqual(missing, [], help)
})

test('the usual body stores only its version, a checksum, and the price', () => {
  const { body, storedBody } = requestFor(STATUS, wireMessage(MESSAGE))(WEBHOOK)
  assert.match(unversioned(storedBody), /^[0-9a-z]{1,7}\t{"price":0\.0079}$/)
  assert.ok(body.includes('"price":0.0079'))
  assertSame(sendThenRebuild(wireMessage(MESSAGE)))
})

test('an inbound message stores only its version and a checksum', () => {
  const event = { ...STATUS, eventType: 'message.incoming', data: { keyword: 'STOP' } } as Event
  const { storedBody } = requestFor(event, wireMessage(INBOUND))(WEBHOOK)
  assert.match(unversioned(storedBody), /^[0-9a-z]{1,7}$/)
  assertSame(sendThenRebuild(wireMessage(INBOUND), { event, message: INBOUND }))
})

test('a body is the same after its message was refunded, and after it was charged again', () => {
  const refunded = { ...MESSAGE, isRefunded: true }
  assertSame(sendThenRebuild(wireMessage(refunded)))
  assertSame(sendThenRebuild(wireMessage(MESSAGE), { message: refunded }))
})

test('a body is the same after its message changed status, error, and time of the change', () => {
  const failed = {
    ...MESSAGE,
    status: 'FAILED',
    errorCode: 1380,
    errorMessage: 'Handset not reachable',
    updatedAt: new Date('2026-11-15T13:00:00.000Z'),
  } as Message
  assertSame(sendThenRebuild(wireMessage(failed)))
})

test('a body without sentAt is the same after a receipt proves that the message was sent', () => {
  const event = { ...STATUS, status: 'FAILED', previousStatus: 'QUEUED' } as Event
  const message = { ...MESSAGE, status: 'FAILED', isRefunded: true, sentAt: null } as Message
  // At the time of the event and before it: another process, whose clock is behind, recorded the receipt.
  for (const ms of [0, -1, 1]) {
    const sentAt = new Date(NOW.getTime() + ms)
    const later = wireMessage({ ...message, status: 'DELIVERED', sentAt })
    assertSame(sendThenRebuild(later, { event, message }))
  }
})

test('a body is not shown after its message was redacted or deleted', () => {
  for (const later of [
    wireMessage({ ...MESSAGE, body: '' }),
    wireMessage({ ...MESSAGE, metadata: {} }),
    null,
  ]) {
    assert.equal(sendThenRebuild(later).rebuilt, null)
  }
  const message = { ...MESSAGE, type: 'MMS', mediaUrls: ['https://files.example/1'] } as Message
  const withoutMedia = wireMessage({ ...message, mediaUrls: [] })
  assert.equal(sendThenRebuild(withoutMedia, { message }).rebuilt, null)
})

test('a body whose message was already deleted is the same again', () => {
  const { body, storedBody } = requestFor(STATUS, undefined)(WEBHOOK)
  assert.equal(rebuildBody(storedBody!, STATUS, undefined, WEBHOOK), body)
})

test('an event about no message is rebuilt from its own row', () => {
  const change = { ...STATUS, eventType: 'number.changed', messageId: null, data: { a: [1, 'b'] } }
  const optout = { ...STATUS, eventType: 'recipient.optout', data: { keyword: 'STOP' } }
  for (const event of [change, optout] as unknown as Event[]) {
    const { body, storedBody } = requestFor(event, wireMessage(MESSAGE))(WEBHOOK)
    assert.match(unversioned(storedBody), /^[0-9a-z]{1,7}$/, 'no stored values')
    assert.equal(rebuildBody(storedBody!, event, undefined, WEBHOOK), body)
  }
})

test('a test event uses its webhook’s campaign', () => {
  const event = { ...STATUS, campaignId: null, messageId: null, data: { test: true } } as Event
  const { body, storedBody } = requestFor(event, undefined)(WEBHOOK)
  assert.equal(JSON.parse(body).campaignId, 'cmp_1')
  assert.equal(rebuildBody(storedBody!, event, undefined, WEBHOOK), body)
})

test('a body with a field that no version has is stored whole', () => {
  const { type, ...less } = wireMessage(MESSAGE)
  const more = { ...wireMessage(MESSAGE), carrier: 'new on the wire' }
  for (const message of [more, less, { ...less, type }]) {
    const { body, storedBody } = requestFor(STATUS, message)(WEBHOOK)
    const sent = JSON.parse(JSON.stringify(message))
    assert.deepEqual(Object.entries(JSON.parse(body).data.message), Object.entries(sent))
    assert.equal(storedBody, null)
  }
})

test('a body is the same after a later version of the service added a field to messages', () => {
  assertSame(sendThenRebuild({ carrier: 'first', ...wireMessage(MESSAGE), price: 0, more: 'last' }))
})

test('a body that a later version of the service stored is not shown', () => {
  const { storedBody } = requestFor(STATUS, wireMessage(MESSAGE))(WEBHOOK)
  const later = storedBody!.replace(/^\d+/, String(Number(NEWEST_VERSION) + 1))
  assert.equal(rebuildBody(later, STATUS, wireMessage(MESSAGE), WEBHOOK), null)
  assert.equal(rebuildBody('', STATUS, wireMessage(MESSAGE), WEBHOOK), null)
})

// As the service stored them before version 2, and as its processes still do during an upgrade.
const INCOMING = { ...STATUS, eventType: 'message.incoming' } as Event
const VERSION_1 = [
  { stored: '1\tlkodkw\t25 price":0.0079}', event: STATUS, message: MESSAGE },
  {
    stored: '1\t1tg2ii0\t25 price":1}',
    event: STATUS,
    message: { ...MESSAGE, priceMicros: 1_000_000n },
  },
  {
    stored: '1\t8c93ld',
    event: { ...INCOMING, data: { keyword: 'STOP' } },
    message: INBOUND,
  },
  {
    stored: '1\t1g7zu4w\t25 price":0.004}}}',
    event: INCOMING,
    message: { ...INBOUND, priceMicros: 4_000n },
  },
]

function isOfVersion1(field: string): boolean {
  return BODY_VERSIONS.get('1')!.fields.includes(field)
}

test('bodies of version 1 are rebuilt, also after a refund', () => {
  for (const { stored, event, message } of VERSION_1) {
    const fields = Object.entries(wireMessage(message)).filter(([name]) => isOfVersion1(name))
    const body = webhookBody(event, Object.fromEntries(fields))(WEBHOOK)
    for (const isRefunded of [false, true]) {
      const later = wireMessage({ ...message, isRefunded })
      assert.equal(rebuildBody(stored, event, later, WEBHOOK), body)
    }
    const redacted = wireMessage({ ...message, body: '' })
    assert.equal(rebuildBody(stored, event, redacted, WEBHOOK), null)
  }
})
