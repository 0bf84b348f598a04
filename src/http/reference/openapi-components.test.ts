// Shared components in openapi.json: one name means one thing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Components } from './openapi-components.js'

const NAMED = { title: 'Thing', type: 'object', properties: { a: { type: 'string' } } }

test('a named schema is written once and referenced, and names are sorted', () => {
  const components = new Components()
  assert.deepEqual(components.schema({ type: 'array', items: NAMED }), {
    type: 'array',
    items: { $ref: '#/components/schemas/Thing' },
  })
  components.schema({ title: 'Another', type: 'string' })
  const { title: _, ...thing } = NAMED
  const { schemas } = components.all() as { schemas: object }
  assert.deepEqual(Object.entries(schemas), [
    ['Another', { type: 'string' }],
    ['Thing', thing],
  ])
})

test('two different schemas with one name stop the generation', () => {
  const components = new Components()
  components.schema(NAMED)
  const other = { ...NAMED, properties: { a: { type: 'number' } } }
  assert.throws(
    () => components.schema(other),
    /two different schemas are named Thing: \{.* and \{/,
  )
  const failure = components.response('Failure400', { description: 'x' })
  assert.deepEqual(failure, { $ref: '#/components/responses/Failure400' })
  assert.deepEqual(components.schema(NAMED), { $ref: '#/components/schemas/Thing' })
  assert.throws(() => components.response('Failure400', { description: 'y' }), /named Failure400/)
  const parameter = (type: string) =>
    components.parameter({ name: 'Prefer', schema: { 'x-parameter': 'Prefer', type } })
  assert.deepEqual(parameter('string'), { $ref: '#/components/parameters/Prefer' })
  assert.deepEqual(parameter('string'), parameter('string'))
  assert.throws(() => parameter('number'), /named Prefer/)
})

test('descriptions of a schema may differ by place, and its examples may come later', () => {
  const components = new Components()
  components.schema({ ...NAMED, description: 'One' })
  assert.deepEqual(components.schema({ ...NAMED, description: 'Other' }), {
    $ref: '#/components/schemas/Thing',
    description: 'Other',
  })
  components.schema({ ...NAMED, description: 'One', examples: [{ a: 'first' }] })
  components.schema({ ...NAMED, description: 'One', examples: [{ a: 'second' }] })
  const { Thing } = components.all().schemas as { Thing: object }
  assert.deepEqual(Thing, {
    type: 'object',
    properties: { a: { type: 'string' } },
    description: 'One',
    examples: [{ a: 'first' }],
  })
})

test('internal keywords are removed, values stay unchanged, and records and text enums get a type', () => {
  const components = new Components()
  const schema = {
    type: 'object',
    'x-missing': 'a is required',
    properties: {
      title: { type: 'string', 'x-also': ['name'], default: { title: 'x' } },
      kind: { enum: ['a', 'b'] },
      mixed: { enum: ['a', null] },
      map: { type: 'object', patternProperties: { '^.*$': { type: 'string' } } },
      fixed: { const: { 'x-text': 1 } },
    },
    anyOf: [{ 'x-text': 'y', type: 'object' }, 7],
  }
  assert.deepEqual(components.schema(schema), {
    type: 'object',
    properties: {
      title: { type: 'string', default: { title: 'x' } },
      kind: { enum: ['a', 'b'], type: 'string' },
      mixed: { enum: ['a', null] },
      map: { type: 'object', additionalProperties: { type: 'string' } },
      fixed: { const: { 'x-text': 1 } },
    },
    anyOf: [{ type: 'object' }, 7],
  })
})
