// GET /v1/brand/list: pages of submitted brands, newest first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BRAND_BODY_EXAMPLE } from '../../src/brands/brand-examples.js'
import { type TestService, testService } from '../harness.js'
import { decideOnBrand } from './campaign-bodies.js'
import { assertFailureShapes } from './failure-shapes.js'

async function createBrands(service: TestService, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i += 1) {
    const { body } = await service.post('/v1/brand/create', BRAND_BODY_EXAMPLE)
    ids.unshift(body.brand.id)
  }
  return ids
}

async function list(
  service: TestService,
  query = '',
): Promise<{ ids: string[]; hasMore: boolean }> {
  const { status, body } = await service.get(`/v1/brand/list${query}`)
  assert.equal(status, 200)
  return { ids: body.brands.map(({ id }: { id: string }) => id), hasMore: body.hasMore }
}

test('an account without brands gets an empty list', async (t) => {
  const service = await testService(t)
  const { status, body } = await service.get('/v1/brand/list')
  assert.equal(status, 200)
  assert.deepEqual(body, { brands: [], hasMore: false })
})

test('brands are listed newest first, ten at a time', async (t) => {
  const service = await testService(t)
  const ids = await createBrands(service, 12)
  assert.deepEqual(await list(service), { ids: ids.slice(0, 10), hasMore: true })
  assert.deepEqual(await list(service, '?skip=10'), { ids: ids.slice(10), hasMore: false })
  assert.deepEqual(await list(service, '?limit=3&skip=2'), { ids: ids.slice(2, 5), hasMore: true })
  assert.deepEqual(await list(service, '?limit=1000'), { ids, hasMore: false })
  assert.deepEqual(await list(service, '?skip=100'), { ids: [], hasMore: false })
  const after = `?limit=5&after=${ids[4]}`
  assert.deepEqual(await list(service, after), { ids: ids.slice(5, 10), hasMore: true })
})

test('the list returns complete brands', async (t) => {
  const service = await testService(t)
  const created = await service.post('/v1/brand/create', BRAND_BODY_EXAMPLE)
  const { body } = await service.get('/v1/brand/list')
  assert.deepEqual(body.brands, [created.body.brand])
})

test('drafts are listed only when requested', async (t) => {
  const service = await testService(t)
  const [pending] = await createBrands(service, 1)
  const draft = (await service.post('/v1/brand/draft', {})).body.brand.id
  assert.deepEqual((await list(service)).ids, [pending])
  assert.deepEqual((await list(service, '?status=DRAFT')).ids, [draft])
  assert.deepEqual((await list(service, '?status=PENDING')).ids, [pending])
  assert.deepEqual((await list(service, '?status=VETTED')).ids, [])
})

test('status ALL lists drafts with the other brands', async (t) => {
  const service = await testService(t)
  const [pending] = await createBrands(service, 1)
  const draft = (await service.post('/v1/brand/draft', {})).body.brand.id
  assert.deepEqual((await list(service, '?status=ALL')).ids, [draft, pending])
})

test('a search finds part of a name or EIN, ignoring case, page by page', async (t) => {
  const service = await testService(t)
  const create = async (fields: object): Promise<string> =>
    (await service.post('/v1/brand/create', { ...BRAND_BODY_EXAMPLE, ...fields })).body.brand.id
  const cafe = await create({ displayName: 'Blue Cup', entityName: 'North Roasters LLC' })
  const shop = await create({ displayName: 'Shop 100%', entityName: 'Shop Inc', ein: '98-7654321' })
  const blank = (await service.post('/v1/brand/draft', {})).body.brand.id
  const search = (text: string, more = '') =>
    list(service, `?search=${encodeURIComponent(text)}${more}`)
  assert.deepEqual(await search('BLUE'), { ids: [cafe], hasMore: false })
  assert.deepEqual(await search(' north '), { ids: [cafe], hasMore: false })
  assert.deepEqual(await search('765'), { ids: [shop], hasMore: false })
  assert.deepEqual(await search(shop), { ids: [shop], hasMore: false })
  assert.deepEqual(await search('%'), { ids: [shop], hasMore: false })
  assert.deepEqual(await search('_'), { ids: [], hasMore: false })
  assert.deepEqual(await search(' ', '&status=ALL'), { ids: [blank, shop, cafe], hasMore: false })
  assert.deepEqual(await search('shop', '&status=VETTED'), { ids: [], hasMore: false })
  assert.deepEqual(await search('o', '&limit=1'), { ids: [shop], hasMore: true })
  assert.deepEqual(await search('o', `&limit=1&after=${shop}`), { ids: [cafe], hasMore: false })
})

test('a search does not find brands of another account', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const { body } = await service.post('/v1/brand/create', BRAND_BODY_EXAMPLE, other)
  assert.deepEqual((await list(service, `?search=${body.brand.id}`)).ids, [])
})

test('a refused brand stays in the list with the reviewer’s notes', async (t) => {
  const service = await testService(t)
  const [id] = await createBrands(service, 1)
  const notes = [{ field: 'ein', note: 'The tax records show another name.' }]
  await decideOnBrand(service, id!, { kind: 'refuse', notes })
  for (const query of ['', '?status=UNVERIFIED']) {
    const { body } = await service.get(`/v1/brand/list${query}`)
    assert.deepEqual([body.brands[0].id, body.brands[0].reviewNotes], [id, notes])
  }
})

test('an account sees only its own brands', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  await service.post('/v1/brand/create', BRAND_BODY_EXAMPLE, other)
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
    ['limit=1.5', limit],
    ['limit=', limit],
    ['skip=-1', skip],
    ['skip=x', skip],
    ['after=brd_1', 'after must be the ID of the last record of the previous page'],
    ['status=OPEN', 'status must be one of DRAFT, PENDING, VERIFIED, UNVERIFIED, VETTED, ALL'],
    [`search=${'x'.repeat(101)}`, 'search must be at most 100 characters'],
  ]
  for (const [query, error] of cases) {
    const { status, body } = await service.get(`/v1/brand/list?${query}`)
    assert.equal(status, 400, query)
    assert.equal(body.error, error)
    assert.deepEqual(body.brands, [])
  }
})

test('errors include an empty list', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'GET',
    url: '/v1/brand/list',
    failure: { brands: [] },
    scope: 'read',
  })
})
