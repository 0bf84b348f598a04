// Thousands of generated requests, made from openapi.json: half right, on records that are alive, and
// half strange. The right ones succeed, none may end in a fault of ours, and each must be answered in a
// declared shape (the harness looks). A failure names the seed that brings it about again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { customerRoutes, fillPath, type JsonSchema, type Route } from '../every-route.js'
import { addInventory } from '../fixtures.js'
import { type TestService, testService, thorough } from '../harness.js'
import {
  type Dice,
  type Living,
  livingRecords,
  pathOf,
  type RightRequest,
  rightRequest,
} from './valid-requests.js'

const ROUNDS = thorough(2, 5)
const REQUESTS = 1_200 * ROUNDS

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

function strangeRequest(route: Route, known: readonly string[]) {
  const query = route.parameters.filter((parameter) => parameter.in === 'query')
  return fc.record({
    fill: fc.oneof(
      fc.constant('living' as const),
      fc.constant('nobody' as const),
      fc.oneof(fc.constantFrom(...known), idLike).map((text) => ({ text })),
    ),
    query: fc.record(
      Object.fromEntries(query.map(({ name, schema }) => [name, anyValue(schema, known)])),
      { requiredKeys: [] },
    ),
    body: route.body ? anyValue(route.body, known) : fc.constant(undefined),
  })
}

const right: fc.Arbitrary<Dice> = fc.record({
  text: fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => `Hi ${text}`.slice(0, 60)),
  bits: fc.nat(),
})

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : (JSON.stringify(value) ?? '')
}

async function send(
  service: TestService,
  route: Route,
  { path, query, body }: Omit<RightRequest, 'body'> & { body: unknown },
): Promise<{ status: number; what: string }> {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, textOf(value)]),
  )
  const payload = body === undefined ? undefined : JSON.stringify(body)
  const headers = payload === undefined ? {} : { 'content-type': 'application/json' }
  const reply = await service.call(route.method, `${path}?${search}`, payload, { headers })
  const what = `${route.method} ${path}?${search} ${payload} answered ${reply.status}`
  assert.ok(reply.status < 500, what)
  return { status: reply.status, what: `${what} ${JSON.stringify(reply.body)}` }
}

test(`${REQUESTS} generated requests bring about no fault`, async (t) => {
  const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31)
  t.diagnostic(`seed ${seed}: repeat it by TEST_SEED=${seed}`)
  const service = await testService(t, { balance: '100000', roles: ['voice'] })
  await addInventory(service, ['+14152999999'])
  const living = await livingRecords(service)
  // The clock and the token that carries the test are not for the dice.
  const routes = customerRoutes(service).filter(
    ({ path }) => !path.startsWith('/sandbox/clock') && !path.endsWith('/stream'),
  )
  const successes = new Map(routes.map((route) => [route, 0]))
  const counts = new Map(routes.map((route) => [route, 0]))
  let refused = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    // What the dice may break is not what the right requests are about, and is made anew.
    const prey = await livingRecords(service)
    const known = [
      ...Object.values(prey),
      '+14155550107',
      'https://example.com/x',
      '2027-01-01T00:00:00Z',
    ]
    const requests = fc.sample(
      fc.constantFrom(...routes).chain((route) =>
        fc.record({
          route: fc.constant(route),
          dice: right,
          strange: strangeRequest(route, known),
        }),
      ),
      { seed: seed + round, numRuns: REQUESTS / 2 / ROUNDS },
    )
    for (const { route, dice, strange } of requests) {
      const good = await send(service, route, await rightRequest(service, route, living, dice))
      assert.equal(good.status, 200, `seed ${seed}: a right request is refused: ${good.what}`)
      const { status } = await send(service, route, {
        ...strange,
        path: pathFor(route, prey, strange.fill),
      })
      const succeeded = status === 200 ? 2 : 1
      successes.set(route, successes.get(route)! + succeeded)
      counts.set(route, counts.get(route)! + 2)
      if (status >= 400) refused += 1
    }
  }
  for (const route of routes) {
    const [success, count] = [successes.get(route)!, counts.get(route)!]
    t.diagnostic(`${route.method} ${route.path}: ${success} of ${count} succeeded`)
    assert.ok(success > 0, `seed ${seed}: ${route.method} ${route.path} never succeeded`)
  }
  assert.ok(refused > REQUESTS / 10, `seed ${seed}: ${refused} are refused`)
})

function pathFor(route: Route, prey: Living, fill: 'living' | 'nobody' | { text: string }): string {
  if (fill === 'living') return pathOf(route, prey)
  if (fill === 'nobody') return fillPath(route)
  return fillPath(route, encodeURIComponent(fill.text.toWellFormed()))
}
