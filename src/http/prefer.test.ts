// The valid forms of the Prefer header, and what must not be read as `handling=strict`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prefersStrict } from './prefer.js'

const STRICT = [
  'handling=strict',
  'Handling=Strict',
  'handling = strict',
  'handling="strict"',
  'respond-async, handling=strict',
  'respond-async,wait=10 ,\thandling=strict',
  'handling=strict; foo=bar',
  'foo; a="b, c"; d, handling=strict',
  'foo="a \\" , b", handling=strict',
  ',, handling=strict',
  'handling=strict, handling=lenient',
]

const NOT_STRICT = [
  '',
  ' ',
  ',',
  'handling',
  'handling=',
  'handling=""',
  'handling=lenient',
  'handling=lenient, handling=strict',
  'handling=strictly',
  'handling=strict er',
  'xhandling=strict',
  'foo; handling=strict',
  'foo="a, handling=strict"',
  'foo="a, handling=strict',
  'strict',
  'return=minimal',
  '=strict',
]

test('handling=strict is recognized in every form that the standard allows', () => {
  for (const header of STRICT) assert.equal(prefersStrict(header), true, header)
  assert.equal(prefersStrict(['respond-async', 'handling=strict']), true)
})

test('nothing else is read as handling=strict', () => {
  for (const header of NOT_STRICT) assert.equal(prefersStrict(header), false, header)
  assert.equal(prefersStrict(undefined), false)
})
