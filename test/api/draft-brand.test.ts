// POST /v1/brand/draft, PATCH /v1/brand/{id}, and POST /v1/brand/{id}/submit: extensions (not in the contract)
// for forms that are completed in several steps and for brands that were refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BRAND_BODY_EXAMPLE } from '../../src/brands/brand-examples.js'
import { decideBrand } from '../../src/brands/decide-brand.js'
import { newId } from '../../src/kit/ids.js'
import { type Reply, type TestService, testService } from '../harness.js'
import { assertFailureShapes } from './failure-shapes.js'

async function refuse(service: TestService, id: string): Promise<void> {
  const notes = [{ field: 'ein', note: 'Does not match the name.' }]
  const { accountId, world } = service
  await world.db.transaction((tx) =>
    decideBrand(tx, accountId, id, { kind: 'refuse', notes }, world.clock.now()),
  )
}

const patch = (service: TestService, id: string, body: unknown): Promise<Reply> =>
  service.call('PATCH', `/v1/brand/${id}`, body)

test('an empty draft is stored, with empty strings for missing fields', async (t) => {
  const service = await testService(t)
  const { status, body } = await service.post('/v1/brand/draft', { ein: '', city: null })
  assert.equal(status, 200)
  const { id, createdAt, ...brand } = body.brand
  assert.deepEqual(brand, {
    updatedAt: createdAt,
    status: 'DRAFT',
    entityType: 'PRIVATE_PROFIT',
    vetted: false,
    displayName: '',
    entityName: '',
    ein: '',
    website: '',
    'the service': '',
    address: { street: '', city: '', state: '', postalCode: '', country: '' },
    contact: { firstName: '', lastName: '', phone: '', email: '' },
    reviewNotes: [],
  })
})

test('a draft can be completed and submitted, and then no longer changed', async (t) => {
  const service = await testService(t)
  const { website, ein, ...rest } = BRAND_BODY_EXAMPLE
  const { id } = (await service.post('/v1/brand/draft', { ein: '98-7654321' })).body.brand
  const early = await service.post(`/v1/brand/${id}/submit`)
  assert.equal(early.status, 400)
  assert.equal(early.body.error, 'entityName is required')
  assert.equal(early.body.details.length, 11)

  await patch(service, id, { ...rest, 'the service': website })
  const submitted = await service.post(`/v1/brand/${id}/submit`)
  assert.equal(submitted.status, 200)
  assert.equal(submitted.body.brand.status, 'PENDING')
  assert.equal(submitted.body.brand.ein, '98-7654321')
  assert.equal(submitted.body.brand.website, website)

  const late = await patch(service, id, { ein })
  assert.equal(late.status, 409)
  assert.deepEqual(late.body, {
    success: false,
    error: 'The brand is PENDING. It can be changed only while it is DRAFT or UNVERIFIED',
    code: 'brand_state',
  })
  const twice = await service.post(`/v1/brand/${id}/submit`)
  assert.equal(twice.status, 409)
  assert.equal(twice.body.error, 'The brand is PENDING and cannot become PENDING')
})

test('a change leaves other fields alone, and null empties a field', async (t) => {
  const service = await testService(t)
  const { brand } = (await service.post('/v1/brand/draft', BRAND_BODY_EXAMPLE)).body
  const { status, body } = await patch(service, brand.id, { city: 'Oakland', privacyLink: null })
  assert.equal(status, 200)
  const { privacyLink, updatedAt, ...kept } = brand
  assert.deepEqual(body.brand, {
    ...kept,
    updatedAt: body.brand.updatedAt,
    address: { ...brand.address, city: 'Oakland' },
  })
  const emptied = await patch(service, brand.id, { ein: null })
  assert.equal(emptied.body.brand.ein, '')
  const refused = await service.post(`/v1/brand/${brand.id}/submit`)
  assert.equal(refused.body.error, 'EIN is required for brand')
})

test('a refused brand shows the reason, and can be corrected and resubmitted under the same id', async (t) => {
  const service = await testService(t)
  const { id } = (await service.post('/v1/brand/create', BRAND_BODY_EXAMPLE)).body.brand
  await refuse(service, id)
  const refused = (await service.get(`/v1/brand/${id}`)).body.brand
  assert.equal(refused.status, 'UNVERIFIED')
  assert.deepEqual(refused.reviewNotes, [{ field: 'ein', note: 'Does not match the name.' }])

  const corrected = await patch(service, id, { ein: '98-7654321' })
  assert.equal(corrected.body.brand.status, 'UNVERIFIED')
  const { body } = await service.post(`/v1/brand/${id}/submit`)
  assert.equal(body.brand.id, id)
  assert.equal(body.brand.status, 'PENDING')
  assert.deepEqual(body.brand.reviewNotes, [])
})

test('drafts and changes must have valid field formats', async (t) => {
  const service = await testService(t)
  const { id } = (await service.post('/v1/brand/draft', { country: 'US' })).body.brand
  const cases: [Record<string, unknown>, string][] = [
    [{ ein: '1' }, 'ein must be a string of nine digits such as 12-3456789'],
    [
      { entityType: 'SOLE_PROPRIETOR' },
      'entityType SOLE_PROPRIETOR is not accepted. Use PRIVATE_PROFIT',
    ],
    [{ 'the service': 'x' }, 'website must be a web address such as https://www.example.com'],
    [{ state: 'ZZ', country: 'US' }, 'state must be a US state such as CA'],
  ]
  for (const [given, error] of cases) {
    for (const reply of [
      await service.post('/v1/brand/draft', given),
      await patch(service, id, given),
    ]) {
      assert.equal(reply.status, 400)
      assert.equal(reply.body.error, error)
      assert.equal(reply.body.success, false)
    }
  }
})

test('another account’s brand can be neither changed nor submitted', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const { id } = (await service.post('/v1/brand/draft', BRAND_BODY_EXAMPLE, other)).body.brand
  for (const unknown of [id, newId('brd', new Date()), 'odd%00id']) {
    for (const reply of [
      await patch(service, unknown, { city: 'Oakland' }),
      await service.post(`/v1/brand/${unknown}/submit`),
    ]) {
      assert.equal(reply.status, 404)
      assert.deepEqual(reply.body, {
        success: false,
        error: 'Brand not found',
        code: 'brand_missing',
      })
    }
  }
  const own = await service.get(`/v1/brand/${id}`, { token: other.token })
  assert.equal(own.body.brand.address.city, 'San Francisco')
})

test('errors include success: false', async (t) => {
  const service = await testService(t)
  const common = { failure: { success: false }, scope: 'manage' as const }
  const url = `/v1/brand/${newId('brd', new Date())}`
  await assertFailureShapes(service, {
    ...common,
    method: 'POST',
    url: '/v1/brand/draft',
    takesBody: true,
  })
  await assertFailureShapes(service, { ...common, method: 'PATCH', url, takesBody: true })
  await assertFailureShapes(service, { ...common, method: 'POST', url: `${url}/submit` })
})
