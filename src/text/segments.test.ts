// Segments and parts at their boundaries, and parts that join to the original text.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { GSM7_CHARACTERS, septetsOf } from './gsm7.js'
import {
  fillOf,
  measureText,
  prepareText,
  splitParts,
  ucs2Culprits,
  withoutCharacters,
} from './segments.js'

const gsm7Text = fc.string({
  unit: fc.constantFrom(...GSM7_CHARACTERS),
  maxLength: 700,
  size: 'max',
})
const anyText = fc.oneof(
  gsm7Text,
  fc.string({
    unit: fc.constantFrom('a', '€', 'ж', '😀', '\u200d', 'é'),
    maxLength: 400,
    size: 'max',
  }),
  fc.string({ unit: 'binary', maxLength: 400, size: 'max' }),
)

test('segments are flat, and parts leave space for their header', () => {
  for (const [text, encoding, units, segments, parts] of [
    ['', 'GSM-7', 0, 1, 1],
    ['a'.repeat(160), 'GSM-7', 160, 1, 1],
    ['a'.repeat(161), 'GSM-7', 161, 2, 2],
    ['a'.repeat(306), 'GSM-7', 306, 2, 2],
    ['a'.repeat(307), 'GSM-7', 307, 2, 3],
    ['a'.repeat(320), 'GSM-7', 320, 2, 3],
    ['a'.repeat(321), 'GSM-7', 321, 3, 3],
    ['a'.repeat(1500), 'GSM-7', 1500, 10, 10],
    ['€'.repeat(80), 'GSM-7', 160, 1, 1],
    ['€'.repeat(81), 'GSM-7', 162, 2, 2],
    [']'.repeat(153), 'GSM-7', 306, 2, 3],
    ['\r\n'.repeat(80), 'GSM-7', 160, 1, 1],
    ['ж'.repeat(70), 'UCS-2', 70, 1, 1],
    ['ж'.repeat(71), 'UCS-2', 71, 2, 2],
    ['ж'.repeat(135), 'UCS-2', 135, 2, 3],
    ['😀'.repeat(35), 'UCS-2', 70, 1, 1],
    ['😀'.repeat(67), 'UCS-2', 134, 2, 3],
    ['ж€', 'UCS-2', 2, 1, 1],
  ] as const) {
    const expected = { encoding, units, segments, parts }
    assert.deepEqual(measureText(text), expected, `${text.slice(0, 3)} × ${text.length}`)
    assert.deepEqual(measureText(text, 'parts'), { ...expected, segments: parts })
  }
})

test('characters that fold to several are counted as sent and never cost more', () => {
  for (const [text, encoding, segments] of [
    ['™', 'GSM-7', 1],
    [`${'a'.repeat(156)}™`, 'GSM-7', 1],
    [`${'a'.repeat(157)}™`, 'GSM-7', 2],
    ['™'.repeat(40), 'GSM-7', 1],
    ['™'.repeat(41), 'UCS-2', 1],
    ['½'.repeat(70), 'UCS-2', 1],
    ['✓'.repeat(160), 'GSM-7', 1],
    ['™'.repeat(1500), 'UCS-2', 22],
  ] as const) {
    const given = prepareText(text)
    assert.deepEqual([given.encoding, given.segments], [encoding, segments], text.slice(-3))
  }
  assert.equal(prepareText('™'.repeat(41)).text, '™'.repeat(41))
})

test('parts join to the text, fit, and split no pair', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { encoding, parts: count } = measureText(text)
      const parts = splitParts(text)
      assert.equal(parts.join(''), text)
      assert.equal(parts.length, count)
      for (const part of parts) {
        const max = parts.length === 1 ? [160, 70] : [153, 67]
        if (encoding === 'GSM-7') assert.ok(septetsOf(part)! <= max[0]!)
        else assert.ok(part.length <= max[1]!)
        assert.equal(part.isWellFormed(), true)
      }
    }),
    { numRuns: 500 },
  )
})

test('preparing is folding and measuring in one step', () => {
  assert.deepEqual(prepareText(`“${'a'.repeat(158)}”`), {
    text: `"${'a'.repeat(158)}"`,
    encoding: 'GSM-7',
    segments: 1,
    parts: 1,
    folded: [
      { from: '“', to: '"', count: 1 },
      { from: '”', to: '"', count: 1 },
    ],
  })
  const long = `${'a'.repeat(310)} e\u0301 ½ ｛`
  for (const counting of ['flat160', 'parts'] as const) {
    const { text, folded, ...measure } = prepareText(long, counting)
    const { units, ...expected } = measureText(`${'a'.repeat(310)} é 1/2 {`, counting)
    assert.equal(units, 319)
    assert.deepEqual(measure, expected)
    assert.equal(folded.length, 3)
    assert.ok(text.endsWith(' é 1/2 {'))
  }
})

test('a text that stays UCS-2 is sent as written', () => {
  const text = '“Hi” 😀'
  assert.deepEqual(prepareText(text), {
    text,
    encoding: 'UCS-2',
    segments: 1,
    parts: 1,
    folded: [],
  })
})

test('half a surrogate pair and a NUL never reach the database', () => {
  assert.equal(prepareText('a\ud83d 😀').text, 'a\ufffd 😀')
  assert.equal(prepareText('a\0b').text, 'ab')
  assert.equal(prepareText('a\0b😀').text, 'ab😀')
})

test('preparing measures what it returns, and preparing twice changes nothing', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { text: result, folded, ...measure } = prepareText(text, 'parts')
      const { units: _, ...expected } = measureText(result, 'parts')
      assert.deepEqual(measure, expected)
      assert.deepEqual(prepareText(result, 'parts'), { text: result, ...measure, folded: [] })
      if (folded.length > 0) assert.equal(measure.encoding, 'GSM-7')
    }),
    { numRuns: 500 },
  )
})

test('the culprits are the visible characters that cannot be folded', () => {
  assert.deepEqual(ucs2Culprits('“quotes” and [brackets]'), [])
  assert.deepEqual(ucs2Culprits('“ça” 👨‍👩‍👧 ça va a\u0302 😀'), ['ç', '👨‍👩‍👧', 'a\u0302', '😀'])
})

test('each culprit is listed once, in text order, and nothing else is', () => {
  const bad = ['ç', '😀', '👩🏽‍🚀', '🇺🇸', 'ж', 'a\u0302', '°']
  const good = ['“', '…', 'é', 'e\u0301', 'plain', '€', '\u200b', '\r\n']
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...bad, ...good)), (words) => {
      const expected = new Set(words.filter((word) => bad.includes(word)))
      assert.deepEqual(ucs2Culprits(words.join(' ')), [...expected])
    }),
  )
})

test('segment usage is reported for both ways of counting', () => {
  assert.deepEqual(fillOf(''), { units: 0, perSegment: 160, inLast: 0 })
  assert.deepEqual(fillOf('x'.repeat(160)), { units: 160, perSegment: 160, inLast: 160 })
  assert.deepEqual(fillOf('x'.repeat(161)), { units: 161, perSegment: 160, inLast: 1 })
  assert.deepEqual(fillOf('x'.repeat(161), 'parts'), { units: 161, perSegment: 153, inLast: 8 })
  assert.deepEqual(fillOf(`${'x'.repeat(152)}€${'x'.repeat(10)}`, 'parts'), {
    units: 164,
    perSegment: 153,
    inLast: 12,
  })
  // A pair of surrogates is not split: each part holds 66 units.
  assert.deepEqual(fillOf('\u{1f389}'.repeat(1500), 'parts'), {
    units: 3000,
    perSegment: 67,
    inLast: 30,
  })
  assert.deepEqual(fillOf('\u{1f389}'.repeat(1500)), { units: 3000, perSegment: 70, inLast: 60 })
})

test('visible characters are removed as a whole', () => {
  const family = '\u{1f468}\u200d\u{1f469}'
  assert.equal(withoutCharacters(`a${family}b\u{1f468}c`, ['\u{1f468}']), `a${family}bc`)
  assert.equal(withoutCharacters('Жaжa', ['Ж', 'ж']), 'aa')
})
