// POST /v1/brand/create: the fields of the contract, the order of checks, and the reply.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BRAND_BODY_EXAMPLE } from '../../src/brands/brand-examples.js'
import { testService } from '../harness.js'
import { assertFailureShapes } from './failure-shapes.js'

const { website, ...REST } = BRAND_BODY_EXAMPLE
const FULL = BRAND_BODY_EXAMPLE

function without(...names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(FULL).filter(([name]) => !names.includes(name)))
}

test('a created brand is PENDING, and the reply has every field of the contract', async (t) => {
  const service = await testService(t)
  const { status, body } = await service.post('/v1/brand/create', FULL)
  assert.equal(status, 200)
  const { id, createdAt } = body.brand
  assert.match(id, /^brd_[0-9a-z]{26}$/)
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(body, {
    success: true,
    brand: {
      id,
      createdAt,
      updatedAt: createdAt,
      status: 'PENDING',
      entityType: 'PRIVATE_PROFIT',
      vetted: false,
      displayName: 'Acme Coffee',
      entityName: 'Acme Coffee LLC',
      ein: '12-3456789',
      website,
      'the service': website,
      privacyLink: 'https://acme.example/privacy',
      address: {
        street: '1 Market Street',
        city: 'San Francisco',
        state: 'CA',
        postalCode: '94105',
        country: 'US',
      },
      contact: {
        firstName: 'Ana',
        lastName: 'Ortiz',
        phone: '+14155550123',
        email: 'ana@acme.example',
      },
      reviewNotes: [],
    },
  })
  assert.deepEqual((await service.get(`/v1/brand/${id}`)).body, { brand: body.brand })
})

test('the web address is read from either field name, and `website` takes precedence', async (t) => {
  const service = await testService(t)
  const read = async (names: Record<string, unknown>) => {
    const { body } = await service.post('/v1/brand/create', { ...REST, ...names })
    return [body.brand?.website, body.brand?.['the service']]
  }
  const [a, b] = ['https://a.example', 'http://b.example/x?y=1']
  assert.deepEqual(await read({ website: a }), [a, a])
  assert.deepEqual(await read({ 'the service': b }), [b, b])
  assert.deepEqual(await read({ website: a, 'the service': b }), [a, a])
  assert.deepEqual(await read({ website: '', 'the service': b }), [b, b])
  assert.deepEqual(await read({ website: null, 'the service': b }), [b, b])
})

test('optional fields may be absent, null, or empty, and the display name defaults to the legal name', async (t) => {
  const service = await testService(t)
  const empty = { displayName: ' ', privacyLink: '' }
  const nulls = { displayName: null, privacyLink: null }
  for (const given of [{}, empty, nulls]) {
    const input = { ...without('displayName', 'privacyLink'), ...given }
    const { body } = await service.post('/v1/brand/create', input)
    assert.equal(body.success, true)
    assert.equal(body.brand.displayName, 'Acme Coffee LLC')
    assert.equal('privacyLink' in body.brand, false)
  }
})

test('text is trimmed, the EIN gets its dash, and country and state become codes', async (t) => {
  const service = await testService(t)
  const given = { entityName: ' Acme LLC ', ein: '987654321', country: 'us', state: 'new york' }
  const { body } = await service.post('/v1/brand/create', { ...FULL, ...given })
  assert.equal(body.brand.entityName, 'Acme LLC')
  assert.equal(body.brand.ein, '98-7654321')
  assert.equal(body.brand.address.country, 'US')
  assert.equal(body.brand.address.state, 'NY')
})

test('unknown fields are ignored', async (t) => {
  const service = await testService(t)
  const given = { ...FULL, status: 'VETTED', trustScore: 100, id: 'mine', colour: 'red' }
  const { body } = await service.post('/v1/brand/create', given)
  assert.equal(body.brand.status, 'PENDING')
  assert.equal('trustScore' in body.brand, false)
  assert.equal('colour' in body.brand, false)
})

test('a missing EIN is reported with the text of the contract', async (t) => {
  const service = await testService(t)
  for (const ein of [undefined, null, '', '  ']) {
    const { status, body } = await service.post('/v1/brand/create', { ...FULL, ein })
    assert.equal(status, 400)
    assert.deepEqual(body, {
      success: false,
      error: 'EIN is required for brand',
      code: 'field_invalid',
      details: [{ field: 'ein', problem: 'is required' }],
    })
  }
})

test('every other required field is reported as missing if it is absent, null, or blank', async (t) => {
  const service = await testService(t)
  const names = Object.keys(FULL).filter(
    (name) => !['displayName', 'privacyLink', 'ein'].includes(name),
  )
  assert.equal(names.length, 12)
  for (const name of names) {
    for (const value of [undefined, null, ' ']) {
      const { status, body } = await service.post('/v1/brand/create', { ...FULL, [name]: value })
      assert.equal(status, 400)
      assert.equal(body.error, `${name} is required`)
      assert.deepEqual(body.details, [{ field: name, problem: 'is required' }])
    }
  }
})

test('several missing fields are reported in the order of the contract', async (t) => {
  const service = await testService(t)
  const { body } = await service.post('/v1/brand/create', {})
  assert.equal(body.error, 'entityType is required')
  assert.deepEqual(
    body.details.map(({ field }: { field: string }) => field),
    Object.keys(without('displayName', 'privacyLink')),
  )
  const late = await service.post('/v1/brand/create', without('phone', 'ein', 'street'))
  assert.equal(late.body.error, 'EIN is required for brand')
})

const REFUSED: [Record<string, unknown>, string][] = [
  [{ entityType: 'NON_PROFIT' }, 'entityType NON_PROFIT is not accepted. Use PRIVATE_PROFIT'],
  [{ entityType: 'GUILD' }, 'entityType must be PRIVATE_PROFIT, the only type that is accepted'],
  [{ entityName: 7 }, 'entityName must be a string'],
  [{ entityName: 'x'.repeat(256) }, 'entityName must be at most 255 characters'],
  [{ displayName: ['Acme'] }, 'displayName must be a string or null'],
  [{ ein: 123456789 }, 'ein must be a string of nine digits such as 12-3456789'],
  [{ ein: '1234-56789' }, 'ein must be a string of nine digits such as 12-3456789'],
  [{ ein: '12345678' }, 'ein must be a string of nine digits such as 12-3456789'],
  [
    { website: 'www.acme.example' },
    'website must be a web address such as https://www.example.com',
  ],
  [
    { website: 'ftp://acme.example' },
    'website must be a web address such as https://www.example.com',
  ],
  [{ website: 'https://' }, 'website must be a web address such as https://www.example.com'],
  [{ website: 'https://a b.c' }, 'website must be a web address such as https://www.example.com'],
  [
    { website: 'https://a.b:99999' },
    'website must be a web address such as https://www.example.com',
  ],
  [{ privacyLink: 'none' }, 'privacyLink must be a web address such as https://www.example.com'],
  [{ state: 'ZZ' }, 'state must be a US state such as CA'],
  [{ postalCode: '9410' }, 'postalCode must be a string of five digits such as 94105'],
  [{ postalCode: '94105-1234' }, 'postalCode must be a string of five digits such as 94105'],
  [{ postalCode: 94105 }, 'postalCode must be a string of five digits such as 94105'],
  [{ country: 'USA' }, 'country must be a two-letter country code such as US'],
  [{ country: 'U1' }, 'country must be a two-letter country code such as US'],
  [{ email: 'ana' }, 'email must be an email address such as ana@example.com'],
  [{ email: 'ana@acme' }, 'email must be an email address such as ana@example.com'],
  [{ email: 'a na@acme.example' }, 'email must be an email address such as ana@example.com'],
  [
    { phone: '4155550123' },
    'phone must be a phone number in E.164 format, for example +14155550123',
  ],
  [
    { phone: '+1 415 555 0123' },
    'phone must be a phone number in E.164 format, for example +14155550123',
  ],
  [{ city: 'San\u0000Jose' }, 'city must not contain the character NUL'],
]

test('malformed fields are refused by name, and nothing is stored', async (t) => {
  const service = await testService(t)
  for (const [given, error] of REFUSED) {
    const { status, body } = await service.post('/v1/brand/create', { ...FULL, ...given })
    assert.equal(status, 400, error)
    assert.equal(body.error, error)
    assert.equal(body.success, false)
    assert.equal(body.details[0].field, Object.keys(given)[0])
  }
  assert.deepEqual((await service.get('/v1/brand/list')).body, { brands: [], hasMore: false })
})

test('a field as long as the largest request body is refused like any other', async (t) => {
  const service = await testService(t)
  const long = 'a.'.repeat(15_000)
  for (const [name, value] of Object.entries({
    email: `a@${long}@`,
    website: `https://${long} `,
    ein: ' '.repeat(30_000),
  })) {
    const { status, body } = await service.post('/v1/brand/create', { ...FULL, [name]: value })
    assert.equal(status, 400)
    assert.equal(body.details[0].field, name)
  }
})

test('an Idempotency-Key creates one brand', async (t) => {
  const service = await testService(t)
  const headers = { 'idempotency-key': 'brand-1' }
  const first = await service.post('/v1/brand/create', FULL, { headers })
  const second = await service.post('/v1/brand/create', FULL, { headers })
  assert.deepEqual(second.body, first.body)
  assert.equal(second.headers['idempotent-replayed'], 'true')
  assert.equal((await service.get('/v1/brand/list')).body.brands.length, 1)
})

test('errors before the brand is validated include success: false', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'POST',
    url: '/v1/brand/create',
    failure: { success: false },
    scope: 'manage',
    takesBody: true,
  })
})
