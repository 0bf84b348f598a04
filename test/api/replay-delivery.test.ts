// POST /v1/webhook/{id}/deliveries/{deliveryId}/replay, /recover (and its GET, which previews it), and /test.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { CHANGE_TYPES, EVENT_TYPES } from '../../src/events/event.js'
import { countUndelivered } from '../../src/events/queue/delivery-round-queries.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { createWebhook, triedTimes, webhookStage } from '../flows/webhook-receiver.js'
import { eventually, testService } from '../harness.js'
import { assertFailureShapes } from './failure-shapes.js'

const NO_ID = '0'.repeat(26)

test('a replay sends a delivered event again with the same id and bytes, and keeps both attempts', async (t) => {
  const stage = await webhookStage(t)
  const { service, webhook, receiver } = stage
  await stage.happen()
  const delivered = await triedTimes(stage, 1)
  const path = `/v1/webhook/${webhook.id}/deliveries/${delivered.id}/replay`
  const { status, body } = await service.post(path)
  assert.equal(status, 200)
  assert.equal(body.success, true)
  assert.equal(body.delivery.id, delivered.id)
  assert.equal(body.delivery.state, 'pending')
  assert.equal(body.delivery.finishedAt, null)
  await stage.arrived(2)
  const again = await triedTimes(stage, 2)
  assert.equal(again.state, 'delivered')
  assert.equal(receiver.received[0]!.text, receiver.received[1]!.text)
  assert.equal(
    receiver.received[0]!.headers['webhook-id'],
    receiver.received[1]!.headers['webhook-id'],
  )
  assert.deepEqual(
    again.attempts.map(({ attempt }: { attempt: number }) => attempt),
    [1, 2],
  )
})

test('replaying a failed delivery restarts the whole retry schedule', async (t) => {
  const stage = await webhookStage(t, (response) => {
    response.statusCode = 410
    response.end()
  })
  const { service, webhook, receiver } = stage
  await stage.happen()
  const failed = await triedTimes(stage, 1)
  assert.equal(failed.state, 'failed')
  receiver.behave((response) => {
    response.statusCode = 500
    response.end()
  })
  const path = `/v1/webhook/${webhook.id}/deliveries/${failed.id}/replay`
  const whileOff = await service.post(path)
  assert.equal(whileOff.status, 409)
  assert.deepEqual(whileOff.body, {
    success: false,
    error: 'The webhook is disabled. Enable it with PATCH {"enabled": true}.',
    code: 'webhook_off',
  })
  await service.call('PATCH', `/v1/webhook/${webhook.id}`, { enabled: true })
  await service.post(path)
  const waiting = await triedTimes(stage, 2)
  assert.equal(waiting.state, 'pending')
  const waitMs = Date.parse(waiting.nextAttemptAt) - Date.parse(waiting.attempts[1].at)
  assert.ok(waitMs < 60_000, 'the first wait of the schedule')
})

test('a delivery that is being sent cannot be replayed', async (t) => {
  const answers: (() => void)[] = []
  const stage = await webhookStage(t, (response) => answers.push(() => response.end()))
  await stage.happen()
  await stage.arrived(1)
  const [{ id }] = await stage.deliveries()
  const path = `/v1/webhook/${stage.webhook.id}/deliveries/${id}/replay`
  const { status, body } = await stage.service.post(path)
  assert.equal(status, 409)
  assert.equal(body.error, 'The delivery is being sent right now')
  for (const answer of answers) answer()
})

test('a delivery of another webhook or account returns not found', async (t) => {
  const stage = await webhookStage(t)
  const { service, webhook, campaignId, receiver } = stage
  await stage.happen()
  const { id } = await triedTimes(stage, 1)
  const other = await createWebhook(service, campaignId, receiver.url)
  const { token } = await service.otherAccount()
  const replay = (webhookId: string, deliveryId: string, options = {}) =>
    service.post(`/v1/webhook/${webhookId}/deliveries/${deliveryId}/replay`, undefined, options)
  for (const reply of [
    await replay(other.id, id),
    await replay(webhook.id, `dlv_${NO_ID}`),
    await replay(webhook.id, 'x'),
    await replay(webhook.id, '%00'),
  ]) {
    assert.equal(reply.status, 404)
    assert.deepEqual(reply.body, {
      success: false,
      error: 'Delivery not found',
      code: 'delivery_missing',
    })
  }
  for (const reply of [await replay(`whk_${NO_ID}`, id), await replay(webhook.id, id, { token })]) {
    assert.equal(reply.status, 404)
    assert.equal(reply.body.error, 'Webhook not found')
  }
})

test('recover sends only events that were held or failed since the given time', async (t) => {
  const stage = await webhookStage(t)
  const { service, webhook, receiver } = stage
  const path = `/v1/webhook/${webhook.id}`
  await stage.happen()
  await triedTimes(stage, 1) // recorded before the clock moves, which would end the lease
  await service.call('PATCH', path, { enabled: false })
  await stage.happen({ sequence: 21 })
  await stage.advance(3600)
  const since = service.world.clock.now().toISOString()
  await stage.happen({ sequence: 22 })
  await stage.happen({ sequence: 23 })
  await service.call('PATCH', path, { enabled: true })
  const recovered = await service.post(`${path}/recover`, { since })
  assert.equal(recovered.status, 200)
  assert.deepEqual(recovered.body, { success: true, recovered: 2, hasMore: false })
  await stage.arrived(3)
  assert.deepEqual(
    receiver.received
      .slice(1)
      .map(({ event }) => event.data.sequence)
      .sort(),
    [22, 23],
  )
  const ancient = await service.post(`${path}/recover`, { since: '1960-01-01T00:00:00Z' })
  assert.deepEqual(ancient.body, { success: true, recovered: 1, hasMore: false })
})

test('recover includes events created exactly at the given time', async (t) => {
  const stage = await webhookStage(t)
  const { service, webhook } = stage
  const path = `/v1/webhook/${webhook.id}`
  await service.call('PATCH', path, { enabled: false })
  await stage.happen()
  const [held] = await stage.deliveries()
  await service.call('PATCH', path, { enabled: true })
  const recover = async (ms: number) => {
    const since = new Date(Date.parse(held.createdAt) + ms).toISOString()
    return (await service.post(`${path}/recover`, { since })).body.recovered
  }
  assert.deepEqual([await recover(1), await recover(0)], [0, 1])
})

test('the recover preview counts at most as many events as one request sends', async (t) => {
  const service = await testService(t)
  const { db, clock } = service.world
  const now = clock.now()
  await db.query(sql`
    insert into event_deliveries (account_id, id, subscriber_id, event_id, event_type, state, created_at)
    select ${service.accountId}, 'dlv_' || n, 'whk_1', 'evt_1', 'message.status',
      case when n % 2 = 0 then 'held' else 'failed' end, ${now} from generate_series(1, 6) n`)
  const count = (limit: number) => countUndelivered(db, service.accountId, 'whk_1', 'dlv_2', limit)
  assert.deepEqual(await count(5), { held: 3, failed: 2, oldestAt: now, hasMore: false })
  assert.deepEqual(await count(3), { held: 2, failed: 1, oldestAt: now, hasMore: true })
})

test('held events of one message are recovered in order', async (t) => {
  const stage = await webhookStage(t)
  const { service, webhook, receiver } = stage
  const path = `/v1/webhook/${webhook.id}`
  await service.call('PATCH', path, { enabled: false })
  const messageId = `msg_${'2'.repeat(26)}`
  for (let sequence = 1; sequence <= 5; sequence += 1) await stage.happen({ messageId, sequence })
  await service.call('PATCH', path, { enabled: true })
  await service.post(`${path}/recover`, { since: webhook.createdAt })
  await stage.arrived(5)
  assert.deepEqual(
    receiver.received.map(({ event }) => event.data.sequence),
    [1, 2, 3, 4, 5],
  )
})

test('recover requires a valid time', async (t) => {
  const { service, webhook } = await webhookStage(t)
  const path = `/v1/webhook/${webhook.id}/recover`
  for (const [body, error] of [
    [{}, 'since is required'],
    [{ since: 'yesterday' }, 'since must be an ISO 8601 time such as 2026-12-24T18:00:00Z'],
    [{ since: 5 }, 'since must be an ISO 8601 time such as 2026-12-24T18:00:00Z'],
  ] as const) {
    const reply = await service.post(path, body)
    assert.equal(reply.status, 400)
    assert.equal(reply.body.error, error)
  }
  const asked = await service.get(`${path}?since=yesterday`)
  assert.deepEqual([asked.status, asked.body.recovery], [400, null])
  const unseen = await service.get(`/v1/webhook/whk_${NO_ID}/recover`)
  assert.deepEqual([unseen.status, unseen.body.code], [404, 'webhook_missing'])
  const unknown = await service.post(`/v1/webhook/whk_${NO_ID}/recover`, {
    since: '2026-01-01T00:00:00Z',
  })
  assert.equal(unknown.status, 404)
})

test('a test event of each type arrives at this webhook only, signed and marked as a test', async (t) => {
  const stage = await webhookStage(t, undefined, { fields: { eventTypes: ['message.incoming'] } })
  const { service, webhook, receiver, campaignId } = stage
  await createWebhook(service, campaignId, `${receiver.url}/other`)
  const types = ['message.status', 'recipient.optout', ...CHANGE_TYPES]
  const bodies = [undefined, {}, ...types.map((eventType) => ({ eventType }))]
  for (const [i, body] of bodies.entries()) {
    const reply = await service.post(`/v1/webhook/${webhook.id}/test`, body)
    assert.equal(reply.status, 200, JSON.stringify(reply.body))
    assert.equal(reply.body.delivery.state, 'pending')
    const { event, headers, text, path } = (await stage.arrived(i + 1))[i]!
    assert.equal(path, '/hook')
    assert.equal(event.id, reply.body.delivery.eventId)
    assert.equal(event.eventType, ['message.incoming', 'message.incoming', ...types][i])
    assert.equal(event.campaignId, campaignId)
    assert.equal(event.data.test, true)
    new Webhook(webhook.secret).verify(text, headers as Record<string, string>)
  }
  const [, , status, optout, brand, campaign, number, conversation] = receiver.received.map(
    ({ event }) => event.data,
  )
  assert.equal(status.message.status, 'DELIVERED')
  assert.equal(status.previousStatus, 'SENT')
  assert.equal(status.sequence, 3)
  assert.equal(optout.keyword, 'STOP')
  assert.deepEqual([brand.brand.status, brand.previousStatus], ['VERIFIED', 'PENDING'])
  assert.equal(campaign.campaign.id, campaignId)
  assert.equal(campaign.campaign.reviewNotes.length, 1)
  assert.equal(number.number.campaignId, campaignId)
  assert.equal(conversation.conversation.campaignId, campaignId)
  await eventually(
    async () => (await stage.deliveries('?state=delivered')).length === bodies.length,
  )
})

test('a test requires a known event type and an enabled webhook', async (t) => {
  const { service, webhook } = await webhookStage(t)
  const path = `/v1/webhook/${webhook.id}`
  const bad = await service.post(`${path}/test`, { eventType: 'x' })
  assert.equal(bad.status, 400)
  assert.equal(bad.body.error, `eventType must be one of ${EVENT_TYPES.join(', ')}`)
  await service.call('PATCH', path, { enabled: false })
  assert.equal((await service.post(`${path}/test`)).status, 409)
  assert.equal((await service.post(`/v1/webhook/whk_${NO_ID}/test`)).status, 404)
})

test('errors have the shape of a failed write', async (t) => {
  const { service, webhook } = await webhookStage(t)
  const path = `/v1/webhook/${webhook.id}`
  const shared = { method: 'POST', failure: { success: false }, scope: 'manage' } as const
  await assertFailureShapes(service, { ...shared, url: `${path}/test`, takesBody: true })
  await assertFailureShapes(service, { ...shared, url: `${path}/recover`, takesBody: true })
  await assertFailureShapes(service, {
    method: 'GET',
    url: `${path}/recover`,
    failure: { recovery: null },
    scope: 'read',
  })
  await assertFailureShapes(service, { ...shared, url: `${path}/deliveries/dlv_${NO_ID}/replay` })
})
