// What every reader sees of webhooks and deliveries, and what only a token with the scope `manage` sees.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delivery } from '../events/event.js'
import type { Attempt } from './attempt-queries.js'
import { wireDelivery } from './delivery-wire.js'
import { DISABLED_REASONS, makeSecret, makeSignature, type Webhook } from './webhook.js'
import { wireWebhook } from './webhook-wire.js'

const AT = new Date('2026-11-15T12:00:00.007Z')
const SIGNATURE = 'q4ZJ0vWb8kT1nY7cXr2PdLs5GmHf3aUe'

const WEBHOOK: Webhook = {
  accountId: 'acc_1',
  id: 'whk_1',
  format: 'json',
  campaignId: 'cmp_1',
  name: null,
  url: 'https://example.com/',
  signature: SIGNATURE,
  secret: 'whsec_x',
  formerSecret: 'whsec_former',
  formerSecretUntil: AT,
  eventTypes: ['message.status'],
  numbers: null,
  brandId: null,
  isEnabled: false,
  disabledReason: DISABLED_REASONS.gone,
  failingSince: AT,
  createdAt: AT,
  updatedAt: AT,
}

test('a webhook uses the contract’s names, and a token without manage gets no secret', () => {
  const shown = {
    id: 'whk_1',
    createdAt: '2026-11-15T12:00:00.007Z',
    name: null,
    url: 'https://example.com/',
    campaignId: 'cmp_1',
    signature: SIGNATURE,
    eventTypes: ['message.status'],
    numbers: ['+14155550100'],
    secret: 'whsec_x',
    enabled: false,
    disabledReason: 'The endpoint returned 410 Gone',
    failingSince: '2026-11-15T12:00:00.007Z',
    formerSecretUntil: '2026-11-15T12:00:00.007Z',
    format: 'json',
  }
  assert.deepEqual(wireWebhook(WEBHOOK, ['+14155550100'], true), shown)
  const hidden = { ...shown, signature: '…3aUe', secret: null }
  assert.deepEqual(wireWebhook(WEBHOOK, ['+14155550100'], false), hidden)
  const narrow = { ...WEBHOOK, numbers: ['+14155550101'] }
  assert.deepEqual(wireWebhook(narrow, ['+14155550100'], true).numbers, ['+14155550101'])
})

test('a reason stored by an earlier version is shown in today’s words', () => {
  const earlier = { ...WEBHOOK, disabledReason: 'Nothing but failures for 5 days' }
  const { disabledReason } = wireWebhook(earlier, [], true)
  assert.equal(disabledReason, 'Every delivery has failed for 5 days')
})

test('secrets have 32 random bytes, signatures have 24, and both fit in a header', () => {
  assert.match(makeSecret(), /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.match(makeSignature(), /^[A-Za-z0-9_-]{32}$/)
  assert.notEqual(makeSignature(), makeSignature())
})

const DELIVERY = {
  accountId: 'acc_1',
  id: 'dlv_1',
  subscriberId: 'whk_1',
  eventId: 'evt_1',
  eventType: 'message.status',
  messageId: 'msg_1',
  sequence: 2,
  state: 'pending',
  createdAt: AT,
  finishedAt: null,
  dueAt: AT,
  isLeased: false,
  attempts: 1,
} as unknown as Delivery

const attempt = (fields: Partial<Attempt>): Attempt => ({
  deliveryId: 'dlv_1',
  attempt: 1,
  at: AT,
  requestBody: null,
  requestHead: null,
  responseStatus: 500,
  durationMs: 21,
  responseBody: null,
  error: null,
  ...fields,
})

test('a delivery shows its next attempt only while one is scheduled and none is in progress', () => {
  const next = (fields: Partial<Delivery>) =>
    wireDelivery({ ...DELIVERY, ...fields }, [], null).nextAttemptAt
  assert.equal(next({}), AT.toISOString())
  assert.equal(next({ isLeased: true }), null)
  assert.equal(next({ dueAt: null }), null)
  for (const state of ['delivered', 'failed', 'held'] as const) assert.equal(next({ state }), null)
})

test('a delivery shows the attempts of its state, and the request of the first', () => {
  const attempts = [
    attempt({ requestBody: '{"n":1}', responseBody: 'no', error: 'why' }),
    attempt({ attempt: 2, responseStatus: 200 }),
  ]
  const shown = wireDelivery({ ...DELIVERY, finishedAt: AT, state: 'delivered' }, attempts, null)
  assert.deepEqual(shown, {
    id: 'dlv_1',
    webhookId: 'whk_1',
    eventId: 'evt_1',
    eventType: 'message.status',
    messageId: 'msg_1',
    sequence: 2,
    state: 'delivered',
    createdAt: AT.toISOString(),
    finishedAt: AT.toISOString(),
    nextAttemptAt: null,
    attempts: [
      {
        attempt: 1,
        at: AT.toISOString(),
        responseCode: 500,
        durationMs: 21,
        responseBody: 'no',
        error: 'why',
      },
    ],
    requestBody: '{"n":1}',
  })
  assert.equal(wireDelivery(DELIVERY, [], null).requestBody, null)
  assert.equal(wireDelivery({ ...DELIVERY, attempts: 2 }, attempts, null).attempts.length, 2)
})

test('a token without manage finds the signature neither in requests nor in responses', () => {
  const body = `{"signature":"${SIGNATURE}","again":"${SIGNATURE}"}`
  const attempts = [attempt({ requestBody: body, responseBody: `I got ${SIGNATURE}` })]
  const shown = wireDelivery(DELIVERY, attempts, SIGNATURE)
  assert.equal(shown.requestBody, '{"signature":"…3aUe","again":"…3aUe"}')
  assert.equal(shown.attempts[0]?.responseBody, 'I got …3aUe')
  assert.equal(wireDelivery(DELIVERY, attempts, null).requestBody, body)
  const silent = wireDelivery(DELIVERY, [attempt({})], SIGNATURE)
  assert.deepEqual([silent.requestBody, silent.attempts[0]?.responseBody], [null, null])
})
