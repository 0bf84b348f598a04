// An event on its way to its receiver: what arrives, where, how it is signed, and in what order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { newId } from '../../src/kit/ids.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, testService } from '../harness.js'
import { openStream } from './event-stream.js'
import {
  createWebhook,
  happen,
  type Received,
  triedTimes,
  webhookReceiver,
  webhookStage,
} from './webhook-receiver.js'

test('a webhook gets every status of a sent message, complete and in order', async (t) => {
  const service = await testService(t, { roles: ['dispatch', 'deliver'] })
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const receiver = await webhookReceiver(t)
  const webhook = await createWebhook(service, campaignId, receiver.url)
  const base = await service.app.listen({ port: 0, host: '127.0.0.1' })
  const stream = await openStream(t, service, base)

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
  const { data, createdAt, id, ...envelope } = events[0]
  assert.deepEqual(envelope, {
    eventType: 'message.status',
    webhookId: webhook.id,
    campaignId,
    signature: webhook.signature,
  })
  assert.match(id, /^evt_/)
  assert.equal(data.message.from, number)
  assert.deepEqual(data.message.metadata, metadata)
  assert.equal(data.message.updatedAt, createdAt)

  const nowhere = { campaign: campaignId, to: '+14155550110', body: 'Hello' }
  const { id: failedId } = (await service.post('/v1/message/send', nowhere)).body
  const isFailed = ({ event }: Received) => event.data.message.status === 'FAILED'
  const failed = await eventually(async () => receiver.received.find(isFailed), 'the failure')
  const { message } = (await service.get(`/v1/message/${failedId}`)).body
  assert.equal(failed.event.data.message.errorCode, 1350)
  assert.deepEqual(failed.event.data.message, message)

  // The webhook got these from memory. The stream reads what is stored.
  for (const { data } of [events[1], failed.event]) {
    const stored = await eventually(async () => {
      const shown = stream.events.map((event) => event.data.data)
      return shown.find(
        ({ message: { id, status } = {} }) =>
          id === data.message.id && status === data.message.status,
      )
    }, 'the same event in the stream')
    assert.deepEqual(stored, data)
  }
})

test('an incoming STOP sends the message and the opt-out', async (t) => {
  const service = await testService(t, { roles: ['dispatch', 'deliver'] })
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const receiver = await webhookReceiver(t)
  await createWebhook(service, campaignId, receiver.url, {
    eventTypes: ['message.incoming', 'recipient.optout'],
  })
  const from = '+14155550107'
  const inbound = await service.post('/sandbox/inbound', { from, to: number, body: 'STOP' })
  assert.equal(inbound.status, 200, JSON.stringify(inbound.body))
  await eventually(async () => receiver.received.length >= 2, 'two events')
  const byType = new Map(receiver.received.map(({ event }) => [event.eventType, event]))
  const incoming = byType.get('message.incoming')
  assert.equal(incoming.data.message.id, inbound.body.id)
  assert.equal(incoming.data.message.direction, 'INBOUND')
  assert.equal(incoming.data.message.body, 'STOP')
  const { optedOutAt, ...optout } = byType.get('recipient.optout').data
  assert.deepEqual(optout, {
    recipient: from,
    number,
    campaignId,
    keyword: 'STOP',
    match: 'exact',
    messageId: inbound.body.id,
  })
  assert.match(optedOutAt, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
})

test('the public library verifies deliveries as they arrive, before and after a rotation', async (t) => {
  const { service, webhook, happen, arrived } = await webhookStage(t)
  await happen()
  const [first] = await arrived(1)
  const headers = first!.headers as Record<string, string>
  new Webhook(webhook.secret).verify(first!.text, headers)
  assert.equal(headers['webhook-id'], first!.event.id)
  assert.equal(headers['x-webhook-signature'], webhook.signature)
  assert.equal(headers['content-type'], 'application/json')
  assert.throws(() => new Webhook(webhook.secret).verify(`${first!.text}\n`, headers))

  const { body } = await service.post(`/v1/webhook/${webhook.id}/rotate`)
  await happen()
  const second = (await arrived(2))[1]!
  new Webhook(webhook.secret).verify(second.text, second.headers as Record<string, string>)
  new Webhook(body.webhook.secret).verify(second.text, second.headers as Record<string, string>)
})

test('accents and emoji arrive and verify as written, also when retried', async (t) => {
  const stage = await webhookStage(t, (response, _, count) => {
    response.statusCode = count === 1 ? 503 : 200
    response.end()
  })
  const { service, campaignId, webhook } = stage
  const to = await buyNumber(service, campaignId)
  const text = 'Un café à 3 € ☕ 😀 日本'
  const inbound = { from: '+14155550107', to, body: text }
  assert.equal((await service.post('/sandbox/inbound', inbound)).status, 200)
  await triedTimes(stage, 1)
  await stage.advance(6)
  for (const received of await stage.arrived(2)) {
    new Webhook(webhook.secret).verify(received.text, received.headers as Record<string, string>)
    assert.equal(received.event.data.message.body, text)
  }
})

test('a day after a rotation only the new secret signs, and a moved clock does no harm', async (t) => {
  const { service, webhook, happen, arrived, advance } = await webhookStage(t)
  const { body } = await service.post(`/v1/webhook/${webhook.id}/rotate`)
  await advance(24 * 60 * 60 - 60)
  await happen()
  const [both] = await arrived(1)
  for (const { secret } of [webhook, body.webhook]) {
    new Webhook(secret).verify(both!.text, both!.headers as Record<string, string>)
  }
  await advance(61)
  await happen()
  const only = (await arrived(2))[1]
  const headers = only!.headers as Record<string, string>
  new Webhook(body.webhook.secret).verify(only!.text, headers)
  assert.throws(() => new Webhook(webhook.secret).verify(only!.text, headers))
})

test('an event goes only to subscribers of its campaign, type, and number', async (t) => {
  const service = await testService(t, { roles: ['deliver'] })
  const { campaignId } = await activeCampaign(service)
  const other = await activeCampaign(service)
  const stranger = await service.otherAccount()
  const foreign = await activeCampaign(service, { accountId: stranger.accountId })
  const [one, two] = [await buyNumber(service, campaignId), await buyNumber(service, campaignId)]
  const receiver = await webhookReceiver(t)
  const at = (name: string) => `${receiver.url}/${name}`
  await createWebhook(service, campaignId, at('all'))
  await createWebhook(service, campaignId, at('one'), { numbers: [one] })
  await createWebhook(service, campaignId, at('both'), { numbers: [one, two] })
  await createWebhook(service, campaignId, at('incoming'), { eventTypes: ['message.incoming'] })
  await createWebhook(service, other.campaignId, at('other'))
  const token = stranger.token
  await createWebhook(service, foreign.campaignId, at('foreign'), {}, { token })

  await happen(service, { campaignId, number: two })
  await eventually(async () => receiver.received.length >= 2)
  await happen(service, { campaignId, number: one, eventType: 'message.incoming', sequence: null })
  await eventually(async () => receiver.received.length >= 6)
  assert.deepEqual(receiver.received.map(({ path }) => path.split('/').at(-1)).sort(), [
    'all',
    'all',
    'both',
    'both',
    'incoming',
    'one',
  ])
})

test('webhooks of one campaign get the same event, each with its own signature, even one that lags behind', async (t) => {
  const stage = await webhookStage(t)
  const { service, campaignId, webhook } = stage
  const slow = await webhookReceiver(t, (response) => setTimeout(() => response.end('ok'), 300))
  const behind = await createWebhook(service, campaignId, slow.url)
  const messageId = newId('msg', service.world.clock.now())
  await stage.happen({ messageId, sequence: 1 })
  await stage.happen({ messageId, sequence: 2, data: { note: 'é' } })
  const [, first] = await stage.arrived(2)
  await eventually(async () => slow.received.length === 2, 'the slow one has the second event')
  const { webhookId, signature, ...rest } = slow.received[1]!.event
  assert.deepEqual([webhookId, signature], [behind.id, behind.signature])
  assert.deepEqual({ webhookId: webhook.id, signature: webhook.signature, ...rest }, first!.event)
})

test('a webhook without numbers also gets events of numbers bought later', async (t) => {
  const service = await testService(t, { roles: ['deliver'] })
  const { campaignId } = await activeCampaign(service)
  const receiver = await webhookReceiver(t)
  await createWebhook(service, campaignId, receiver.url)
  const number = await buyNumber(service, campaignId)
  await happen(service, { campaignId, number })
  await eventually(async () => receiver.received.length === 1)
})

test('an event that is rolled back with its change is never sent', async (t) => {
  const { service, campaignId, happen: succeed, arrived, deliveries } = await webhookStage(t)
  const { appendEvent } = await import('../../src/events/append-events.js')
  const undone = service.world.db.transaction(async (tx) => {
    await appendEvent(tx, {
      accountId: service.accountId,
      eventType: 'message.incoming',
      campaignId,
      number: '+14152000001',
      messageId: newId('msg', service.world.clock.now()),
      status: 'DELIVERED',
      data: {},
      now: service.world.clock.now(),
    })
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  const id = await succeed()
  const received = await arrived(1)
  assert.equal(received[0]!.event.id, id)
  assert.equal((await deliveries()).length, 1)
})

test('later events of a message wait for the earlier one, those of others do not', async (t) => {
  const messageId = newId('msg', new Date())
  const { happen, receiver, arrived, advance, deliveries } = await webhookStage(
    t,
    (response, { event }) => {
      response.statusCode = event.data.sequence === 1 ? 500 : 200
      response.end()
    },
  )
  await happen({ messageId, sequence: 1 })
  await arrived(1)
  await happen({ messageId, sequence: 2, status: 'DELIVERED', previousStatus: 'SENT' })
  await happen({ messageId, sequence: 3, status: 'READ', previousStatus: 'DELIVERED' })
  const other = await happen({ sequence: 2 })
  await eventually(async () => receiver.received.some(({ event }) => event.id === other))
  assert.deepEqual(
    receiver.received.filter(({ event }) => event.data.message.id === messageId).length,
    1,
    'the later events wait',
  )
  receiver.behave((response) => response.end())
  await advance(6)
  await eventually(async () => (await deliveries('?state=delivered')).length === 4)
  assert.deepEqual(
    receiver.received
      .filter(({ event }) => event.data.message.id === messageId)
      .map(({ event }) => event.data.sequence),
    [1, 1, 2, 3],
  )
})

test('a burst of events for many messages arrives complete, each message in order', async (t) => {
  const { happen, receiver, arrived } = await webhookStage(t, (response) => {
    setTimeout(() => response.end(), Math.random() * 20)
  })
  const ids = Array.from({ length: 40 }, () => newId('msg', new Date()))
  for (let sequence = 1; sequence <= 4; sequence += 1) {
    await Promise.all(ids.map((messageId) => happen({ messageId, sequence })))
  }
  await arrived(160)
  assert.equal(receiver.received.length, 160, 'each once')
  for (const id of ids) {
    const sequences = receiver.received
      .filter(({ event }) => event.data.message.id === id)
      .map(({ event }) => event.data.sequence)
    assert.deepEqual(sequences, [1, 2, 3, 4])
  }
})

test('a delivery keeps the request as first sent, and a retry sends the same bytes', async (t) => {
  const { happen, receiver, arrived, advance, deliveries } = await webhookStage(t, (response) => {
    response.statusCode = 503
    response.end('try later')
  })
  await happen()
  await arrived(1)
  await eventually(async () => (await deliveries())[0].attempts.length === 1)
  await advance(6)
  await arrived(2)
  assert.equal(receiver.received[0]!.text, receiver.received[1]!.text)
  assert.equal(
    receiver.received[0]!.headers['webhook-id'],
    receiver.received[1]!.headers['webhook-id'],
  )
  const [delivery] = await deliveries()
  assert.equal(delivery.requestBody, receiver.received[0]!.text)
})
