// What the check for unknown fields finds, and what it leaves unchanged.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { knownFields, readKnownFields, unknownText } from './known-fields.js'

const Entry = Type.Object({ body: Type.String(), note: Type.Optional(Type.String()) })

const fields = knownFields(
  Type.Object({
    body: Type.String(),
    from: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'] })),
    kind: Type.Optional(Type.Enum(['A', 'B'])),
    choice: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    anything: Type.Optional(Type.Unknown()),
    metadata: Type.Optional(
      Type.Unsafe<object>({ type: 'object', additionalProperties: { type: 'string' } }),
    ),
    part: Type.Optional(Type.Object({ total: Type.Integer(), name: Type.Optional(Type.String()) })),
    notes: Type.Optional(Type.Array(Entry)),
    messages: Type.Optional(
      Type.Array(Type.Unsafe<object>({ type: 'object', 'x-fields': Entry }), { minItems: 1 }),
    ),
  }),
)!

const textsOf = (data: unknown) => readKnownFields(fields, data)?.map(unknownText) ?? null

test('known fields get no warning', () => {
  assert.equal(textsOf({ body: 'a', metadata: { free: 'b' }, part: { total: 1 } }), null)
  assert.equal(textsOf({}), null)
  const others = [undefined, null, 'text', 7, [], [{ x: 1 }], Buffer.from('a file')]
  for (const data of others) assert.equal(textsOf(data), null)
})

test('an unknown name gets the closest name, or the list of accepted names', () => {
  assert.deepEqual(textsOf({ bdy: 1 }), ['bdy is not a field of this request: did you mean body?'])
  assert.deepEqual(textsOf({ part: { zzz: 1 } }), [
    'part.zzz is not a field of this request: accepted names: total, name',
  ])
  const many = knownFields(
    Type.Object(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`, Type.Any()]))),
  )!
  const [only] = readKnownFields(many, { unheardOf: 1 }, 'parameter')!
  assert.equal(
    unknownText(only!),
    'unheardOf is not a parameter of this request: accepted names: f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, …',
  )
  const [none] = readKnownFields(new Map(), { x: 1 })!
  assert.equal(unknownText(none!), 'x is not a field of this request: none are accepted')
})

test('names inside lists are reported with their position, even if the entries are checked elsewhere', () => {
  assert.deepEqual(
    textsOf({ notes: [{ body: 'a' }, { boddy: 'b' }], messages: [7, null, { notes: 'c' }] }),
    [
      'notes[1].boddy is not a field of this request: did you mean body?',
      'messages[2].notes is not a field of this request: did you mean note?',
    ],
  )
})

test('at most ten are reported, with names of at most 60 characters', () => {
  const data = Object.fromEntries(
    Array.from({ length: 1000 }, (_, i) => [`${'q'.repeat(500)}${i}`, 1]),
  )
  const texts = textsOf(data)!
  assert.equal(texts.length, 10)
  assert.ok(texts[0]!.startsWith(`${'q'.repeat(60)}… is not a field`))
})

test('null for an optional field is removed, at every depth', () => {
  const data = {
    body: 'a',
    from: null,
    kind: null,
    metadata: null,
    part: { total: 1, name: null },
    notes: [{ body: 'b', note: null }],
    messages: [{ body: 'c', note: null }],
  }
  readKnownFields(fields, data)
  assert.deepEqual(data, {
    body: 'a',
    part: { total: 1 },
    notes: [{ body: 'b' }],
    messages: [{ body: 'c' }],
  })
})

test('null stays if it is a value, if the field is required, and inside free maps', () => {
  const data = { body: null, limit: null, choice: null, anything: null, metadata: { a: null } }
  readKnownFields(fields, data)
  assert.deepEqual(data, {
    body: null,
    limit: null,
    choice: null,
    anything: null,
    metadata: { a: null },
  })
})

test('names of the prototype are reported like other unknown names', () => {
  const data = JSON.parse('{"__proto__": 1, "constructor": 2, "toString": 3}')
  assert.equal(textsOf(data)?.length, 3)
})
