// Responses of providers: a field has the expected type or is missing, whatever was sent, and the networks and line
// types that providers name.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PhoneFacts } from '../../messages/carrier-port.js'
import { factsOf, listAt, objectAt, parseJson, textAt } from './read-answer.js'

test('JSON is read, and anything else is missing', () => {
  const read = (text: string) => parseJson(Buffer.from(text))
  assert.deepEqual(read('{"a":[1]}'), { a: [1] })
  assert.equal(read('null'), null)
  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
  for (const text of ['', '<html>', '{"a":', deep]) assert.equal(read(text), undefined)
})

const ANSWER = { a: { b: [{ c: 'x' }], n: 7, e: '', t: true, z: null }, l: [1, 2] }

test('a field is found by its path, with the expected type', () => {
  assert.equal(textAt(ANSWER, 'a', 'b', 0, 'c'), 'x')
  assert.equal(textAt(ANSWER, 'a', 'n'), '7')
  assert.equal(textAt('x'), 'x')
  assert.deepEqual(objectAt(ANSWER, 'a', 'b', 0), { c: 'x' })
  assert.deepEqual(listAt(ANSWER, 'l'), [1, 2])
})

test('a field of another type, or that only a prototype has, is missing', () => {
  for (const path of [
    ['a', 'e'],
    ['a', 't'],
    ['a', 'z'],
    ['a'],
    ['l'],
    ['x'],
    ['x', 'y'],
    ['a', 'b', 1, 'c'],
    ['a', 'n', 'x'],
    ['a', 'constructor', 'name'],
  ])
    assert.equal(textAt(ANSWER, ...path), null, path.join())
  for (const path of [['l'], ['a', 'n'], ['a', 'z'], ['x'], ['a', 'constructor']])
    assert.deepEqual(objectAt(ANSWER, ...path), {}, path.join())
  for (const path of [['a'], ['a', 'n'], ['a', 'z'], ['x'], ['a', 'b', 0]])
    assert.deepEqual(listAt(ANSWER, ...path), [], path.join())
  for (const nothing of [null, undefined, 7, 'text', true]) {
    assert.equal(textAt(nothing, 'a'), null)
    assert.deepEqual(objectAt(nothing, 'a'), {})
    assert.deepEqual(listAt(nothing, 'a'), [])
  }
})

/** The carrier and line type as providers write them. */
const FACTS: readonly (readonly [string | null, string | null, PhoneFacts])[] = [
  ...['AT&T Mobility LLC', 'AT & T', 'att AT&T', 'New Cingular Wireless'].map(
    (name) => [name, 'mobile', { network: 'att' }] as const,
  ),
  ...['T-MOBILE USA, INC.', 'T Mobile', 'tmobile', 'Metro PCS', 'MetroPCS', 'Sprint Spectrum'].map(
    (name) => [name, null, { network: 'tmo' }] as const,
  ),
  ...['Verizon Wireless', 'VERIZON'].map((name) => [name, '', { network: 'vzw' }] as const),
  ...['US Cellular', 'Sprinter', 'Verizons', 'CAT&TV', ''].map(
    (name) => [name, 'mobile', { network: null }] as const,
  ),
  ...['Wireline', 'landline', 'FIXED', 'fixed line', 'fixed-line', 'fixed_line', 'fixedline'].map(
    (type) => ['AT&T', type, { isLandline: true }] as const,
  ),
  ...['fixed line or mobile', 'fixedVoip', 'nonFixedVoip', 'Wireless', 'landline2'].map(
    (type) => ['AT&T', type, { network: 'att' }] as const,
  ),
  [null, null, {}],
  [null, 'mobile', {}],
  [null, 'landline', { isLandline: true }],
]

test('networks are recognized by brand, and landlines by whole words', () => {
  for (const [carrier, lineType, facts] of FACTS) {
    assert.deepEqual(factsOf(carrier, lineType), facts, `${carrier} ${lineType}`)
  }
})
