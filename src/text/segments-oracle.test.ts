// Our text handling against `sms-segments-calculator`, the calculator that Twilio publishes. Differences are listed
// here with their reason, and an unlisted difference fails.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import calculator from 'sms-segments-calculator'
import { foldText } from './folding.js'
import { FOLDING_GROUPS } from './folding-table.js'
import { GSM7_CHARACTERS, isGsm7 } from './gsm7.js'
import { measureText, prepareText } from './segments.js'

const { SegmentedMessage } = calculator

// Theirs is the calculator's result for the character, null if unchanged. Ours is null if unchanged, and undefined
// if a row has many results.
const DIFFERENCES: ReadonlyArray<{
  why: string
  characters: RegExp
  theirs: string | null
  ours?: string | null
}> = [
  {
    why: 'a space is one space, not two',
    characters: /[\x80\x8d\x90\x9b\x9f\xa0\u2000\u2002-\u200a\u202f\u205f\u3000]/,
    theirs: '  ',
    ours: ' ',
  },
  { why: 'a tab is one space, not seven', characters: /\t/, theirs: '       ', ours: ' ' },
  { why: 'vertical commas are commas', characters: /[\ufe10\ufe11]/, theirs: "'", ours: ',' },
  // Combining marks belong to the letter before them: `a^` is not `â`.
  { why: 'marks stay', characters: /\u0302|\u1dcd/, theirs: '^', ours: null },
  { why: 'marks stay', characters: /\u0303|\u0330|\u0334/, theirs: '~', ours: null },
  { why: 'marks stay', characters: /\u0313|\u0314/, theirs: "'", ours: null },
  { why: 'marks stay', characters: /\u0337|\u0338/, theirs: '/', ours: null },
  { why: 'marks stay', characters: /\u20d2|\u20d3/, theirs: '|', ours: null },
  { why: 'marks stay', characters: /\u0326/, theirs: ',', ours: null },
  { why: 'marks stay', characters: /\u0332/, theirs: '_', ours: null },
  { why: 'marks stay', characters: /\u0347/, theirs: '=', ours: null },
  { why: 'marks stay', characters: /\u20e5/, theirs: '\\', ours: null },
  // From here on only we fold.
  {
    why: 'invisible: controls, soft hyphen, joiners, direction marks, variation selectors',
    characters: /\p{Cc}|\p{Cf}|\p{Variation_Selector}|\u034f|\u2065/u,
    theirs: null,
    ours: '',
  },
  { why: 'other spaces and controls', characters: /[\v\x80-\x9f\u1680]/, theirs: null, ours: ' ' },
  { why: 'misread Windows quotes', characters: /[\x91\x92]/, theirs: null, ours: "'" },
  { why: 'misread Windows quotes', characters: /[\x93\x94]/, theirs: null, ours: '"' },
  {
    why: 'more dashes and bullets',
    characters: /[\x95-\x97·‑‒‣‧⁌⁍−∙▪▫●◦﹘]/,
    theirs: null,
    ours: '-',
  },
  { why: 'longer dashes', characters: /[⸺⸻]/, theirs: null },
  { why: 'primes and more quotes', characters: /[′″‴‵‶❟❠⹂〟｀]/, theirs: null },
  { why: 'more fractions, and the times sign', characters: /[⅐-⅞↉×]/, theirs: null },
  { why: 'more points', characters: /[ˑ∶﹕\u037e․︒‥⋯︙‽⁈⁇⁉]/, theirs: null },
  { why: 'lower-case full-width letters', characters: /[ａ-ｚ]/, theirs: null },
  { why: 'full-width pound and yen', characters: /[￡￥]/, theirs: null },
  { why: 'brackets and the wave dash of CJK keyboards', characters: /[【】﹝﹞〜]/, theirs: null },
  { why: 'ligatures and missing small capitals', characters: /[ﬀ-ﬆᴁꞯ]/, theirs: null },
  { why: 'trademarks, copyright and check marks', characters: /[™℠©®✓✔]/, theirs: null },
  { why: 'signs that are the letter', characters: /\u2126|\u212a|\u212b/, theirs: null },
]

const basicPlane = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter(
  (character) => character.isWellFormed(),
)
const theirFold = (text: string) => new SegmentedMessage(text, 'auto', true).graphemes.join('')
const agreed = [...FOLDING_GROUPS.map(([, characters]) => characters).join('')].filter(
  (character) => theirFold(character) === foldText(character).text,
)

test('every character folds as theirs does, or the difference is listed', () => {
  for (const character of basicPlane) {
    const ours = foldText(character).text
    const theirs = theirFold(character)
    if (ours === theirs) continue

    const row = DIFFERENCES.find(
      (difference) =>
        difference.characters.test(character) &&
        (difference.theirs ?? character) === theirs &&
        (difference.ours === undefined ? isGsm7(ours) : (difference.ours ?? character) === ours),
    )
    assert.ok(row, `${JSON.stringify(character)}: ours ${ours}, theirs ${theirs}`)
  }
})

test('encoding and parts match theirs while each character is one code point', () => {
  const units = [...GSM7_CHARACTERS, ...'[]€|', '\r\n', 'ж', '中', '😀', '’', '\t']
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...units), maxLength: 500, size: 'max' }),
      (text) => {
        const theirs = new SegmentedMessage(text)
        const ours = measureText(text, 'parts')
        assert.equal(ours.encoding, theirs.encodingName)
        assert.equal(ours.parts, theirs.segmentsCount)
      },
    ),
    { numRuns: 200 },
  )
})

test('long GSM-7 text is split where theirs is, including pairs at the border', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', ']'),
    minLength: 120,
    maxLength: 1500,
    size: 'max',
  })
  fc.assert(
    fc.property(text, (body) => {
      assert.equal(measureText(body).parts, new SegmentedMessage(body).segmentsCount)
    }),
    { numRuns: 40 },
  )
})

// The calculator never splits a visible character. We split between code points, because phones join parts before
// they display them, and so need as many parts or fewer.
test('visible characters of several code points never cost more than theirs', () => {
  const drawn = ['👨‍👩‍👧‍👦', '🇺🇸', 'a\u0302', '👍🏽', 'ж', ' ']
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...drawn), maxLength: 60, size: 'max' }),
      (text) => {
        const theirs = new SegmentedMessage(text)
        const ours = measureText(text, 'parts')
        assert.equal(ours.encoding, theirs.encodingName)
        assert.ok(ours.parts <= theirs.segmentsCount, `${ours.parts} and ${theirs.segmentsCount}`)
      },
    ),
    { numRuns: 100 },
  )
  const flags = '🇺🇸'.repeat(33) // 132 units: two parts of 66, or three of whole flags (64)
  assert.equal(measureText(flags).parts, 2)
  assert.equal(new SegmentedMessage(flags).segmentsCount, 3)
})

test('text of characters that both fold has the same result', () => {
  const units = [...agreed, ...'abcdefgh [€\n']
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...units), maxLength: 300, size: 'max' }),
      (text) => {
        const theirs = new SegmentedMessage(text, 'auto', true)
        const ours = prepareText(text, 'parts')
        assert.equal(ours.text, theirs.graphemes.join(''))
        assert.equal(ours.encoding, theirs.encodingName)
        assert.equal(ours.segments, theirs.segmentsCount)
      },
    ),
    { numRuns: 200 },
  )
})

// The calculator folds what it can even if that gains nothing. We leave the text unchanged then.
test('a text that stays UCS-2 is measured like theirs without smart encoding', () => {
  const units = [...agreed.filter((character) => character !== '\u200c'), 'a', 'ж'] // it joins
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...units), maxLength: 300, size: 'max' }),
      (start) => {
        const text = `${start}ж`
        const ours = prepareText(text, 'parts')
        assert.equal(ours.text, text.replaceAll('\0', ''))
        assert.equal(ours.parts, new SegmentedMessage(ours.text).segmentsCount)
      },
    ),
    { numRuns: 100 },
  )
})
