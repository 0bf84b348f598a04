// A Citus worker that accepts connections but never answers, as if it hung. A request to it waits for the statement
// timeout. After that nothing is sent to it, and other tenants are served.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, testService } from '../harness.js'
import { SMS_PRICE } from '../sending.js'
import { delivered, sendAll, stage, tenants } from './cut-worker.js'

test('a worker that never answers delays only its own tenants', async (t) => {
  const on = await stage()
  const service = await testService(t, {
    database: on.database,
    roles: ['dispatch', 'deliver'],
    env: { LONGCODE_DATABASE_POOL: '8', LONGCODE_DATABASE_TIMEOUT: '5' },
  })
  const { near, lost } = await tenants(t, service, on)
  await delivered(lost, await sendAll(lost, ['before']))
  const before = await lost.balance()
  on.proxy.swallow()
  // Until a request has waited for the whole statement timeout.
  await eventually(async () => {
    const { status } = await lost.send('refused')
    assert.equal(status, 503)
    return service.world.db.workers.isOutage
  }, 'the outage is noticed')
  await delivered(near, await sendAll(near, ['meanwhile 1', 'meanwhile 2']))
  assert.equal((await lost.send('refused')).status, 503)
  on.proxy.heal()
  const again = await eventually(async () => {
    const reply = await lost.send('after')
    return reply.status === 200 && reply
  }, 'sends succeed again')
  await delivered(lost, [again.body.id])
  assert.equal((before - (await lost.balance())).toFixed(4), SMS_PRICE.toFixed(4))
})
