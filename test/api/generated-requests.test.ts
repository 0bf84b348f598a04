// Thousands of requests generated from openapi.json: half valid, on existing records, and half random. The
// valid ones succeed, none may cause a server error, and each reply must have a declared shape (the harness
// checks it). A failure prints the seed that reproduces it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { customerRoutes, fillPath, type JsonSchema, type Route } from '../every-route.js'
import { addInventory } from '../fixtures.js'
import { type TestService, testService, thorough } from '../harness.js'
import {
  createRecords,
  pathOf,
  type RandomInput,
  type Records,
  type ValidRequest,
  validRequest,
} from './valid-requests.js'

const ROUNDS = thorough(2, 5)
const REQUESTS = 1_200 * ROUNDS

const random = fc.oneof(
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

// A path segment of only dots changes the path itself.
const idLike = fc.string({ minLength: 1 }).filter((text) => !/^\.+$/.test(text))

/** Mostly a value that fits the schema, sometimes not. */
function anyValue(schema: JsonSchema, known: readonly string[]): fc.Arbitrary<unknown> {
  const valid = validValue(schema, known)
  return fc.oneof({ arbitrary: valid, weight: 5 }, { arbitrary: random, weight: 1 })
}

function validValue(schema: JsonSchema, known: readonly string[]): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((branch) => validValue(branch, known)))
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

function randomRequest(route: Route, known: readonly string[]) {
  const query = route.parameters.filter((parameter) => parameter.in === 'query')
  return fc.record({
    fill: fc.oneof(
      fc.constant('existing' as const),
      fc.constant('unknown' as const),
      fc.oneof(fc.constantFrom(...known), idLike).map((text) => ({ text })),
    ),
    query: fc.record(
      Object.fromEntries(query.map(({ name, schema }) => [name, anyValue(schema, known)])),
      { requiredKeys: [] },
    ),
    body: route.body ? anyValue(route.body, known) : fc.constant(undefined),
  })
}

const valid: fc.Arbitrary<RandomInput> = fc.record({
  text: fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => `Hi ${text}`.slice(0, 60)),
  bits: fc.nat(),
})

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : (JSON.stringify(value) ?? '')
}

async function send(
  service: TestService,
  route: Route,
  { path, query, body }: Omit<ValidRequest, 'body'> & { body: unknown },
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

test(`${REQUESTS} generated requests cause no server error`, async (t) => {
  const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31)
  t.diagnostic(`seed ${seed}: repeat it by TEST_SEED=${seed}`)
  const service = await testService(t, { balance: '100000', roles: ['voice'] })
  await addInventory(service, ['+14152999999'])
  const records = await createRecords(service)
  // Random requests must not move the clock. The stream never ends.
  const routes = customerRoutes(service).filter(
    ({ path }) => !path.startsWith('/sandbox/clock') && !path.endsWith('/stream'),
  )
  const successes = new Map(routes.map((route) => [route, 0]))
  const counts = new Map(routes.map((route) => [route, 0]))
  let refused = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    // Random requests may break their records, so they get separate ones in every round.
    const targets = await createRecords(service)
    const known = [
      ...Object.values(targets),
      '+14155550107',
      'https://example.com/x',
      '2027-01-01T00:00:00Z',
    ]
    const requests = fc.sample(
      fc.constantFrom(...routes).chain((route) =>
        fc.record({
          route: fc.constant(route),
          input: valid,
          random: randomRequest(route, known),
        }),
      ),
      { seed: seed + round, numRuns: REQUESTS / 2 / ROUNDS },
    )
    for (const { route, input, random } of requests) {
      const good = await send(service, route, await validRequest(service, route, records, input))
      assert.equal(good.status, 200, `seed ${seed}: a valid request is refused: ${good.what}`)
      const { status } = await send(service, route, {
        ...random,
        path: pathFor(route, targets, random.fill),
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

function pathFor(
  route: Route,
  targets: Records,
  fill: 'existing' | 'unknown' | { text: string },
): string {
  if (fill === 'existing') return pathOf(route, targets)
  if (fill === 'unknown') return fillPath(route)
  return fillPath(route, encodeURIComponent(fill.text.toWellFormed()))
}
