// Unknown field and parameter names: every route warns about them, or refuses them if the client asks for that.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BRAND_BODY_EXAMPLE } from '../../src/brands/brand-examples.js'
import { customerRoutes, fillPath, operatorRoutes, type Route } from '../every-route.js'
import { addInventory } from '../fixtures.js'
import { sendingService, VZW } from '../sending.js'
import { CAMPAIGN_BODY, newBrand } from './campaign-bodies.js'
import { OPERATOR_TOKEN, type OperatedService, operatedService } from './operator-service.js'

const STRICT = { prefer: 'handling=strict' }

function allRoutes(service: OperatedService): (Route & { token: string })[] {
  return [
    ...customerRoutes(service).map((route) => ({ ...route, token: service.token })),
    ...operatorRoutes(service).map((route) => ({ ...route, token: OPERATOR_TOKEN })),
  ]
}

function withParameters(route: Route, more: string): string {
  const needed = route.parameters
    .filter(({ in: place, required }) => place === 'query' && required)
    .map(({ name }) => `${name}=x`)
  return `${fillPath(route)}?${[...needed, more].join('&')}`
}

test('with strict handling, every route refuses an unknown parameter', async (t) => {
  const service = await operatedService(t)
  for (const route of allRoutes(service)) {
    const where = `${route.method} ${route.path}`
    const body = route.body ? route.bodyExample : undefined
    const options = { token: route.token, headers: STRICT }
    const url = withParameters(route, 'zzqqzz=1')
    const reply = await service.call(route.method, url, body, options)
    assert.equal(reply.status, 400, where)
    assert.equal(reply.body.code, 'field_unknown', where)
    assert.equal(reply.headers['preference-applied'], 'handling=strict', where)
    assert.match(
      reply.body.error,
      /^zzqqzz is not a parameter of this request: (accepted names: |none are accepted)/,
      where,
    )
    assert.equal(reply.body.details[0].field, 'zzqqzz', where)
    for (const [field, value] of Object.entries(route.failure)) {
      assert.deepEqual(reply.body[field], value, `${where} lacks ${field}`)
    }
  }
})

test('with strict handling, every route refuses an unknown field and does nothing', async (t) => {
  const service = await operatedService(t)
  const before = await service.balance()
  // An upload is a file and has no fields.
  const hasFields = ({ method, path }: { method: string; path: string }) =>
    method !== 'GET' && path !== '/v1/media'
  for (const route of allRoutes(service).filter(hasFields)) {
    const where = `${route.method} ${route.path}`
    const options = { token: route.token, headers: STRICT }
    const body = { ...route.bodyExample, zzqqzz: 1 }
    const reply = await service.call(route.method, withParameters(route, ''), body, options)
    assert.equal(reply.status, 400, `${where}: ${JSON.stringify(reply.body)}`)
    assert.equal(reply.body.code, 'field_unknown', where)
    assert.match(
      reply.body.error,
      /^zzqqzz is not a field of this request: (accepted names: |none are accepted)/,
      where,
    )
  }
  assert.equal(await service.balance(), before)
})

test('by default, every route ignores unknown names and reports them, on errors too', async (t) => {
  const service = await operatedService(t)
  const statuses = new Set<number>()
  // The stream never ends.
  for (const route of allRoutes(service).filter(({ path }) => !path.endsWith('/stream'))) {
    const where = `${route.method} ${route.path}`
    const body = route.body ? { ...route.bodyExample, zzqqzz: 1 } : undefined
    const plainUrl = withParameters(route, '')
    const { token } = route
    const odd = await service.call(route.method, `${plainUrl}&yyqqyy=1`, body, { token })
    statuses.add(odd.status)
    if (odd.status !== 200) {
      const bare = route.body ? route.bodyExample : undefined
      const plain = await service.call(route.method, plainUrl, bare, { token })
      assert.equal(odd.status, plain.status, where)
      assert.equal(plain.body.warnings, undefined, where)
    }
    assert.ok(odd.body.warnings, `${where} ${odd.status}`)
    const texts = odd.body.warnings.map((one: string | { field: string }) =>
      typeof one === 'string' ? one.split(' ', 1)[0] : one.field,
    )
    const wanted = body ? ['yyqqyy', 'zzqqzz'] : ['yyqqyy']
    assert.deepEqual(texts.slice(-wanted.length), wanted, where)
  }
  assert.ok(statuses.has(200) && statuses.has(400) && statuses.has(404), String([...statuses]))
})

test('a failed send also reports its unknown fields', async (t) => {
  const { trySend } = await sendingService(t)
  const reply = await trySend({ sendAt: '2030-01-01T00:00:00Z', to: 'x' })
  assert.equal(reply.status, 400)
  assert.equal(reply.body.code, 'field_invalid')
  assert.deepEqual(reply.body.warnings, [
    'sendAt is not a field of this request: did you mean scheduledAt?',
  ])
})

test('a message with sendAt is sent immediately, with a warning that suggests scheduledAt', async (t) => {
  const { trySend, message } = await sendingService(t)
  const reply = await trySend({ sendAt: '2030-01-01T00:00:00Z' })
  assert.deepEqual(reply.body, {
    success: true,
    id: reply.body.id,
    warnings: ['sendAt is not a field of this request: did you mean scheduledAt?'],
  })
  assert.equal((await message(reply.body.id)).scheduledAt, null)
  const strict = await trySend({ send_at: '2030-01-01T00:00:00Z', media: [] }, { headers: STRICT })
  assert.deepEqual(strict.body, {
    success: false,
    error: 'send_at is not a field of this request: did you mean scheduledAt?',
    code: 'field_unknown',
    details: [
      { field: 'send_at', problem: 'is not a field of this request: did you mean scheduledAt?' },
      { field: 'media', problem: 'is not a field of this request: did you mean mediaUrls?' },
    ],
  })
})

test('a replayed reply has the same warnings as the first one', async (t) => {
  const { service, trySend } = await sendingService(t)
  const key = { headers: { 'idempotency-key': 'k1' } }
  const first = await trySend({ text: 'x' }, key)
  const again = await trySend({ text: 'x' }, key)
  assert.deepEqual(again.body, first.body)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.deepEqual(again.body.warnings, ['text is not a field of this request: did you mean body?'])

  const brand = { ...BRAND_BODY_EXAMPLE, zip: '94105' }
  const other = { headers: { 'idempotency-key': 'k2' } }
  const created = await service.post('/v1/brand/create', brand, other)
  assert.deepEqual((await service.post('/v1/brand/create', brand, other)).body, created.body)
  assert.deepEqual(created.body.warnings, [
    'zip is not a field of this request: did you mean postalCode?',
  ])
})

test('area_code, enable, and other common mistakes get a suggestion for the right name', async (t) => {
  const { service, campaignId } = await sendingService(t)
  await addInventory(service, ['+12012004000'])
  const search = await service.get('/v1/number/search?area_code=303&limit=1')
  assert.equal(search.status, 200)
  assert.deepEqual(search.body.warnings, [
    'area_code is not a parameter of this request: did you mean areaCode?',
  ])
  const { body: made } = await service.post(`/v1/campaign/${campaignId}/webhooks`, {
    url: 'http://127.0.0.1:9/',
    eventTypes: ['message.status'],
  })
  const off = await service.call('PATCH', `/v1/webhook/${made.webhook.id}`, { enable: false })
  assert.equal(off.body.webhook.enabled, true)
  assert.deepEqual(off.body.warnings, [
    'enable is not a field of this request: did you mean enabled?',
  ])
  const list = await service.get(`/v1/message/list?campaign=${campaignId}&offset=3&page_size=5`)
  assert.deepEqual(list.body.warnings, [
    'offset is not a parameter of this request: did you mean skip?',
    'page_size is not a parameter of this request: did you mean limit?',
  ])
  assert.equal((await service.get('/v1/brand/list?limit=1')).body.warnings, undefined)
})

test('unknown fields inside the entries of a batch are reported with their position', async (t) => {
  const { service, campaignId } = await sendingService(t)
  const entry = { campaign: campaignId, to: VZW, body: 'Hello' }
  const messages = [entry, { ...entry, sendAt: 'x' }, { ...entry, from: null, metadata: null }]
  const reply = await service.post('/v1/message/batch', { messages, dryRun: true })
  assert.deepEqual(
    reply.body.results.map((result: { success: boolean }) => result.success),
    [true, true, true],
  )
  assert.deepEqual(reply.body.warnings, [
    'messages[1].sendAt is not a field of this request: did you mean scheduledAt?',
    'dryRun is not a field of this request: accepted names: messages',
  ])
  const strict = await service.post('/v1/message/batch', { messages }, { headers: STRICT })
  assert.equal(strict.status, 400)
  assert.equal(strict.body.details[0].field, 'messages[1].sendAt')
  const odd = Array.from({ length: 500 }, () => ({ ...entry, zz: 1 }))
  const many = await service.post('/v1/message/batch', { messages: odd }, { headers: STRICT })
  assert.equal(many.body.details.length, 10)
})

test('POST /v1/campaign/check reports unknown fields in the form of its other warnings', async (t) => {
  const { service } = await sendingService(t)
  const brandId = await newBrand(service)
  const body = { ...CAMPAIGN_BODY, brandId, screenshot: 'https://acme.example/a.png' }
  const reply = await service.post('/v1/campaign/check', body)
  assert.deepEqual(reply.body.warnings.at(-1), {
    field: 'screenshot',
    problem: 'is not a field of this request',
    remedy: 'Did you mean screenshotUrl?',
  })
  const { usecase: _, ...rest } = CAMPAIGN_BODY
  for (const field of ['usecases', 'type', 'category', 'use_case']) {
    const odd = { ...rest, brandId, [field]: 'MARKETING' }
    const { error, warnings } = (await service.post('/v1/campaign/check', odd)).body
    assert.equal(error, 'usecase is required')
    assert.deepEqual(warnings, [`${field} is not a field of this request: did you mean usecase?`])
  }
})

test('prototype names and very long names get a warning only', async (t) => {
  const { trySend } = await sendingService(t)
  const { body } = await trySend({ constructor: 1, toString: 2, ['n'.repeat(400)]: 3 })
  assert.equal(body.success, true)
  assert.equal(body.warnings.length, 3)
  assert.ok(body.warnings[2].startsWith(`${'n'.repeat(60)}… is not`))
})
