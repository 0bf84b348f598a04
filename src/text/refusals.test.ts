// Refusals in every form, and texts that only look like one. The tables are real people's words, a line each:
// test/texts/refusals.txt and test/texts/innocents.txt. A misclassified text goes there first.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { clausesOf } from './plain-words.js'
import { isRefusal } from './refusals.js'

function linesOf(name: string): string[] {
  const text = readFileSync(new URL(`../../test/texts/${name}`, import.meta.url), 'utf8')
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => line.replaceAll('\\n', '\n'))
}

test('every refusal in the table is detected', () => {
  const refusals = linesOf('refusals.txt')
  assert.ok(refusals.length >= 1000)
  assert.deepEqual(
    refusals.filter((body) => !isRefusal(body)),
    [],
  )
})

test('no innocent text in the table is a refusal', () => {
  const innocents = linesOf('innocents.txt')
  assert.ok(innocents.length >= 1000)
  assert.deepEqual(innocents.filter(isRefusal), [])
})

test('case, accents, spaces, width, and punctuation do not change what a refusal is', () => {
  const bodies = ['please stop texting me', 'no me escriban más', 'unsubscribe me', 'S T O P']
  const dress = fc.record({
    body: fc.constantFrom(...bodies),
    isLoud: fc.boolean(),
    isPlain: fc.boolean(),
    isWide: fc.boolean(),
    gap: fc.constantFrom(' ', '  ', '\n', '\t', ' \u200b'),
    end: fc.constantFrom('', '.', '!!!', ' 😡', ' please', ', thanks', '\u200b'),
  })
  fc.assert(
    fc.property(dress, ({ body, isLoud, isPlain, isWide, gap, end }) => {
      let text = isPlain ? body.normalize('NFD').replace(/\p{M}/gu, '') : body
      if (isLoud) text = text.toUpperCase()
      if (isWide)
        text = text.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0))
      // A line break ends a sentence, and S T O P is spelled with single gaps.
      const isSpelt = body === 'S T O P' || gap === '\n'
      const dressed = (isSpelt ? text : text.replaceAll(' ', gap)) + end
      assert.equal(isRefusal(dressed), true, JSON.stringify(dressed))
    }),
  )
})

test('any text is read, however long or strange, up to 1600 characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      assert.equal(typeof isRefusal(text), 'boolean')
    }),
  )
  const long = clausesOf('stop, '.repeat(100_000))
  assert.ok(long.length < 1600)
  assert.equal(isRefusal(`${'a '.repeat(100_000)}. stop texting me`), false)
})

test('a body becomes clauses of plain words', () => {
  const leanOf = (body: string) => clausesOf(body).map(({ lean }) => lean)
  assert.deepEqual(leanOf('PLEASE stop, it’s fucking 3 am!'), ['stop', 'its 3 am'])
  assert.deepEqual(leanOf('S.T.O.P'), ['stop'])
  assert.deepEqual(leanOf('¡Ya no quiero MENSAJES!'), ['no quiero texts'])
  assert.deepEqual(leanOf('STOPTEXTINGME'), ['stop texting me'])
  assert.deepEqual(leanOf('Leave. Me. Alone.'), ['leave me alone'])
})
