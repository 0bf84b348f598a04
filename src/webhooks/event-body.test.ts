// What a receiver reads, for each kind of event.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../events/event.js'
import { describeEvent, webhookBody } from './event-body.js'

const AT = '2026-11-15T12:00:00.000Z'

const STATUS: Event = {
  accountId: 'acc_1',
  id: 'evt_1',
  eventType: 'message.status',
  campaignId: 'cmp_1',
  number: '+14152000001',
  messageId: 'msg_1',
  sequence: 1,
  status: 'SENT',
  previousStatus: 'QUEUED',
  errorCode: null,
  errorMessage: null,
  data: null,
  createdAt: new Date(AT),
}

// The message has moved on since the event.
const MESSAGE = {
  id: 'msg_1',
  status: 'FAILED',
  sentAt: AT,
  updatedAt: '2026-11-15T13:00:00.000Z',
  errorCode: 1380,
  errorMessage: 'Handset not reachable',
  metadata: { order: '7' },
}

test('a status event shows the message as it was then, even if it has moved since', () => {
  const { data, ...envelope } = describeEvent(STATUS, MESSAGE)
  assert.deepEqual(envelope, {
    id: 'evt_1',
    eventType: 'message.status',
    createdAt: AT,
    campaignId: 'cmp_1',
  })
  assert.deepEqual(data, {
    message: {
      ...MESSAGE,
      status: 'SENT',
      sentAt: AT,
      updatedAt: AT,
      errorCode: null,
      errorMessage: null,
    },
    previousStatus: 'QUEUED',
    sequence: 1,
  })
})

test('sentAt is null in an event from before the message was sent', () => {
  const later = { ...MESSAGE, sentAt: '2026-11-15T12:00:00.001Z' }
  const { data } = describeEvent({ ...STATUS, status: 'QUEUED' }, later)
  assert.equal((data.message as typeof MESSAGE).sentAt, null)
})

test('a failure has its code and text', () => {
  const failed = { ...STATUS, status: 'FAILED', errorCode: 1350, errorMessage: 'Invalid' }
  const message = describeEvent(failed, MESSAGE).data.message as typeof MESSAGE
  assert.deepEqual([message.errorCode, message.errorMessage], [1350, 'Invalid'])
})

test('an incoming message is unchanged, with the event’s additions', () => {
  const incoming: Event = {
    ...STATUS,
    eventType: 'message.incoming',
    sequence: null,
    status: null,
    previousStatus: null,
    data: { looksLikeOptOut: true },
  }
  assert.deepEqual(describeEvent(incoming, MESSAGE).data, {
    message: MESSAGE,
    looksLikeOptOut: true,
  })
})

test('an opt-out has its own data, even if a message caused it', () => {
  const data = { recipient: '+14155550123', keyword: 'STOP', messageId: 'msg_1' }
  const optout: Event = { ...STATUS, eventType: 'recipient.optout', data }
  assert.deepEqual(describeEvent(optout, MESSAGE).data, data)
})

test('a deleted message still has its ID, campaign, and status', () => {
  assert.deepEqual(describeEvent(STATUS, undefined).data.message, {
    id: 'msg_1',
    campaignId: 'cmp_1',
    sentAt: null,
    updatedAt: AT,
    errorCode: null,
    errorMessage: null,
    status: 'SENT',
  })
})

test('a webhook gets the envelope in the documented order', () => {
  const webhook = { id: 'whk_1', campaignId: 'cmp_1', signature: 'sig' }
  const body = JSON.parse(webhookBody(STATUS, MESSAGE)(webhook))
  assert.deepEqual(Object.keys(body), [
    'id',
    'eventType',
    'createdAt',
    'webhookId',
    'campaignId',
    'signature',
    'data',
  ])
  assert.equal(body.webhookId, 'whk_1')
  assert.equal(body.signature, 'sig')
  const test = JSON.parse(webhookBody({ ...STATUS, campaignId: null }, MESSAGE)(webhook))
  assert.equal(test.campaignId, 'cmp_1')
})
