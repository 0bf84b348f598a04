// POST /v1/campaign/draft and POST /v1/campaign/{id}/submit: extensions (not in the contract). A draft is free,
// its submission costs the creation fee, and a resubmission costs nothing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { type TestService, testService } from '../harness.js'
import {
  CAMPAIGN_BODY,
  decideOnBrand,
  decideOnCampaign,
  newBrand,
  newCampaign,
} from './campaign-bodies.js'
import { assertFailureShapes } from './failure-shapes.js'

async function newDraft(service: TestService, given: object = CAMPAIGN_BODY): Promise<string> {
  const body = { brandId: await newBrand(service), ...given }
  const reply = await service.post('/v1/campaign/draft', body)
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body.campaign.id
}

test('a draft requires only a brand, costs nothing, and has empty strings for missing fields', async (t) => {
  const service = await testService(t, { balance: '0' })
  const brandId = await newBrand(service)
  const { status, body } = await service.post('/v1/campaign/draft', { brandId, description: '' })
  assert.equal(status, 200)
  assert.equal(body.campaign.status, 'DRAFT')
  assert.equal(body.campaign.displayName, 'Acme Coffee')
  assert.equal(body.campaign.usecase, '')
  assert.equal(body.campaign.details.description, '')
  assert.equal(body.campaign.details.consentFlow, '')
})

test('a draft must have valid field formats', async (t) => {
  const service = await testService(t)
  const brandId = await newBrand(service)
  const cases: [Record<string, unknown>, number, string][] = [
    [{}, 400, 'brandId is required'],
    [{ brandId: newId('brd', new Date()) }, 404, 'Brand not found'],
    [{ brandId, usecase: [] }, 400, 'usecase is required'],
    [{ brandId, sample1: 7 }, 400, 'sample1 must be a string or null'],
    [{ brandId, optinKeywords: [] }, 400, 'optinKeywords must have at least 1 entry'],
  ]
  for (const [given, status, error] of cases) {
    const reply = await service.post('/v1/campaign/draft', given)
    assert.equal(reply.status, status)
    assert.equal(reply.body.error, error)
    assert.equal(reply.body.success, false)
  }
})

test('a submitted draft becomes PENDING, and the fee is charged then', async (t) => {
  const service = await testService(t)
  const id = await newDraft(service)
  assert.equal(await service.balance(), 100)
  const { status, body } = await service.post(`/v1/campaign/${id}/submit`)
  assert.equal(status, 200)
  assert.equal(body.campaign.id, id)
  assert.equal(body.campaign.status, 'PENDING')
  assert.deepEqual(body.warnings, [])
  assert.equal(await service.balance(), 80)
})

test('an incomplete draft cannot be submitted', async (t) => {
  const service = await testService(t)
  const id = await newDraft(service, { description: CAMPAIGN_BODY.description })
  const { status, body } = await service.post(`/v1/campaign/${id}/submit`)
  assert.equal(status, 400)
  assert.deepEqual(body, {
    success: false,
    error: 'usecase is required',
    code: 'field_invalid',
    details: [
      { field: 'usecase', problem: 'is required' },
      { field: 'consentFlow', problem: 'is required' },
    ],
  })
  assert.equal(await service.balance(), 100)
})

test('submission with too low a balance leaves the draft unchanged', async (t) => {
  const service = await testService(t, { balance: '19' })
  const id = await newDraft(service)
  const { status, body } = await service.post(`/v1/campaign/${id}/submit`)
  assert.equal(status, 402)
  assert.equal(body.error, 'Insufficient account balance')
  assert.equal((await service.get(`/v1/campaign/${id}`)).body.campaign.status, 'DRAFT')
  assert.equal(await service.balance(), 19)
})

test('of several concurrent submissions, one succeeds and is charged', async (t) => {
  const service = await testService(t)
  const id = await newDraft(service)
  const replies = await Promise.all(
    Array.from({ length: 4 }, () => service.post(`/v1/campaign/${id}/submit`)),
  )
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409, 409])
  const refused = replies.find(({ status }) => status === 409)!
  assert.deepEqual(refused.body, {
    success: false,
    error: 'The campaign is PENDING and cannot become PENDING',
    code: 'campaign_state',
  })
  assert.equal(await service.balance(), 80)
})

test('a returned campaign shows the reason, and can be corrected and resubmitted without a second fee', async (t) => {
  const service = await testService(t)
  const campaign = await newCampaign(service)
  const id = campaign.id as string
  const notes = [{ field: 'sample1', note: 'Where is the brand?' }]
  await decideOnBrand(service, campaign.brandId as string, { kind: 'verify' })
  await decideOnCampaign(service, id, { kind: 'return', notes })
  const returned = (await service.get(`/v1/campaign/${id}`)).body.campaign
  assert.equal(returned.status, 'DRAFT')
  assert.deepEqual(returned.reviewNotes, notes)

  const sample1 = 'Acme Coffee: hello there. Reply STOP to opt out.'
  const corrected = await service.call('PATCH', `/v1/campaign/${id}`, { sample1 })
  assert.equal(corrected.body.campaign.details.sample1, sample1)
  assert.deepEqual(corrected.body.campaign.reviewNotes, notes)
  const { body } = await service.post(`/v1/campaign/${id}/submit`)
  assert.equal(body.campaign.status, 'PENDING')
  assert.deepEqual(body.campaign.reviewNotes, [])
  assert.equal(await service.balance(), 80)
})

test('an unknown campaign or another account’s campaign cannot be submitted', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const brandId = await newBrand(service, {}, other)
  const foreign = await service.post('/v1/campaign/draft', { ...CAMPAIGN_BODY, brandId }, other)
  for (const id of [foreign.body.campaign.id, newId('cmp', new Date()), 'odd%00id']) {
    const { status, body } = await service.post(`/v1/campaign/${id}/submit`)
    assert.equal(status, 404)
    assert.deepEqual(body, {
      success: false,
      error: 'Campaign not found',
      code: 'campaign_missing',
    })
  }
})

test('errors include success: false', async (t) => {
  const service = await testService(t)
  const common = { method: 'POST', failure: { success: false }, scope: 'manage' as const }
  const submit = `/v1/campaign/${newId('cmp', new Date())}/submit`
  await assertFailureShapes(service, { ...common, url: '/v1/campaign/draft', takesBody: true })
  await assertFailureShapes(service, { ...common, url: submit })
})
