// Keyword lists: the words required by law stay, and no word means two things.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_KEYWORDS, FCC_OPTOUT_WORDS } from '../text/keywords.js'
import { checkKeywordLists, normalizeKeywords } from './keyword-lists.js'

const LISTS = {
  optinKeywords: [...DEFAULT_KEYWORDS.optin],
  optoutKeywords: [...DEFAULT_KEYWORDS.optout],
  helpKeywords: [...DEFAULT_KEYWORDS.help],
}

test('the default lists follow the rules', () => {
  checkKeywordLists(LISTS)
  checkKeywordLists({ ...LISTS, optoutKeywords: [...FCC_OPTOUT_WORDS] })
})

test('none of the seven words required by law can be left out', () => {
  assert.equal(FCC_OPTOUT_WORDS.length, 7)
  for (const word of FCC_OPTOUT_WORDS) {
    const optoutKeywords = LISTS.optoutKeywords.filter((keyword) => keyword !== word)
    assert.throws(() => checkKeywordLists({ ...LISTS, optoutKeywords }), {
      message: `optoutKeywords must include ${word}: 47 CFR 64.1200(a)(10) makes these an opt-out`,
    })
  }
})

test('a word in two lists is refused, in any spelling', () => {
  assert.throws(() => checkKeywordLists({ ...LISTS, helpKeywords: ['HELP', ' start! '] }), {
    message: 'helpKeywords cannot contain  start! , because it is already in optinKeywords',
  })
  assert.throws(() => checkKeywordLists({ ...LISTS, optinKeywords: ['Stop'] }), {
    message: 'optinKeywords cannot contain Stop, because it is already in optoutKeywords',
  })
})

test('a keyword without visible characters is refused', () => {
  assert.throws(() => checkKeywordLists({ ...LISTS, helpKeywords: ['HELP', '\u200b'] }), {
    message: 'helpKeywords must not contain an empty keyword',
  })
})

test('a repeated word is stored once, as first written', () => {
  assert.deepEqual(normalizeKeywords([' Join ', 'JOIN', 'join.', 'HI', '?']), ['Join', 'HI', '?'])
})
