// The advice shown while writing a text: one line, the most important one, with the service's numbers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  adviceOf,
  countCharacters,
  describeFill,
  describeSize,
  drawSegments,
  isBlank,
  type Preview,
  removeCharacters,
} from './text-meter'

const plain: Preview = {
  type: 'SMS',
  body: 'Hello',
  encoding: 'GSM-7',
  numSegments: 1,
  parts: 1,
  price: 0.0079,
  fill: { units: 5, perSegment: 160, inLast: 5 },
  folded: [],
  unicodeCharacters: [],
  withoutUnicode: null,
}
const party: Preview = {
  ...plain,
  encoding: 'UCS-2',
  numSegments: 2,
  price: 0.0158,
  fill: { units: 111, perSegment: 70, inLast: 41 },
  unicodeCharacters: ['🎉'],
  withoutUnicode: { numSegments: 1, price: 0.0079 },
}

test('segments and price are written as billed', () => {
  assert.equal(describeSize(plain), '1 segment · GSM-7 · $0.0079')
  assert.equal(describeSize(party), '2 segments · UCS-2 · $0.0158')
  assert.equal(describeSize({ ...plain, type: 'MMS', price: 0.02 }), 'MMS · $0.02')
  assert.equal(describeFill(plain), '5 of 160')
  assert.equal(describeFill(party), '41 of 70 in the last segment')
})

test('ten segments are drawn, and the rest is a number', () => {
  assert.deepEqual(drawSegments(party), { fills: [1, 41 / 70], more: 0 })
  const emoji = { ...party, numSegments: 43 }
  assert.deepEqual(drawSegments(emoji), { fills: Array(10).fill(1), more: 33 })
})

test('the advice covers the worst problem: length, then cost, then simplified characters', () => {
  const folded = [{ from: '’', to: "'", count: 2 }]
  assert.equal(
    adviceOf({ body: 'x'.repeat(1512), preview: party })?.text,
    '1,512 characters (limit 1,500). Remove 12.',
  )
  const advice = adviceOf({ body: 'Hello 🎉', preview: party })
  assert.equal(advice?.text, '🎉 makes this 2 segments instead of 1. Without it: $0.0079.')
  assert.deepEqual(advice?.removes, { characters: ['🎉'], label: 'Remove 🎉' })
  assert.equal(
    adviceOf({ body: 'x’y’', preview: { ...plain, folded }, needsOptout: true })?.text,
    "2 characters simplified to keep 160 per segment: ’ → '",
  )
  assert.equal(
    adviceOf({ body: 'Hello', preview: plain, needsOptout: true })?.text,
    'Reviewers look for “Reply STOP” in the first message.',
  )
  assert.equal(adviceOf({ body: 'Reply STOP', preview: plain, needsOptout: true }), null)
  assert.equal(adviceOf({ body: 'Hello', preview: plain }), null)
  assert.equal(adviceOf({ body: ' ', preview: party }), null)
})

test('the advice never suggests removing the whole text or an alphabet', () => {
  const emoji = { ...party, numSegments: 43 }
  const all = adviceOf({ body: '🎉'.repeat(1500), preview: emoji })
  assert.equal(all?.text, 'Most carriers split a text this long into several messages.')
  const letters = [...'Приветмр']
  const russian = { ...party, unicodeCharacters: letters }
  assert.equal(adviceOf({ body: 'Привет, мир', preview: russian })?.removes, undefined)
  const harmless = { ...party, numSegments: 1, withoutUnicode: { numSegments: 1, price: 0.0079 } }
  const calm = adviceOf({ body: 'Hi 🎉', preview: harmless })
  assert.deepEqual([calm?.isWarning, calm?.removes?.label], [false, 'Remove 🎉'])
})

test('characters are counted as the service does and removed as people see them', () => {
  assert.equal(countCharacters('🎉a'), 2)
  const family = '👨\u200d👩'
  assert.equal(removeCharacters(`a${family}b👨c`, ['👨']), `a${family}bc`)
  assert.ok(isBlank(' \u200b\n'))
  assert.ok(!isBlank('.'))
})
