// An event's way to its receiver: what arrives, how it is signed, and in what order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { newId } from '../../src/kit/ids.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, testService } from '../harness.js'
import { createWebhook, happen, webhookReceiver } from './webhook-receiver.js'

test('a message that is sent tells its webhook of every status, whole and in order', async (t) => {
  const service = await testService(t, { roles: ['dispatch', 'deliver'] })
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const receiver = await webhookReceiver(t)
  const webhook = await createWebhook(service, campaignId, receiver.url)

  const metadata = { order: '1042', "quote'": '"\\' }
  const sent = await service.post('/v1/message/send', {
    campaign: campaignId,
    to: '+14155550107',
    body: 'Hello',
    metadata,
  })
  await eventually(async () => receiver.received.length >= 2, 'two status events')
  const events = receiver.received.map(({ event }) => event)
  assert.deepEqual(
    events.map(({ data }) => [data.previousStatus, data.message.status, data.sequence]),
    [
      ['QUEUED', 'SENT', 1],
      ['SENT', 'DELIVERED', 2],
    ],
  )
  const { body } = await service.get(`/v1/message/${sent.body.id}`)
  assert.deepEqual(events[1].data.message, body.message, 'the last event shows what the API shows')
  assert.deepEqual(Object.keys(events[0]), [
    'id',
    'eventType',
    'createdAt',
    'webhookId',
    'campaignId',
    'signature',
    'data',
  ])
  assert.match(events[0].id, /^evt_/)
  assert.equal(events[0].eventType, 'message.status')
  assert.equal(events[0].webhookId, webhook.id)
  assert.equal(events[0].campaignId, campaignId)
  assert.equal(events[0].signature, webhook.signature)
  assert.equal(events[0].data.message.from, number)
  assert.deepEqual(events[0].data.message.metadata, metadata)
  assert.equal(events[0].data.message.updatedAt, events[0].createdAt)
})
