// GET /v1/account/prices: the account's current prices, as charged in its ledger.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { testService } from '../harness.js'
import { CAMPAIGN_BODY, newBrand } from './campaign-bodies.js'
import { assertFailureShapes } from './failure-shapes.js'
import { operatedService } from './operator-service.js'

const TOLL_FREE = ['800', '833', '844', '855', '866', '877', '888'].map(
  (code) => `+1${code}5550142`,
)

test('an account sees every price, including the cheapest number for sale', async (t) => {
  const service = await testService(t)
  const { status, body } = await service.get('/v1/account/prices')
  assert.equal(status, 200)
  assert.deepEqual(body, {
    prices: {
      sms: 0.0079,
      mms: 0.02,
      call: 0,
      inbound: 0,
      campaignCreation: 20,
      campaignMonthly: 10,
      numberMonthlyFrom: null,
    },
    now: body.now,
  })
  await addInventory(service, [
    { number: '+14155550101', monthlyPriceMicros: 2_000_000n },
    { number: '+14155550102', monthlyPriceMicros: 1_150_000n },
    ...TOLL_FREE.map((number) => ({ number, monthlyPriceMicros: 10_000n })), // not for sale
  ])
  const { prices } = (await service.get('/v1/account/prices')).body
  assert.equal(prices.numberMonthlyFrom, 1.15)
})

test('charges match the listed prices', async (t) => {
  const service = await operatedService(t)
  const account = service.accountId
  await service.operate('POST', '/price/set', { kind: 'sms', amount: 0.01 })
  await service.operate('POST', '/price/set', { account, kind: 'sms', amount: 0.005 })
  const read = async () => (await service.get('/v1/account/prices')).body.prices
  const prices = await read()
  assert.equal(prices.sms, 0.005, 'the account’s price overrides the default')

  const brandId = await newBrand(service)
  const before = await service.balance()
  await service.post('/v1/campaign/create', { ...CAMPAIGN_BODY, brandId })
  assert.equal(before - (await service.balance()), prices.campaignCreation)

  const { campaignId } = await activeCampaign(service)
  const campaign = (await service.get(`/v1/campaign/${campaignId}`)).body.campaign
  assert.equal(campaign.monthlyFee, prices.campaignMonthly * 100, 'that field is in cents')
  await buyNumber(service, campaignId)
  const send = { campaign: campaignId, to: '+14155550199', body: 'Hello' }
  const { id } = (await service.post('/v1/message/send', send)).body
  assert.equal((await service.get(`/v1/message/${id}`)).body.message.price, prices.sms)

  const soon = new Date(service.world.clock.now().getTime() + 3_600_000).toISOString()
  const later = { account, kind: 'mms', amount: 0.03, effectiveAt: soon }
  await service.operate('POST', '/price/set', later)
  assert.equal((await read()).mms, 0.02)
  service.world.clock.moveTo(3_601_000)
  assert.equal((await read()).mms, 0.03, 'from its start time')
})

test('an account does not see another account’s custom prices', async (t) => {
  const service = await operatedService(t)
  const other = await service.otherAccount()
  await service.operate('POST', '/price/set', {
    account: other.accountId,
    kind: 'sms',
    amount: 0.001,
  })
  assert.equal((await service.get('/v1/account/prices')).body.prices.sms, 0.0079)
  const theirs = await service.get('/v1/account/prices', { token: other.token })
  assert.equal(theirs.body.prices.sms, 0.001)
})

test('errors have the shape of the route', async (t) => {
  const service = await testService(t)
  const url = '/v1/account/prices'
  await assertFailureShapes(service, {
    method: 'GET',
    url,
    failure: { prices: null },
    scope: 'read',
  })
})
