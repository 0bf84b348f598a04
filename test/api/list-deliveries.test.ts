// GET /v1/webhook/{id}/deliveries: webhook deliveries, filtered and paged.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { buyNumber } from '../fixtures.js'
import { webhookStage } from '../flows/webhook-receiver.js'
import { eventually, testService } from '../harness.js'
import { assertFailureShapes } from './failure-shapes.js'

test('deliveries are listed newest first, filtered by state, in pages', async (t) => {
  const stage = await webhookStage(t, (response, { event }) => {
    response.statusCode = event.data.sequence % 3 === 0 ? 500 : 200
    response.end(`seen ${event.data.sequence}`)
  })
  const eventIds: string[] = []
  for (let sequence = 1; sequence <= 12; sequence += 1) {
    eventIds.unshift(await stage.happen({ sequence }))
  }
  await eventually(async () => {
    const all = await stage.deliveries('?limit=100')
    return all.every(({ attempts }) => attempts.length > 0)
  })
  const { service, webhook } = stage
  const list = async (query: string) => {
    const { status, body } = await service.get(`/v1/webhook/${webhook.id}/deliveries${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const idsOf = (body: { deliveries: { eventId: string }[] }) =>
    body.deliveries.map(({ eventId }) => eventId)

  assert.deepEqual(idsOf(await list('')), eventIds.slice(0, 10))
  assert.equal((await list('')).hasMore, true)
  assert.deepEqual(idsOf(await list('?limit=4&skip=4')), eventIds.slice(4, 8))
  const firstPage = await list('?limit=9')
  const rest = await list(`?limit=9&after=${firstPage.deliveries.at(-1).id}`)
  assert.deepEqual([...idsOf(firstPage), ...idsOf(rest)], eventIds)
  assert.equal(rest.hasMore, false)

  const delivered = (await list('?state=delivered&limit=100')).deliveries
  assert.equal(delivered.length, 8)
  const pending = (await list('?state=pending&limit=100')).deliveries
  assert.deepEqual(
    pending.map(
      ({ attempts }: { attempts: { responseBody: string }[] }) => attempts[0]!.responseBody,
    ),
    ['seen 12', 'seen 9', 'seen 6', 'seen 3'],
  )
  assert.deepEqual((await list('?state=held')).deliveries, [])
  assert.deepEqual((await list('?state=failed')).deliveries, [])
})

test('deliveries can be filtered by message', async (t) => {
  const { service, webhook, happen, deliveries } = await webhookStage(t)
  await buyNumber(service, webhook.campaignId)
  const send = async () => {
    const sent = { campaign: webhook.campaignId, to: '+14155550101', body: 'Hello' }
    return (await service.post('/v1/message/send', sent)).body.id as string
  }
  const [messageId, other] = [await send(), await send()]
  const first = await happen({ messageId, sequence: 1 })
  await happen({ messageId: other, sequence: 1 })
  const second = await happen({ messageId, sequence: 2, status: 'DELIVERED' })
  const of = async (query: string) =>
    (await deliveries(`?message=${messageId}${query}`)).map(({ eventId }) => eventId)
  assert.deepEqual(await of(''), [second, first])
  assert.deepEqual(await of('&limit=1'), [second])
  const [newest] = await deliveries(`?message=${messageId}`)
  assert.deepEqual(await of(`&after=${newest.id}`), [first])
  await eventually(async () => (await of('&state=delivered')).length === 2)
  assert.deepEqual(await of('&state=failed'), [])

  const unknown = await service.get(
    `/v1/webhook/${webhook.id}/deliveries?message=msg_${'1'.repeat(26)}`,
  )
  assert.equal(unknown.status, 404)
  assert.equal(unknown.body.code, 'message_missing')
  assert.deepEqual(unknown.body.deliveries, [])
})

test('a delivery that was never tried has no request and no attempts', async (t) => {
  const stage = await webhookStage(t)
  await stage.stop()
  const eventId = await stage.happen({ sequence: 2, messageId: `msg_${'1'.repeat(26)}` })
  const [{ id, createdAt, nextAttemptAt, ...rest }] = await stage.deliveries()
  assert.match(id, /^dlv_[0-9a-z]{26}$/)
  assert.equal(nextAttemptAt, createdAt)
  assert.deepEqual(rest, {
    webhookId: stage.webhook.id,
    eventId,
    eventType: 'message.status',
    messageId: `msg_${'1'.repeat(26)}`,
    sequence: 2,
    state: 'pending',
    finishedAt: null,
    attempts: [],
    requestBody: null,
  })
})

test('invalid filters are refused by name, and unknown webhooks return not found', async (t) => {
  const { service, webhook } = await webhookStage(t)
  const bad = await service.get(`/v1/webhook/${webhook.id}/deliveries?state=lost`)
  assert.equal(bad.status, 400)
  assert.equal(bad.body.error, 'state must be one of pending, held, delivered, failed')
  assert.deepEqual(bad.body.deliveries, [])
  const { token } = await service.otherAccount()
  for (const [id, options] of [
    [`whk_${'0'.repeat(26)}`, {}],
    ['x', {}],
    [webhook.id, { token }],
  ] as const) {
    const { status, body } = await service.get(`/v1/webhook/${id}/deliveries`, options)
    assert.equal(status, 404)
    assert.deepEqual(body, { deliveries: [], error: 'Webhook not found', code: 'webhook_missing' })
  }
  await assertFailureShapes(service, {
    method: 'GET',
    url: `/v1/webhook/${webhook.id}/deliveries`,
    failure: { deliveries: [] },
    scope: 'read',
  })
})

test('undelivered rows are found by index, however many were delivered', async (t) => {
  const service = await testService(t)
  const plans = await service.world.db.transaction(async (tx) => {
    await tx.query(sql`set local enable_seqscan = off`)
    return tx.query<{ 'QUERY PLAN': string }>(sql`
      explain select id from event_deliveries
      where account_id = 'a' and subscriber_id = 'b' and state = 'failed'
      order by id desc limit 10`)
  })
  assert.match(plans.map((row) => row['QUERY PLAN']).join('\n'), /event_deliveries\w*_undelivered/)
})

test('a read-only token never sees the signature in a request or response body', async (t) => {
  const stage = await webhookStage(t, (response, { text }) => response.end(text))
  const { service, webhook } = stage
  await stage.happen()
  await stage.arrived(1)
  const list = async (token: string) => {
    const { body } = await service.get(`/v1/webhook/${webhook.id}/deliveries`, { token })
    return body.deliveries[0]
  }
  const seen = await eventually(async () => {
    const delivery = await list(service.token)
    return delivery.attempts.length > 0 && delivery
  })
  assert.equal(JSON.parse(seen.requestBody).signature, webhook.signature)
  const masked = await list(await service.tokenWith(['read']))
  assert.equal(JSON.stringify(masked).includes(webhook.signature), false)
  assert.equal(JSON.parse(masked.requestBody).signature, `…${webhook.signature.slice(-4)}`)
  assert.match(masked.attempts[0].responseBody, /^\{"id":"evt_/)
})
