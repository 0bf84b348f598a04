// What validation finds, in which order, and how little of a bad list it reads.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { compileBodyCheck, compileTextCheck } from './validation.js'

const Order = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 10 }),
  colours: Type.Array(Type.Enum(['red', 'blue']), { maxItems: 4, uniqueItems: true }),
  notes: Type.Unsafe({
    type: 'object',
    maxProperties: 50,
    additionalProperties: { type: 'string', maxLength: 5 },
  }),
  address: Type.Object({ street: Type.String(), city: Type.String() }),
  lines: Type.Array(Type.Object({ item: Type.String(), count: Type.Integer() }), {
    maxItems: 100,
  }),
  due: Type.Optional(Type.String({ format: 'date-time' })),
})
const check = compileBodyCheck(Order)

const GOOD = {
  name: 'Ana',
  colours: ['red'],
  notes: {},
  address: { street: 'Main', city: 'Springfield' },
  lines: [{ item: 'cup', count: 1 }],
}

function fieldsOf(body: unknown): string[] {
  return check(body)?.details?.map(({ field, problem }) => `${field} ${problem}`) ?? []
}

/** How often an element of the list is read. */
function watched(list: unknown[]): { list: unknown[]; looks: () => number } {
  let looks = 0
  const proxy = new Proxy(list, {
    get: (target, key, receiver) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) looks += 1
      return Reflect.get(target, key, receiver)
    },
  })
  return { list: proxy, looks: () => looks }
}

test('every missing or invalid field is named once, in the order of the schema', () => {
  assert.equal(check(GOOD), null)
  assert.deepEqual(fieldsOf({}), [
    'name is required',
    'colours is required',
    'notes is required',
    'address is required',
    'lines is required',
  ])
  const refusal = check({ ...GOOD, due: 'soon', name: 5, address: { city: 7 } })
  assert.equal(refusal?.message, 'name must be a string')
  assert.deepEqual(refusal?.details, [
    { field: 'name', problem: 'must be a string' },
    { field: 'address.street', problem: 'is required' },
    { field: 'address.city', problem: 'must be a string' },
    { field: 'due', problem: 'must be a valid date-time' },
  ])
})

test('a length is refused before anything else is read', () => {
  const { list, looks } = watched(Array(100_000).fill(1))
  assert.deepEqual(fieldsOf({ ...GOOD, colours: list }), ['colours must have at most 4 entries'])
  assert.equal(looks(), 0)
  const notes = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i]))
  assert.deepEqual(fieldsOf({ ...GOOD, notes }), ['notes must have at most 50 entries'])
})

test('in a list or map with many problems, a few are named and the rest is not read', () => {
  const { list, looks } = watched(Array(100).fill({ item: 'cup', count: 'many' }))
  assert.deepEqual(
    fieldsOf({ ...GOOD, lines: list }),
    [0, 1, 2, 3, 4].map((i) => `lines[${i}].count must be a whole number`),
  )
  assert.ok(looks() < 20, `${looks()} looks`)
  const notes = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, i]))
  assert.deepEqual(
    fieldsOf({ ...GOOD, notes }),
    [0, 1, 2, 3, 4].map((i) => `notes.k${i} must be a string`),
  )
})

test('a repeated value is found in one pass', () => {
  assert.deepEqual(fieldsOf({ ...GOOD, colours: ['red', 'blue', 'red'] }), [
    'colours must not name the same value twice',
  ])
  const long = compileBodyCheck(
    Type.Object({ words: Type.Array(Type.String(), { uniqueItems: true }) }),
  )
  const words = Array.from({ length: 200_000 }, (_, i) => `w${i}`)
  assert.equal(long({ words }), null)
  assert.ok(long({ words: [...words, 'w7'] }))
})

test('a long name from the client is shortened', () => {
  const refusal = check({ ...GOOD, notes: { ['k'.repeat(5000)]: 1 } })
  assert.ok(refusal!.message.length < 200, refusal!.message)
  assert.ok(refusal!.details![0]!.field.endsWith('…'))
})

test('query values are read by their declared type, and every problem is named', () => {
  const read = compileTextCheck(
    Type.Object({ limit: Type.Integer({ minimum: 1 }), nearby: Type.Boolean() }),
  )
  const query = { limit: '5', nearby: 'true' }
  assert.equal(read(query), null)
  assert.deepEqual(query, { limit: 5, nearby: true })
  assert.deepEqual(
    read({ limit: 'x', nearby: 'y' })?.details?.map(({ field }) => field),
    ['limit', 'nearby'],
  )
})
