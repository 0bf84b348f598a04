// Which replies count as keywords, in every form that phones send.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  DEFAULT_KEYWORDS,
  FCC_OPTOUT_WORDS,
  foldKeyword,
  matchKeyword,
  missingOptoutKeywords,
} from './keywords.js'

test('a keyword is found in any case, width, quotes, and spacing', () => {
  for (const body of [
    'stop',
    ' Stop\n',
    'STOP.',
    '"stop"',
    '“Stop!”',
    'ＳＴＯＰ',
    'ｓｔｏｐ！',
    'stop\u200b',
    '\ufeffst\u200bop',
    'opt\n\u200b out',
    'STOP 🛑️',
    'stop\u00a0all',
    'Stop\n  All',
    'opt   out',
    'Opt-Out',
    '(unsubscribe)',
  ]) {
    assert.equal(matchKeyword(body, DEFAULT_KEYWORDS), 'optout', JSON.stringify(body))
  }
  assert.equal(matchKeyword('yes!', DEFAULT_KEYWORDS), 'optin')
  assert.equal(matchKeyword('Unstop', DEFAULT_KEYWORDS), 'optin')
  assert.equal(matchKeyword('help?', DEFAULT_KEYWORDS), 'help')
})

test('only the whole body counts', () => {
  for (const body of [
    '',
    ' ',
    '!!',
    'stop please',
    'please stop',
    'stopped',
    'st op',
    'yes 2',
    'unsubscríbe',
  ]) {
    assert.equal(matchKeyword(body, DEFAULT_KEYWORDS), null, JSON.stringify(body))
  }
})

test('the legally required words opt out, whatever a campaign configures', () => {
  const keywords = { optout: [], optin: ['STOP', 'JOIN'], help: ['END'] }
  for (const word of FCC_OPTOUT_WORDS)
    assert.equal(matchKeyword(word.toLowerCase(), keywords), 'optout')
  assert.equal(matchKeyword('join', keywords), 'optin')
})

test('a word in two lists opts out', () => {
  const keywords = { optout: ['BYE'], optin: ['bye', 'hi'], help: ['hi'] }
  assert.equal(matchKeyword('bye', keywords), 'optout')
  assert.equal(matchKeyword('hi', keywords), 'optin')
})

test("a campaign's keyword may consist of symbols alone", () => {
  const keywords = { optout: [], optin: ['👍'], help: ['?', ' '] }
  assert.equal(matchKeyword('👍', keywords), 'optin')
  assert.equal(matchKeyword('?', keywords), 'help')
  assert.equal(matchKeyword('', keywords), null)
})

test('missing legally required words are listed', () => {
  assert.deepEqual(missingOptoutKeywords(DEFAULT_KEYWORDS.optout), [])
  assert.deepEqual(missingOptoutKeywords(['stop', 'quit', 'end!', 'revoke', 'Opt Out']), [
    'CANCEL',
    'UNSUBSCRIBE',
  ])
})

test('folding a keyword twice equals folding it once', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'aＢ .!“\n\u200b👍é') }))
  fc.assert(
    fc.property(text, (word) => {
      assert.equal(foldKeyword(foldKeyword(word)), foldKeyword(word))
    }),
  )
})
