// What is replaced, what never is, and that replacement is all or nothing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldText, isBlank } from './folding.js'
import { FOLDING_GROUPS } from './folding-table.js'
import { isGsm7 } from './gsm7.js'

const foldable = [...FOLDING_GROUPS.map(([, characters]) => characters).join('')]
const anyText = fc.string({
  size: 'medium',
  unit: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...foldable, ...'abc [€', 'e\u0301', 'a\u0302') },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
  ),
})

test('common symbols become characters that read the same', () => {
  for (const [text, expected] of [
    ['“Hi” – it’s ‘me’…', `"Hi" - it's 'me'...`],
    ['a\u00a0b\u2003c\td', 'a b c d'],
    ['‹a› «b»', '<a> "b"'],
    ['• one\n• two', '- one\n- two'],
    ['½ cup, 2×4, 5′ 6″, ⅔', `1/2 cup, 2x4, 5' 6", 2/3`],
    ['ＳＡＬＥ　ｎｏｗ １２３！', 'SALE now 123!'],
    ['ꜱᴍᴀʟʟ ᴄᴀᴘꜱ', 'SMALL CAPS'],
    ['zero\u200bwidth\ufeff \u202a+1\u202c', 'zerowidth +1'],
    ['`code`', "'code'"],
    ['Wow‼️', 'Wow!!'],
    ['don\u0092t \u0093misread\u0094', `don't "misread"`],
    ['cafe\u0301 man\u0303ana', 'café mañana'],
    ['【Acme】', '[Acme]'],
    ['Acme™ Roast® © 2026', 'Acme(TM) Roast(R) (C) 2026'],
    ['✓ Paid ✔️ Packed', 'v Paid v Packed'],
  ] as const) {
    assert.equal(foldText(text).text, expected)
  }
})

test('letters keep their meaning', () => {
  for (const text of [
    'ça',
    'está',
    'aquí',
    'São',
    'naïve',
    'a\u0302ge',
    'кот',
    '日本',
    '20 °C',
    '✅ done',
  ]) {
    assert.deepEqual(foldText(text), { text, folded: [] })
  }
})

test('one character without an equivalent leaves the whole text unchanged', () => {
  const text = '“Hi” 😀'
  assert.deepEqual(foldText(text), { text, folded: [] })
})

test('the result lists what was replaced and how often', () => {
  assert.deepEqual(foldText('“a” “b”… e\u0301').folded, [
    { from: '“', to: '"', count: 2 },
    { from: '”', to: '"', count: 2 },
    { from: '…', to: '...', count: 1 },
    { from: 'e\u0301', to: 'é', count: 1 },
  ])
})

test('folding twice equals folding once, and the result fits GSM-7 or is unchanged', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const once = foldText(text)
      assert.deepEqual(foldText(once.text), { text: once.text, folded: [] })
      if (isGsm7(once.text)) assert.equal(once.folded.length > 0, !isGsm7(text))
      else assert.deepEqual(once, { text, folded: [] })
    }),
    { numRuns: 1000 },
  )
})

test('the table folds only characters outside GSM-7, and only into it', () => {
  for (const [to, characters] of FOLDING_GROUPS) {
    assert.ok(isGsm7(to), to)
    for (const character of characters) {
      assert.equal(character.length, 1, 'one UTF-16 unit')
      assert.equal(isGsm7(character), false, JSON.stringify(character))
    }
  }
})

test('a text without visible characters is blank', () => {
  for (const text of ['', ' \n\t', '\u200b\ufeff', '\u00a0\u2060', '\0', '\u3000']) {
    assert.equal(isBlank(text), true, JSON.stringify(text))
  }
  for (const text of ['.', ' a', '\u200b…', '😀', '\u0301']) {
    assert.equal(isBlank(text), false, JSON.stringify(text))
  }
})
