// PATCH /v1/campaign/{id}: an extension (not in the contract). Keywords, replies, and the display name can always
// be changed, and reviewed fields only in a draft.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { type Json, type Reply, type TestService, testService } from '../harness.js'
import { CAMPAIGN_BODY, newActiveCampaign, newBrand, newCampaign } from './campaign-bodies.js'
import { assertFailureShapes } from './failure-shapes.js'

const patch = (service: TestService, id: unknown, body: unknown): Promise<Reply> =>
  service.call('PATCH', `/v1/campaign/${id}`, body)

const REQUIRED_OPT_OUTS = ['STOP', 'QUIT', 'END', 'REVOKE', 'OPT OUT', 'CANCEL', 'UNSUBSCRIBE']

test('keywords, replies, display name, and switches of an active campaign can be changed', async (t) => {
  const service = await testService(t)
  const id = await newActiveCampaign(service)
  const before = (await service.get(`/v1/campaign/${id}`)).body.campaign
  const { status, body } = await patch(service, id, {
    displayName: 'Friday offers',
    optinKeywords: ['JOIN', ' join ', 'START'],
    optoutKeywords: [...REQUIRED_OPT_OUTS, 'BASTA'],
    helpKeywords: ['?'],
    helpMessage: 'Acme Coffee: call us.',
    holdAtDailyCap: true,
    actsOnNearOptout: false,
  })
  assert.equal(status, 200)
  assert.deepEqual(body, {
    success: true,
    campaign: {
      ...before,
      updatedAt: body.campaign.updatedAt,
      displayName: 'Friday offers',
      details: {
        ...before.details,
        optinKeywords: ['JOIN', 'START'],
        optoutKeywords: [...REQUIRED_OPT_OUTS, 'BASTA'],
        helpKeywords: ['?'],
        // Still the defaults, so they follow the keywords.
        optinMessage: before.details.optinMessage.replace('Reply HELP', 'Reply ?'),
        optoutMessage: before.details.optoutMessage.replace('Reply START', 'Reply JOIN'),
        helpMessage: 'Acme Coffee: call us.',
      },
      holdAtDailyCap: true,
      actsOnNearOptout: false,
    },
  })
  assert.deepEqual((await service.get(`/v1/campaign/${id}`)).body.campaign, body.campaign)
})

test('null restores the default of a reply or name', async (t) => {
  const service = await testService(t)
  const campaign = await newCampaign(service, { displayName: 'Mine', helpMessage: 'Call us.' })
  const { body } = await patch(service, campaign.id, { displayName: null, helpMessage: null })
  assert.equal(body.campaign.displayName, 'Acme Coffee: Marketing')
  assert.match(body.campaign.details.helpMessage, /^Acme Coffee: .*https:\/\/acme\.example$/)
})

test('every field of a draft can be changed', async (t) => {
  const service = await testService(t)
  const brandId = await newBrand(service)
  const otherBrand = await newBrand(service, { displayName: 'Bolt Tea' })
  const draft = await service.post('/v1/campaign/draft', { ...CAMPAIGN_BODY, brandId })
  const { body } = await patch(service, draft.body.campaign.id, {
    brandId: otherBrand,
    usecase: ['2FA', 'MARKETING'],
    description: 'Another',
    consentFlow: 'Another flow',
    screenshotUrl: 'https://bolt.example/s.png',
    sample1: null,
    sample4: 'Fourth',
    isLowVolume: true,
  })
  const { campaign } = body
  assert.equal(campaign.brandId, otherBrand)
  assert.equal(campaign.usecase, 'MIXED')
  assert.deepEqual(campaign.subUsecases, ['2FA', 'MARKETING'])
  assert.equal(campaign.displayName, 'Bolt Tea: Mixed')
  assert.equal(campaign.isLowVolume, true)
  const { details } = campaign
  assert.equal(details.description, 'Another')
  assert.equal(details.consentFlow, 'Another flow')
  assert.equal(details.screenshotUrl, 'https://bolt.example/s.png')
  assert.equal(details.sample1, null)
  assert.equal(details.sample2, CAMPAIGN_BODY.sample2)
  assert.equal(details.sample4, 'Fourth')
  assert.match(details.optinMessage, /^Bolt Tea: /)
})

test('reviewed fields cannot be changed, but may be sent unchanged', async (t) => {
  const service = await testService(t)
  const campaign = await newCampaign(service)
  const otherBrand = await newBrand(service)
  const cases: [Json, string][] = [
    [{ brandId: otherBrand }, 'brandId'],
    [{ usecase: '2FA' }, 'usecase'],
    [{ description: 'Other' }, 'description'],
    [{ consentFlow: null }, 'consentFlow'],
    [{ screenshotUrl: 'https://acme.example/s.png' }, 'screenshotUrl'],
    [{ sample5: 'Fifth' }, 'samples'],
    [{ isLowVolume: true }, 'isLowVolume'],
  ]
  for (const [given, field] of cases) {
    const { status, body } = await patch(service, campaign.id, { ...given, displayName: 'New' })
    assert.equal(status, 409, field)
    assert.deepEqual(body, {
      success: false,
      error: `The campaign is PENDING. ${field} can be changed only while it is a DRAFT`,
      code: 'campaign_state',
    })
  }
  const { body } = await patch(service, campaign.id, { ...CAMPAIGN_BODY, displayName: 'New' })
  assert.equal(body.campaign.displayName, 'New')
})

test('the legally required opt-out keywords cannot be removed, and no keyword is in two lists', async (t) => {
  const service = await testService(t)
  const { id } = await newCampaign(service)
  const word = 'x'.repeat(31)
  const many = Array.from({ length: 31 }, (_, i) => `WORD${i}`)
  const cases: [Json, string][] = [
    [
      { optoutKeywords: REQUIRED_OPT_OUTS.slice(1) },
      'optoutKeywords must include STOP: 47 CFR 64.1200(a)(10) makes these an opt-out',
    ],
    [
      { optinKeywords: ['STOP'] },
      'optinKeywords cannot contain STOP, because it is already in optoutKeywords',
    ],
    [
      { helpKeywords: ['yes.'] },
      'helpKeywords cannot contain yes., because it is already in optinKeywords',
    ],
    [{ helpKeywords: [] }, 'helpKeywords must have at least 1 entry'],
    [{ helpKeywords: ['HELP', ' '] }, 'helpKeywords[1] is required'],
    [{ helpKeywords: [word] }, 'helpKeywords[0] must be at most 30 characters'],
    [{ helpKeywords: many }, 'helpKeywords must have at most 30 entries'],
    [{ helpKeywords: 'HELP' }, 'helpKeywords must be a list'],
    [{ helpKeywords: [7] }, 'helpKeywords[0] must be a string'],
    [{ helpMessage: ' ' }, 'helpMessage is required'],
    [{ helpMessage: 'x'.repeat(1501) }, 'helpMessage must be at most 1500 characters'],
    [{ holdAtDailyCap: 'yes' }, 'holdAtDailyCap must be true or false'],
  ]
  for (const [given, error] of cases) {
    const { status, body } = await patch(service, id, given)
    assert.equal(status, 400, error)
    assert.equal(body.error, error)
    assert.equal(body.success, false)
  }
})

test('an unknown campaign or another account’s campaign cannot be changed', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const brandId = await newBrand(service, {}, other)
  const foreign = await service.post('/v1/campaign/create', { ...CAMPAIGN_BODY, brandId }, other)
  for (const id of [foreign.body.campaign.id, newId('cmp', new Date()), 'odd%00id']) {
    const { status, body } = await patch(service, id, { displayName: 'Mine now' })
    assert.equal(status, 404)
    assert.deepEqual(body, {
      success: false,
      error: 'Campaign not found',
      code: 'campaign_missing',
    })
  }
})

test('a draft cannot be moved to another account’s brand', async (t) => {
  const service = await testService(t)
  const foreign = await newBrand(service, {}, await service.otherAccount())
  const brandId = await newBrand(service)
  const draft = await service.post('/v1/campaign/draft', { brandId })
  const { status, body } = await patch(service, draft.body.campaign.id, { brandId: foreign })
  assert.equal(status, 404)
  assert.equal(body.error, 'Brand not found')
})

test('errors include success: false', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'PATCH',
    url: `/v1/campaign/${newId('cmp', new Date())}`,
    failure: { success: false },
    scope: 'manage',
    takesBody: true,
  })
})
