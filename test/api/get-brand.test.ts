// GET /v1/brand/{id}: one brand, or null with an error.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BRAND_BODY_EXAMPLE } from '../../src/brands/brand-examples.js'
import { decideBrand } from '../../src/brands/decide-brand.js'
import { newId } from '../../src/kit/ids.js'
import { testService } from '../harness.js'
import { assertFailureShapes } from './failure-shapes.js'

const MISSING = { brand: null, error: 'Brand not found', code: 'brand_missing' }

test('a brand is returned as it was created', async (t) => {
  const service = await testService(t)
  const created = await service.post('/v1/brand/create', BRAND_BODY_EXAMPLE)
  const { status, body } = await service.get(`/v1/brand/${created.body.brand.id}`)
  assert.equal(status, 200)
  assert.deepEqual(body, { brand: created.body.brand })
})

test('a vetted brand shows its trust score, and other brands have none', async (t) => {
  const service = await testService(t)
  const { accountId, world } = service
  const { id } = (await service.post('/v1/brand/create', BRAND_BODY_EXAMPLE)).body.brand
  const decide = (decision: Parameters<typeof decideBrand>[3]) =>
    world.db.transaction((tx) => decideBrand(tx, accountId, id, decision, world.clock.now()))
  await decide({ kind: 'verify' })
  const verified = (await service.get(`/v1/brand/${id}`)).body.brand
  assert.equal(verified.status, 'VERIFIED')
  assert.equal(verified.vetted, false)
  assert.equal('trustScore' in verified, false)

  await decide({ kind: 'vet', trustScore: 0 })
  const vetted = (await service.get(`/v1/brand/${id}`)).body.brand
  assert.equal(vetted.status, 'VETTED')
  assert.equal(vetted.vetted, true)
  assert.equal(vetted.trustScore, 0)
})

test('an unknown or malformed id, or another account’s brand, returns not found', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const foreign = await service.post('/v1/brand/create', BRAND_BODY_EXAMPLE, other)
  const ids = [
    foreign.body.brand.id,
    newId('brd', new Date()),
    newId('cmp', new Date()),
    'nonsense',
    '%00',
    '%F0%9F%98%80',
    "'%20or%20true",
    'x'.repeat(400),
  ]
  for (const id of ids) {
    const { status, body } = await service.get(`/v1/brand/${id}`)
    assert.equal(status, 404, id)
    assert.deepEqual(body, MISSING, id)
  }
})

test('errors include brand: null', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'GET',
    url: `/v1/brand/${newId('brd', new Date())}`,
    failure: { brand: null },
    scope: 'read',
  })
})
