// What is stored of a delivered body: a few values, enough to rebuild it to the byte, or else nothing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../events/event.js'
import { wireMessage } from '../messages/message-wire.js'
import { bodyOf, requestFor, wordsOf } from './arrivals.js'
import { webhookBody } from './event-body.js'

const NOW = new Date('2026-11-15T12:00:00.071Z')
const WEBHOOK = { id: 'whk_1', campaignId: 'cmp_1', signature: 'sig_1' }

const EVENT = {
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
  sentAt: new Date('2026-11-15T12:00:00.012Z'),
  createdAt: new Date('2026-11-15T12:00:00.000Z'),
  updatedAt: NOW,
} as unknown as Parameters<typeof wireMessage>[0]

/** The body as rebuilt later, when the message is like this. */
function madeAgain(words: string, message: Record<string, unknown> | undefined): string | null {
  const outline = webhookBody(EVENT, message && { ...message, price: 0 })(WEBHOOK)
  return bodyOf(words, outline)
}

test('the usual body stores only what a refund changes, and a checksum', () => {
  const { body, words } = requestFor(EVENT, wireMessage(MESSAGE))(WEBHOOK)
  assert.match(words!, /^1\t[0-9a-z]{1,7}\t\d+ price":0\.0079\}$/)
  assert.ok(body.includes('"price":0.0079'))
  assert.equal(madeAgain(words!, wireMessage(MESSAGE)), body)
  const refunded = wireMessage({ ...MESSAGE, isRefunded: true, status: 'FAILED' })
  assert.equal(
    madeAgain(words!, refunded),
    body,
    'as it was sent, whatever happened to the message later',
  )
})

test('a body that can no longer be rebuilt exactly is not rebuilt', () => {
  const { words } = requestFor(EVENT, wireMessage(MESSAGE))(WEBHOOK)
  assert.equal(madeAgain(words!, wireMessage({ ...MESSAGE, body: '', metadata: {} })), null)
  assert.equal(madeAgain(words!, undefined), null, 'its message was deleted')
  assert.equal(madeAgain(words!.replace('1\t', '2\t'), wireMessage(MESSAGE)), null)
})

test('a body that does not fit its outline is stored whole', () => {
  const more = { ...wireMessage(MESSAGE), carrier: 'new on the wire' }
  const { body, words } = requestFor(EVENT, more)(WEBHOOK)
  assert.ok(body.includes('new on the wire'))
  assert.equal(words, null)
})

test('an event about no message is rebuilt from its own row', () => {
  const event = { ...EVENT, eventType: 'number.changed', messageId: null, data: { a: [1, 'b'] } }
  const { body, words } = requestFor(event as unknown as Event, undefined)(WEBHOOK)
  assert.equal(bodyOf(words!, body), body)
  assert.equal(words!.split('\t').length, 2, 'no stored values')
})

test('the stored values are those that differ, wherever they are', () => {
  const [body, outline] = ['{"a":1,"b":"x,y","c":"z"}', '{"a":2,"b":"x,y","c":"zz"}']
  const words = wordsOf(body, outline)!
  assert.equal(bodyOf(words, outline), body)
  assert.equal(bodyOf(words, body), body)
  assert.equal(bodyOf(words, outline.replace('x,y', 'x')), null)
})
