// GET /v1/campaign/{id}: one campaign, or null with an error.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneMonthLater } from '../../src/campaigns/renewal/renewal-date.js'
import { newId } from '../../src/kit/ids.js'
import { testService } from '../harness.js'
import {
  CAMPAIGN_BODY,
  decideOnCampaign,
  newActiveCampaign,
  newBrand,
  newCampaign,
} from './campaign-bodies.js'
import { assertFailureShapes } from './failure-shapes.js'

test('an approved campaign shows its fee in cents, its limits, and its renewal date', async (t) => {
  const service = await testService(t)
  const id = await newActiveCampaign(service)
  const { status, body } = await service.get(`/v1/campaign/${id}`)
  assert.equal(status, 200)
  const { campaign } = body
  assert.equal(campaign.status, 'ACTIVE')
  assert.equal(campaign.monthlyFee, 1000)
  assert.deepEqual(campaign.limits, { smsTpmAtt: 240, mmsTpmAtt: 150, dailyTmoCap: 2000 })
  const approvedAt = new Date(campaign.updatedAt)
  const renewsAt = oneMonthLater(approvedAt, approvedAt.getUTCDate())
  assert.equal(campaign.renewsAt, renewsAt.toISOString())
  assert.equal(await service.balance(), 80) // approval charges nothing
})

test('a suspended campaign keeps its fee and limits', async (t) => {
  const service = await testService(t)
  const id = await newActiveCampaign(service, { isLowVolume: true })
  await decideOnCampaign(service, id, { kind: 'suspend', reason: 'operator' })
  const { campaign } = (await service.get(`/v1/campaign/${id}`)).body
  assert.equal(campaign.status, 'SUSPENDED')
  assert.equal(campaign.monthlyFee, 1000)
  assert.deepEqual(campaign.limits, { smsTpmAtt: 75, mmsTpmAtt: 50, dailyTmoCap: 2000 })
})

test('an unknown or malformed id, or another account’s campaign, returns not found', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const brandId = await newBrand(service, {}, other)
  const foreign = await service.post('/v1/campaign/create', { ...CAMPAIGN_BODY, brandId }, other)
  const own = await newCampaign(service)
  const ids = [
    foreign.body.campaign.id,
    newId('cmp', new Date()),
    own.brandId as string,
    'nonsense',
    '%00',
    '%F0%9F%98%80',
    "'%20or%20true",
    'x'.repeat(400),
  ]
  for (const id of ids) {
    const { status, body } = await service.get(`/v1/campaign/${id}`)
    assert.equal(status, 404, id)
    assert.deepEqual(
      body,
      { campaign: null, error: 'Campaign not found', code: 'campaign_missing' },
      id,
    )
  }
})

test('errors include campaign: null', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'GET',
    url: `/v1/campaign/${newId('cmp', new Date())}`,
    failure: { campaign: null },
    scope: 'read',
  })
})
