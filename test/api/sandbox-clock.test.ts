// GET /sandbox/clock and POST /sandbox/clock/advance: the time of the service, which tests can advance.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLog } from '../../src/kit/log.js'
import { startService } from '../../src/serve.js'
import { eventually, testConfig, testService } from '../harness.js'
import { told } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

const ADVANCE = '/sandbox/clock/advance'

test('advancing the clock moves the time and keeps it there', async (t) => {
  const service = await testService(t)
  const before = await service.get('/sandbox/clock')
  assert.equal(before.body.aheadSeconds, 0)
  const moved = await service.post(ADVANCE, { seconds: 90.5 })
  assert.equal(moved.status, 200)
  assert.deepEqual(Object.keys(moved.body).sort(), ['aheadSeconds', 'now', 'success'])
  assert.equal(moved.body.aheadSeconds, 90.5)
  assert.ok(Date.parse(moved.body.now) - Date.parse(before.body.now) >= 90_500)
  await service.post(ADVANCE, { seconds: 10 })
  const after = await service.get('/sandbox/clock')
  assert.equal(after.body.aheadSeconds, 100.5)
  assert.ok(after.body.now >= moved.body.now)
})

test('other processes follow the clock, and a restart keeps it', async (t) => {
  const service = await testService(t)
  const config = testConfig()
  const other = await startService(config, service.databaseUrl, openLog(config.logLevel))
  t.after(() => other.stop())
  await service.post(ADVANCE, { seconds: 3600 })
  await eventually(async () => other.world.clock.offsetMs === 3_600_000)
  const later = await startService(config, service.databaseUrl, openLog(config.logLevel))
  assert.equal(later.world.clock.offsetMs, 3_600_000)
  await later.stop()
})

test('the same Idempotency-Key advances the clock once', async (t) => {
  const service = await testService(t)
  const options = { headers: { 'idempotency-key': 'hour' } }
  const first = await service.post(ADVANCE, { seconds: 3600 }, options)
  const second = await service.post(ADVANCE, { seconds: 3600 }, options)
  assert.deepEqual(second.body, first.body)
  assert.equal(second.headers['idempotent-replayed'], 'true')
  assert.equal((await service.get('/sandbox/clock')).body.aheadSeconds, 3600)
})

test('the clock moves only forward, by at most ten years at a time', async (t) => {
  const service = await testService(t)
  const expected = 'seconds must be more than 0 and at most 316224000 (ten years)'
  for (const seconds of [0, -1, 316_224_001, '60', null]) {
    assert.deepEqual(told(await service.post(ADVANCE, { seconds })), [400, expected])
  }
  assert.deepEqual(told(await service.post(ADVANCE, {})), [400, 'seconds is required'])
})

test('reading the clock requires the read scope, and advancing it the manage scope', async (t) => {
  const service = await testService(t)
  const url = '/sandbox/clock'
  await assertFailureShapes(service, { method: 'GET', url, failure: {}, scope: 'read' })
  await assertFailureShapes(service, {
    method: 'POST',
    url: ADVANCE,
    failure: { success: false },
    scope: 'manage',
    takesBody: true,
  })
})

test('production has no sandbox', async (t) => {
  const env = { LONGCODE_MODE: 'production', DATABASE_URL: 'postgres://given.by.the/test' }
  const service = await testService(t, { env })
  for (const path of ['/sandbox/clock', '/sandbox/handset', '/sandbox/handset/14155550107']) {
    assert.deepEqual(told(await service.get(path)), [404, 'No such path'])
  }
  assert.equal((await service.post('/sandbox/inbound', {})).status, 404)
  assert.equal((await service.post(ADVANCE, { seconds: 1 })).status, 404)
})
