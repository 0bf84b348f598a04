// Limits on JSON before it is parsed: depth, fields, and values.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findBoundProblem } from './json-bounds.js'

const nest = (depth: number, inner: string) => '['.repeat(depth) + inner + ']'.repeat(depth)
const list = (count: number, item: string) => `[${Array(count).fill(item).join(',')}]`
const fieldsOf = (count: number) =>
  `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join(',')}}`

test('a body may be nested 32 levels deep, in any combination', () => {
  assert.equal(findBoundProblem(nest(32, '1')), null)
  assert.equal(findBoundProblem(nest(33, '1')), 'json_too_deep')
  assert.equal(findBoundProblem(`${'{"a":'.repeat(32)}1${'}'.repeat(32)}`), null)
  assert.equal(findBoundProblem(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`), 'json_too_deep')
  assert.equal(findBoundProblem('['.repeat(1_000_000)), 'json_too_deep')
})

test('adjacent brackets and brackets in texts do not count as depth', () => {
  assert.equal(findBoundProblem(list(1000, '[]')), null)
  assert.equal(findBoundProblem(list(1000, '{"a":[1]}')), null)
  for (const text of ['['.repeat(100), '\\"['.repeat(100), '\\\\', 'a\\\\\\"[', ',']) {
    assert.equal(findBoundProblem(`{"a":${list(40, `"${text}"`)},"b":[["${text}"]]}`), null, text)
    assert.equal(findBoundProblem(`["${text}",${nest(32, '1')}]`), 'json_too_deep', text)
  }
})

test('a body may have as many values as the largest batch, and an object a thousand fields', () => {
  assert.equal(findBoundProblem(list(70_000, '1')), null)
  assert.equal(findBoundProblem(list(70_001, '1')), 'json_too_wide')
  assert.equal(findBoundProblem(list(70_001, '{}')), 'json_too_wide')
  assert.equal(findBoundProblem(list(30, fieldsOf(1000))), null)
  assert.equal(findBoundProblem(list(40, fieldsOf(1001))), 'json_too_wide')
  const commas = JSON.stringify(','.repeat(500_000))
  assert.equal(findBoundProblem(`{"body":${commas}}`), null)
})

test('invalid JSON is left to the parser, which reports it', () => {
  for (const text of ['', '"', '"\\', ']]]]', ']'.repeat(50), '{"a":"b']) {
    assert.equal(findBoundProblem(text), null, text)
    assert.equal(findBoundProblem(text + ' '.repeat(200_000)), null, text)
  }
})
