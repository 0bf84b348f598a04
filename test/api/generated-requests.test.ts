// Ten thousand generated requests, made from openapi.json: half right, half wrong, all strange. None
// may end in a fault of ours, and each must be answered in a declared shape (the harness looks).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { customerRoutes, fillPath, type JsonSchema, type Route } from '../every-route.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { testService } from '../harness.js'

const REQUESTS = 10_000

const strange = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '\u200b',
    '💥',
    '+1',
    '-1',
    '1e999',
    'null',
    '{}',
    'x'.repeat(3000),
  ),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string(), { maxLength: 3 }),
  fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
)

// A lone dot or two is a path of its own, by the rules of addresses.
const idLike = fc.string({ minLength: 1 }).filter((text) => !/^\.+$/.test(text))

/** Mostly what the schema asks for, sometimes not. */
function anyValue(schema: JsonSchema, known: readonly string[]): fc.Arbitrary<unknown> {
  const right = rightValue(schema, known)
  return fc.oneof({ arbitrary: right, weight: 5 }, { arbitrary: strange, weight: 1 })
}

function rightValue(schema: JsonSchema, known: readonly string[]): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((branch) => rightValue(branch, known)))
  switch ([schema.type].flat()[0]) {
    case 'integer':
    case 'number':
      return fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.integer())
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(anyValue(schema.items ?? {}, known), { maxLength: 4 })
    case 'object':
      return objectOf(schema, known)
    default:
      return fc.oneof(fc.constantFrom(...known), fc.string({ unit: 'grapheme', maxLength: 60 }))
  }
}

function objectOf(schema: JsonSchema, known: readonly string[]): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0) return fc.dictionary(fc.string(), fc.string(), { maxKeys: 4 })
  return fc.record(
    Object.fromEntries(fields.map(([name, inner]) => [name, anyValue(inner, known)])),
    { requiredKeys: [] },
  )
}

function requestOf(route: Route, known: readonly string[]) {
  const query = route.parameters.filter((parameter) => parameter.in === 'query')
  return fc.record({
    route: fc.constant(route),
    fill: fc.oneof(fc.constant(undefined), fc.constantFrom(...known), idLike),
    query: fc.record(
      Object.fromEntries(query.map(({ name, schema }) => [name, anyValue(schema, known)])),
      { requiredKeys: [] },
    ),
    body: route.body ? anyValue(route.body, known) : fc.constant(undefined),
  })
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : (JSON.stringify(value) ?? '')
}

test(`${REQUESTS} generated requests bring about no fault`, async (t) => {
  const service = await testService(t, { balance: '1000' })
  const { brandId, campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const known = [
    brandId,
    campaignId,
    number,
    '+14155550107',
    'https://example.com/x',
    '2027-01-01T00:00:00Z',
  ]
  // The clock and the token that carries the test are not for the dice.
  const routes = customerRoutes(service).filter(
    ({ path }) => !path.startsWith('/sandbox/clock') && !path.endsWith('/stream'),
  )
  const requests = fc.sample(
    fc.constantFrom(...routes).chain((route) => requestOf(route, known)),
    REQUESTS,
  )
  const statuses = new Map<number, number>()
  for (const { route, fill, query, body } of requests) {
    const path = fillPath(
      route,
      fill === undefined ? fill : encodeURIComponent(fill.toWellFormed()),
    )
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, textOf(value)]),
    )
    const payload = body === undefined ? undefined : JSON.stringify(body)
    const headers = payload === undefined ? {} : { 'content-type': 'application/json' }
    const reply = await service.call(route.method, `${path}?${search}`, payload, { headers })
    assert.ok(
      reply.status < 500,
      `${route.method} ${path}?${search} ${payload} answered ${reply.status}`,
    )
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
  }
  assert.ok((statuses.get(200) ?? 0) > REQUESTS / 100, `some succeed: ${[...statuses].join(' ')}`)
  assert.ok(
    (statuses.get(400) ?? 0) > REQUESTS / 100,
    `some are refused: ${[...statuses].join(' ')}`,
  )
})
