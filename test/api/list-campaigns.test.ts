// GET /v1/campaign/list: pages of submitted campaigns, newest first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Json, type TestService, testService } from '../harness.js'
import {
  CAMPAIGN_BODY,
  decideOnBrand,
  decideOnCampaign,
  newActiveCampaign,
  newBrand,
  newCampaign,
} from './campaign-bodies.js'
import { assertFailureShapes } from './failure-shapes.js'

async function list(
  service: TestService,
  query = '',
): Promise<{ ids: string[]; hasMore: boolean }> {
  const { status, body } = await service.get(`/v1/campaign/list${query}`)
  assert.equal(status, 200)
  return { ids: body.campaigns.map(({ id }: { id: string }) => id), hasMore: body.hasMore }
}

test('an account without campaigns gets an empty list', async (t) => {
  const service = await testService(t)
  const { status, body } = await service.get('/v1/campaign/list')
  assert.equal(status, 200)
  assert.deepEqual(body, { campaigns: [], hasMore: false })
})

test('campaigns are listed newest first, ten at a time', async (t) => {
  const service = await testService(t, { balance: '1000' })
  const brandId = await newBrand(service)
  const ids: string[] = []
  for (let i = 0; i < 12; i += 1) {
    ids.unshift((await newCampaign(service, { brandId })).id as string)
  }
  assert.deepEqual(await list(service), { ids: ids.slice(0, 10), hasMore: true })
  assert.deepEqual(await list(service, '?skip=10'), { ids: ids.slice(10), hasMore: false })
  assert.deepEqual(await list(service, '?limit=3&skip=2'), { ids: ids.slice(2, 5), hasMore: true })
  assert.deepEqual(await list(service, '?limit=1000'), { ids, hasMore: false })
  const after = `?limit=5&after=${ids[4]}`
  assert.deepEqual(await list(service, after), { ids: ids.slice(5, 10), hasMore: true })
})

test('the list returns complete campaigns', async (t) => {
  const service = await testService(t)
  const campaign = await newCampaign(service)
  assert.deepEqual((await service.get('/v1/campaign/list')).body.campaigns, [campaign])
})

test('drafts are listed only when requested', async (t) => {
  const service = await testService(t)
  const pending = await newCampaign(service)
  const active = await newActiveCampaign(service)
  const { brandId } = pending
  const draft = (await service.post('/v1/campaign/draft', { brandId })).body.campaign.id
  assert.deepEqual((await list(service)).ids, [active, pending.id])
  assert.deepEqual((await list(service, '?status=DRAFT')).ids, [draft])
  assert.deepEqual((await list(service, '?status=ACTIVE')).ids, [active])
  assert.deepEqual((await list(service, '?status=SUSPENDED')).ids, [])
})

test('status ALL lists drafts with the other campaigns', async (t) => {
  const service = await testService(t)
  const { id, brandId } = await newCampaign(service)
  const draft = (await service.post('/v1/campaign/draft', { brandId })).body.campaign.id
  assert.deepEqual((await list(service, '?status=ALL')).ids, [draft, id])
})

test('a search finds part of a name or of the brand’s name, page by page', async (t) => {
  const service = await testService(t, { balance: '1000' })
  const acme = await newBrand(service, { displayName: 'Acme Coffee' })
  const blue = await newBrand(service, { displayName: 'Blue Books' })
  const create = async (brandId: string, displayName: string): Promise<string> =>
    (await newCampaign(service, { brandId, displayName })).id as string
  const offers = await create(acme, 'Weekly offers')
  const alerts = await create(acme, 'Alerts')
  const books = await create(blue, 'Offers for readers')
  const search = (text: string, more = '') =>
    list(service, `?search=${encodeURIComponent(text)}${more}`)
  assert.deepEqual(await search('OFFERS'), { ids: [books, offers], hasMore: false })
  assert.deepEqual(await search('acme'), { ids: [alerts, offers], hasMore: false })
  assert.deepEqual(await search(alerts), { ids: [alerts], hasMore: false })
  assert.deepEqual(await search('offers', '&status=ACTIVE'), { ids: [], hasMore: false })
  assert.deepEqual(await search('offers', '&limit=1'), { ids: [books], hasMore: true })
  const after = `&limit=1&after=${books}`
  assert.deepEqual(await search('offers', after), { ids: [offers], hasMore: false })
  assert.deepEqual((await list(service, `?brand=${blue}`)).ids, [books])
  assert.deepEqual(await search('offers', `&brand=${acme}`), { ids: [offers], hasMore: false })
})

test('a returned campaign is listed among the drafts with the reviewer’s notes', async (t) => {
  const service = await testService(t)
  const campaign = await newCampaign(service)
  await decideOnBrand(service, campaign.brandId as string, { kind: 'verify' })
  const notes = [{ field: 'sample1', note: 'Name the brand.' }]
  await decideOnCampaign(service, campaign.id as string, { kind: 'return', notes })
  assert.deepEqual((await list(service)).ids, [])
  const { body } = await service.get('/v1/campaign/list?status=DRAFT')
  assert.deepEqual(
    body.campaigns.map(({ id, status, reviewNotes }: Json) => ({ id, status, reviewNotes })),
    [{ id: campaign.id, status: 'DRAFT', reviewNotes: notes }],
  )
})

test('an account sees only its own campaigns', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const brandId = await newBrand(service, {}, other)
  await service.post('/v1/campaign/create', { ...CAMPAIGN_BODY, brandId }, other)
  assert.deepEqual((await list(service)).ids, [])
})

test('an invalid page is refused, and the error shows the allowed range', async (t) => {
  const service = await testService(t)
  const limit = 'limit must be a whole number from 1 to 1000'
  const skip = 'skip must be a whole number, 0 or more'
  const cases: [string, string][] = [
    ['limit=0', limit],
    ['limit=-1', limit],
    ['limit=1001', limit],
    ['limit=abc', limit],
    ['skip=-1', skip],
    ['after=x', 'after must be the ID of the last record of the previous page'],
    ['status=OPEN', 'status must be one of DRAFT, PENDING, ACTIVE, SUSPENDED, ENDED, ALL'],
    [`search=${'x'.repeat(101)}`, 'search must be at most 100 characters'],
  ]
  for (const [query, error] of cases) {
    const { status, body } = await service.get(`/v1/campaign/list?${query}`)
    assert.equal(status, 400, query)
    assert.equal(body.error, error)
    assert.deepEqual(body.campaigns, [])
  }
})

test('errors include an empty list', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'GET',
    url: '/v1/campaign/list',
    failure: { campaigns: [] },
    scope: 'read',
  })
})
