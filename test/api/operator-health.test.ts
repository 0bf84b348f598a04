// GET /operator/v1/health: how the service is, for whoever runs it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually } from '../harness.js'
import { operatedService } from './operator-service.js'

test('what waits, what was sent and what failed is told by route, carrier and minute', async (t) => {
  const service = await operatedService(t)
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  for (const to of ['+14155550101', '+14155550102', '+14155550107']) {
    await service.post('/v1/message/send', { campaign: campaignId, to, body: 'Hello' })
  }
  service.world.clock.moveTo(120_000)
  const { status, body } = await service.operate('GET', '/health')
  assert.equal(status, 200)
  assert.deepEqual(body.database, { state: 'ok', problem: null })
  assert.deepEqual(body.carrier, { name: 'simulator', state: 'simulated', downSince: null })
  const depths = body.queue.map((one: { route: string; waiting: number }) => [
    one.route,
    one.waiting,
  ])
  assert.deepEqual(depths, [
    ['att-sms', 2],
    ['att-mms', 0],
    ['tmo', 0],
    ['open', 1],
  ])
  assert.ok(body.queue[0].oldestSeconds >= 110)
  assert.equal(body.queue[1].oldestSeconds, null)
  assert.deepEqual(
    [body.lanes[0].accountId, body.lanes[0].campaignId, body.lanes[0].waiting],
    [service.accountId, campaignId, 2],
  )
  const att = body.recent.carriers.find((one: { carrier: string }) => one.carrier === 'att')
  assert.deepEqual([att.accepted, att.waiting, att.sent, att.failed], [2, 2, 0, 0])
  assert.equal(body.recent.byMinute.length, 15)
  const accepted = body.recent.byMinute.map((one: { accepted: number }) => one.accepted)
  assert.equal(
    accepted.reduce((sum: number, one: number) => sum + one),
    3,
  )
  assert.equal(accepted.at(-1), 0, 'they were accepted two minutes ago')
  assert.deepEqual([body.recent.isComplete, body.webhooks.off, body.connections.max], [true, 0, 4])
})

test('failures are told by carrier with their codes', async (t) => {
  const service = await operatedService(t, { roles: ['dispatch'] })
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  for (const to of ['+14155550101', '+14155550110']) {
    await service.post('/v1/message/send', { campaign: campaignId, to, body: 'Hello' })
  }
  const carriers = await eventually(async () => {
    const { body } = await service.operate('GET', '/health')
    const all: { sent: number; failed: number; delivered: number; errors: object[] }[] =
      body.recent.carriers
    const isOver = all.some(({ delivered }) => delivered === 1) && all.some(({ failed }) => failed)
    return isOver && all
  }, 'one delivered, one failed')
  assert.deepEqual(
    carriers.flatMap(({ errors }) => errors),
    [{ code: 1350, count: 1 }],
  )
})
