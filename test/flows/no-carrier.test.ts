// A service without a carrier link, and one that only simulates: neither reports real deliveries.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNoCarrier } from '../../src/carriers/simulator.js'
import { readConfig } from '../../src/kit/config.js'
import type { Refusal } from '../../src/kit/contract/refusal.js'
import { BadSetting } from '../../src/kit/settings/setting-reader.js'
import { idOrRefusal } from '../../src/messages/send/send-message.js'
import { fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { sendingService, told, VZW } from '../sending.js'

const REFUSAL = 'No carrier link is set up on this service. Nothing was sent or charged.'

test('without a carrier link every kind of send is refused, and nothing is charged', async (t) => {
  const sending = await sendingService(t, { env: { LONGCODE_CARRIER: 'none' } })
  const { service, campaignId, trySend } = sending
  const before = await service.balance()
  const scheduledAt = new Date(service.world.clock.now().getTime() + 3_600_000).toISOString()
  assert.deepEqual(told(await trySend()), [503, REFUSAL])
  assert.equal((await trySend()).body.code, 'carrier_absent')
  assert.deepEqual(told(await trySend({ scheduledAt })), [503, REFUSAL])
  const input = { campaign: campaignId, to: VZW, body: 'Hello' }
  assert.deepEqual(told(await service.post('/v1/message/send/', input)), [503, REFUSAL])
  const { results } = (await service.post('/v1/message/batch', { messages: [input] })).body
  assert.deepEqual(results, [{ success: false, error: REFUSAL, code: 'carrier_absent' }])
  assert.equal(await service.balance(), before)
  const { messages } = (await service.get(`/v1/message/list?campaign=${campaignId}`)).body
  assert.deepEqual(messages, [])
})

test('a send accepted before the link was removed gets the same response', async (t) => {
  const { service, campaignId } = await sendingService(t)
  const { world, accountId } = service
  const linked = fakeRoom(world, fakeCarrier())
  const linkless = fakeRoom(world, createNoCarrier())
  const input = { campaign: campaignId, to: VZW, body: 'Hello' }
  const once = { key: 'order-1042', requestHash: Buffer.alloc(32) }
  const { id } = idOrRefusal(await linked.sendService.send(accountId, input, once))
  assert.deepEqual(await linkless.sendService.send(accountId, input, once), { id, isReplay: true })
  const other = await linkless.sendService.send(accountId, input, { ...once, key: 'order-1043' })
  assert.equal((other as Refusal).code, 'carrier_absent')
})

test('production accepts the simulator only with a second setting', () => {
  const env = {
    LONGCODE_MODE: 'production',
    DATABASE_URL: 'postgres://given.by.the/test',
    LONGCODE_CARRIER: 'simulator',
  }
  assert.throws(
    () => readConfig(env),
    (error: Error) =>
      error instanceof BadSetting &&
      /^LONGCODE_CARRIER=simulator reports deliveries that never happened: .*LONGCODE_ALLOW_SIMULATED_DELIVERIES=true as well\.$/.test(
        error.message,
      ),
  )
  assert.equal(
    readConfig({ ...env, LONGCODE_ALLOW_SIMULATED_DELIVERIES: 'true' }).carrier,
    'simulator',
  )
  assert.equal(readConfig({ ...env, LONGCODE_CARRIER: '' }).carrier, 'none')
  assert.equal(readConfig({}).carrier, 'simulator')
})

test('a production service that simulates reports it in every timeline and to monitoring', async (t) => {
  const { service, send, until } = await sendingService(t, {
    roles: ['dispatch'],
    env: {
      LONGCODE_MODE: 'production',
      DATABASE_URL: 'postgres://given.by.the/test',
      LONGCODE_CARRIER: 'simulator',
      LONGCODE_ALLOW_SIMULATED_DELIVERIES: 'true',
      LONGCODE_REGISTRY: 'simulated',
    },
  })
  assert.equal((await service.get('/readyz')).body.parts.carrier, 'simulated')
  const textsOf = async (id: string): Promise<string[]> =>
    (await service.get(`/v1/message/${id}/timeline`)).body.timeline.map(
      (entry: { text: string }) => entry.text,
    )
  const taken = await send()
  await until(taken, 'DELIVERED')
  assert.deepEqual(await textsOf(taken), [
    'Accepted and queued for sending',
    'Simulated: no carrier has seen this message',
    'Delivery simulated: no carrier has seen this message',
  ])
  const refused = await send({ to: '+14155550180' })
  await until(refused, 'FAILED')
  assert.match((await textsOf(refused)).at(-1)!, /\(simulated: no carrier has seen this message\)$/)
})
