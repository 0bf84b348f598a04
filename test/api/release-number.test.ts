// DELETE /v1/number/{number}: returns a number to the inventory.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { type TestService, testService } from '../harness.js'

const MISSING = { success: false, error: 'Number not found', code: 'number_missing' }

test('a released number is gone and for sale again, and nothing is refunded', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  await addInventory(service, [
    { number: '+12125550123', location: 'New York, NY', monthlyPriceMicros: 2_500_000n },
  ])
  const shown = await service.get('/v1/number/search')
  await service.post('/v1/number/buy', { number: '+12125550123', campaign: campaignId })
  const before = await service.balance()

  const { status, body } = await service.call('DELETE', '/v1/number/12125550123')
  assert.equal(status, 200)
  assert.deepEqual(body, { success: true, phoneNumber: '+12125550123' })
  assert.equal(await service.balance(), before)
  assert.equal((await service.get('/v1/number/12125550123')).status, 404)
  assert.deepEqual((await service.get('/v1/number/search')).body, shown.body)
  assert.deepEqual((await service.call('DELETE', '/v1/number/12125550123')).body, MISSING)
})

test('a number bought again after its release has no old settings and is charged again', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  await service.call('PATCH', `/v1/number/${number}/forwarding`, { forwardNumber: '+14155550188' })
  await service.call('DELETE', `/v1/number/${number}`)
  const before = await service.balance()

  const { status, body } = await service.post('/v1/number/buy', { number, campaign: campaignId })
  assert.equal(status, 200)
  assert.equal(body.number.forwardNumber, null)
  assert.equal(body.number.isDefault, true)
  assert.equal(await service.balance(), before - body.charged)
})

test('if the default number is released, the number held longest becomes the default', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const [a, b, c] = [
    await buyNumber(service, campaignId),
    await buyNumber(service, campaignId),
    await buyNumber(service, campaignId),
  ]
  await service.post(`/v1/number/${c}/default`)
  await service.call('DELETE', `/v1/number/${c}`)
  assert.deepEqual(await numbersOf(service, campaignId), [
    [a, true],
    [b, false],
  ])
  await service.call('DELETE', `/v1/number/${b}`)
  assert.deepEqual(await numbersOf(service, campaignId), [[a, true]])
  await service.call('DELETE', `/v1/number/${a}`)
  assert.deepEqual(await numbersOf(service, campaignId), [])
})

test('releasing a number does not change the default of another campaign', async (t) => {
  const service = await testService(t)
  const one = await activeCampaign(service)
  const two = await activeCampaign(service)
  const released = await buyNumber(service, one.campaignId)
  const kept = await buyNumber(service, two.campaignId)
  const later = await buyNumber(service, two.campaignId)
  await service.call('DELETE', `/v1/number/${released}`)
  assert.deepEqual(await numbersOf(service, two.campaignId), [
    [kept, true],
    [later, false],
  ])
})

test('an unknown or malformed number, or another account’s number, returns not found', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const { campaignId } = await activeCampaign(service, { accountId: other.accountId })
  const foreign = await buyNumber(service, campaignId, { token: other.token })
  for (const path of [foreign.slice(1), '14155550123', '4155550123', 'x', '%00']) {
    const { status, body } = await service.call('DELETE', `/v1/number/${path}`)
    assert.equal(status, 404, path)
    assert.deepEqual(body, MISSING)
  }
  assert.equal((await service.get(`/v1/number/${foreign}`, { token: other.token })).status, 200)
})

test('releasing a number requires the manage scope', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const reader = await service.tokenWith(['read', 'send', 'billing'])
  for (const [token, status] of [
    [null, 401],
    [reader, 403],
  ] as const) {
    const reply = await service.call('DELETE', `/v1/number/${number}`, undefined, { token })
    assert.equal(reply.status, status)
    assert.equal(reply.body.success, false)
  }
  assert.equal((await service.get(`/v1/number/${number}`)).status, 200)
})

async function numbersOf(service: TestService, campaignId: string): Promise<[string, boolean][]> {
  const { body } = await service.get(`/v1/campaign/${campaignId}/numbers`)
  return body.numbers.map((number: { phoneNumber: string; isDefault: boolean }) => [
    number.phoneNumber,
    number.isDefault,
  ])
}
