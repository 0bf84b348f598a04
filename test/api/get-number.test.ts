// GET /v1/number/{number}: one number, with the campaign that holds it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { testService } from '../harness.js'

const NUMBER = '+14155550123'
const MISSING = { number: null, error: 'Number not found', code: 'number_missing' }

test('a number is retrieved by its digits and shows its campaign', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  await addInventory(service, [{ number: NUMBER, monthlyPriceMicros: 1_500_000n }])
  const bought = await service.post('/v1/number/buy', { number: NUMBER, campaign: campaignId })

  for (const path of ['14155550123', '+14155550123', '%2B14155550123', '14155550123/']) {
    const { status, body } = await service.get(`/v1/number/${path}`)
    assert.equal(status, 200, path)
    assert.deepEqual(body, {
      number: {
        phoneNumber: NUMBER,
        campaignId,
        isDefault: true,
        status: 'ACTIVE',
        forwardNumber: null,
        forwardEnabled: false,
        formattedNumber: '(415) 555-0123',
        monthlyPrice: 1.5,
        purchasedAt: bought.body.number.purchasedAt,
      },
    })
  }
})

test('a malformed number or one nobody bought returns not found', async (t) => {
  const service = await testService(t)
  await addInventory(service, [NUMBER])
  const paths = [
    '14155550123', // for sale
    '14155550199',
    '4155550123',
    '1415555012',
    '141555501234',
    '(415)5550123',
    '1415555012x',
    '1-415-555-0123',
    'cmp_01km3v9w8m0000pqv3t5x7z9bd',
    '%00',
    '%F0%9F%93%9E',
    "1'or'1",
    '1'.repeat(400),
  ]
  for (const path of paths) {
    const { status, body } = await service.get(`/v1/number/${path}`)
    assert.equal(status, 404, path)
    assert.deepEqual(body, MISSING, path)
  }
})

test('another account’s number returns not found, like one that does not exist', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const { campaignId } = await activeCampaign(service, { accountId: other.accountId })
  const number = await buyNumber(service, campaignId, { token: other.token })
  const path = `/v1/number/${number.slice(1)}`
  assert.equal((await service.get(path, { token: other.token })).status, 200)
  const { status, body } = await service.get(path)
  assert.equal(status, 404)
  assert.deepEqual(body, MISSING)
})

test('retrieving a number requires the read scope', async (t) => {
  const service = await testService(t)
  const sender = await service.tokenWith(['send'])
  for (const [token, status] of [
    [null, 401],
    ['lc_unknown', 401],
    [sender, 403],
  ] as const) {
    const reply = await service.get('/v1/number/14155550123', { token })
    assert.equal(reply.status, status)
    assert.equal(reply.body.number, null)
    assert.equal(typeof reply.body.error, 'string')
  }
})

test('an unsupported method returns 405 in the shape of the route', async (t) => {
  const service = await testService(t)
  const { status, body } = await service.call('PUT', '/v1/number/14155550123')
  assert.equal(status, 405)
  assert.equal(body.number, null)
})
