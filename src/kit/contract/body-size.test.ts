// The maximum size of a body, computed from its schema.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyBytesMax, bytesText, textLengthMax } from './body-size.js'

test('a text is limited by its maximum length or by its pattern', () => {
  const bounds: [object, number][] = [
    [{ maxLength: 7 }, 7],
    [{ pattern: '^\\+1[0-9]{10}$' }, 12],
    [{ pattern: '^[+ ]?1[0-9]{10}$' }, 12],
    [{ pattern: '^cmp_[0-9a-hjkmnp-tv-z]{26}$' }, 30],
    [{ pattern: '^a{2,3}$' }, 3],
    [{ pattern: '\\S' }, Number.POSITIVE_INFINITY],
    [{ pattern: '^a+$' }, Number.POSITIVE_INFINITY],
    [{ pattern: '^a{2,}$' }, Number.POSITIVE_INFINITY],
    [{}, Number.POSITIVE_INFINITY],
  ]
  for (const [schema, length] of bounds) assert.equal(textLengthMax(schema), length)
})

test('every body that the schema allows fits, and an unlimited schema has no limit', () => {
  const text = { type: 'string', maxLength: 5000 }
  const map = { type: 'object', maxProperties: 50, propertyNames: { maxLength: 64 } }
  const schema = {
    type: 'object',
    properties: {
      text,
      list: { type: 'array', items: text, maxItems: 10 },
      map: { ...map, additionalProperties: text },
      either: { anyOf: [{ type: 'null' }, text] },
    },
  }
  const long = '😀'.repeat(5000)
  const keys = Array.from({ length: 50 }, (_, i) => [`${i}`.padEnd(64), long])
  const body = {
    text: long,
    list: Array(10).fill(long),
    map: Object.fromEntries(keys),
    either: long,
  }
  assert.ok(Buffer.byteLength(JSON.stringify(body)) <= bodyBytesMax(schema))
  for (const endless of [
    { type: 'string' },
    { type: 'array', items: text },
    { type: 'array', maxItems: 3 },
    map,
    { ...map, additionalProperties: { type: 'string' } },
    {},
  ]) {
    assert.equal(
      bodyBytesMax({ type: 'object', properties: { endless } }),
      Number.POSITIVE_INFINITY,
    )
  }
})

test('a limit is shown in the largest unit that fits', () => {
  assert.equal(bytesText(16_384), '16 KiB')
  assert.equal(bytesText(1_048_576), '1 MiB')
})
