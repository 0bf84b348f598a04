// POST /v1/number/{number}/default: the number a campaign sends from.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { type TestService, testService } from '../harness.js'

test('a number becomes the default in place of the previous one', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const another = await activeCampaign(service)
  const first = await buyNumber(service, campaignId)
  const second = await buyNumber(service, campaignId)
  const elsewhere = await buyNumber(service, another.campaignId)

  const { status, body } = await service.post(`/v1/number/${second.slice(1)}/default`)
  assert.equal(status, 200)
  const { body: list } = await service.get(`/v1/campaign/${campaignId}/numbers`)
  assert.deepEqual(body, { success: true, number: list.numbers[0] })
  assert.equal(body.number.isDefault, true)
  assert.deepEqual(await defaults(service, [first, second, elsewhere]), [false, true, true])
})

test('making the default number the default again changes nothing', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const first = await buyNumber(service, campaignId)
  const second = await buyNumber(service, campaignId)
  const { status } = await service.post(`/v1/number/${first}/default`)
  assert.equal(status, 200)
  assert.deepEqual(await defaults(service, [first, second]), [true, false])
})

test('an empty JSON body is accepted', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const headers = { 'content-type': 'application/json' }
  const { status } = await service.post(`/v1/number/${number}/default`, undefined, { headers })
  assert.equal(status, 200)
})

test('an unknown or malformed number, or another account’s number, returns not found', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const { campaignId } = await activeCampaign(service, { accountId: other.accountId })
  await buyNumber(service, campaignId, { token: other.token })
  const foreign = await buyNumber(service, campaignId, { token: other.token })
  for (const path of [foreign.slice(1), '14155550123', '4155550123', 'x', '%00']) {
    const { status, body } = await service.post(`/v1/number/${path}/default`)
    assert.equal(status, 404, path)
    assert.deepEqual(body, { success: false, error: 'Number not found', code: 'number_missing' })
  }
  const { body } = await service.get(`/v1/number/${foreign}`, { token: other.token })
  assert.equal(body.number.isDefault, false)
})

test('changing the default number requires the manage scope', async (t) => {
  const service = await testService(t)
  const reader = await service.tokenWith(['read', 'send', 'billing'])
  for (const [token, status] of [
    [null, 401],
    [reader, 403],
  ] as const) {
    const reply = await service.post('/v1/number/14155550123/default', undefined, { token })
    assert.equal(reply.status, status)
    assert.equal(reply.body.success, false)
  }
})

async function defaults(service: TestService, numbers: readonly string[]): Promise<boolean[]> {
  const replies = await Promise.all(numbers.map((number) => service.get(`/v1/number/${number}`)))
  return replies.map(({ body }) => body.number.isDefault)
}
