// Everything a client can send has a limit declared in openapi.json: every string, list, and map in bodies,
// queries, and paths. This bounds the time it takes to validate a request.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textLengthMax } from '../../src/kit/contract/body-size.js'
import { allRoutes, type JsonSchema } from '../every-route.js'
import { testService } from '../harness.js'

/** The fields without a limit. */
function unbounded(schema: JsonSchema, place: string): string[] {
  const found: string[] = []
  const types = [schema.type ?? []].flat()
  const isOneOf = schema.enum !== undefined || schema.const !== undefined
  if (types.length === 0 && !isOneOf && !schema.anyOf) found.push(`${place} may be anything`)
  if (types.includes('string') && !isOneOf && !Number.isFinite(textLengthMax(schema))) {
    found.push(`${place} is a text of any length`)
  }
  if (types.includes('array') && schema.maxItems === undefined) found.push(`${place} is any list`)
  if (types.includes('object') && !schema.properties && schema.maxProperties === undefined) {
    found.push(`${place} is any map`)
  }
  const inner = Object.entries(schema.properties ?? {})
  return [
    ...found,
    ...inner.flatMap(([name, field]) => unbounded(field, `${place}.${name}`)),
    ...(schema.anyOf ?? []).flatMap((branch) => unbounded(branch, place)),
    ...(schema.items ? unbounded(schema.items, `${place}[]`) : []),
    ...(typeof schema.additionalProperties === 'object'
      ? unbounded(schema.additionalProperties, `${place}.*`)
      : []),
  ]
}

test('every string, list, and map in a request has a declared limit', async (t) => {
  const service = await testService(t)
  const routes = allRoutes(service)
  assert.ok(routes.length >= 90, `${routes.length} routes`)
  const found = routes.flatMap(({ method, path, parameters, body }) => [
    ...parameters.flatMap((one) => unbounded(one.schema, `${method} ${path} ${one.name}`)),
    ...(body ? unbounded(body, `${method} ${path}`) : []),
  ])
  assert.deepEqual(found, [])
})

test('every list limits skip to 10,000 records and can continue after any record', async (t) => {
  const service = await testService(t)
  const lists = allRoutes(service).filter(({ parameters }) =>
    parameters.some(({ name }) => name === 'skip'),
  )
  assert.ok(lists.length >= 17, `${lists.length} lists`)
  for (const { path, parameters } of lists) {
    const skip = parameters.find(({ name }) => name === 'skip')!
    assert.equal(skip.schema.maximum, 10_000, path)
    assert.ok(
      parameters.some(({ name }) => name === 'after'),
      path,
    )
  }
  const { status, body } = await service.get('/v1/number/list?skip=10001')
  const problem =
    'must be at most 10000: for more, use after with the last record of the previous page'
  assert.deepEqual(
    [status, body.error, body.details],
    [400, `skip ${problem}`, [{ field: 'skip', problem }]],
  )
})
