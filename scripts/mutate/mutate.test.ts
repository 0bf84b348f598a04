// The parts of a mutation run around its operators: lines that were run, tests to ask, the report.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestCoverage } from './coverage.js'
import { coveredLines, decode } from './covered-lines.js'
import { describe, type Mutant, sample } from './mutant.js'
import { report } from './report.js'
import { testsFor } from './try-mutant.js'

const MUTANT: Mutant = { file: 'src/a/b.ts', line: 2, start: 9, end: 11, replacement: '<' }
const TEXT = 'x\n  if (a<=b) c()\n'

test('a segment of a source map is read', () => {
  assert.deepEqual(decode('AAgBC'), [0, 0, 16, 1])
  assert.deepEqual(decode('D'), [-1])
})

test('lines count as run where the innermost counter was above zero', () => {
  // Three pieces of ten letters in one line of output, from lines 1, 3 and 4 of the source.
  const map = { lineLengths: [30], data: { mappings: 'AAAA,UAEA,UACA', sources: ['a.ts'] } }
  const ranges = [
    { startOffset: 0, endOffset: 30, count: 1 },
    { startOffset: 10, endOffset: 20, count: 0 },
  ]
  const script = { url: 'file:///a.ts', functions: [{ ranges }] }
  assert.deepEqual([...coveredLines(script, map)], [1, 2, 4], 'the second goes with the first')
})

test('the tests of a mutant are the green ones that run its line, its own first, then those that know the file', () => {
  const one = (name: string, tookMs: number, lines: number[], isGreen = true): TestCoverage => ({
    test: name,
    tookMs,
    isGreen,
    isCurrent: true,
    lines: { 'src/a/b.ts': lines },
  })
  const coverage = [
    one('test/slow.test.ts', 900, [1, 2]),
    one('test/thorough.test.ts', 20, [1, 2, 3, 4]),
    one('test/quick.test.ts', 10, [2]),
    one('src/a/b.test.ts', 500, [2]),
    one('test/elsewhere.test.ts', 1, [1]),
    one('test/red.test.ts', 1, [2], false),
  ]
  const tests = testsFor(MUTANT, coverage).map((found) => found.test)
  assert.deepEqual(tests, [
    'src/a/b.test.ts',
    'test/thorough.test.ts',
    'test/quick.test.ts',
    'test/slow.test.ts',
  ])
})

test('a sample is the same for the same seed, in order, and another for another', () => {
  const list = Array.from({ length: 100 }, (_, i) => i)
  const chosen = sample(list, 10, 1)
  assert.equal(new Set(chosen).size, 10)
  assert.deepEqual(
    chosen,
    chosen.toSorted((a, b) => a - b),
  )
  assert.deepEqual(sample(list, 10, 1), chosen)
  assert.notDeepEqual(sample(list, 10, 2), chosen)
  assert.deepEqual(sample(list, 200, 1), list)
})

test('the report counts by file and room, and shows what nobody noticed', () => {
  const results = [
    { mutant: MUTANT, state: 'survived' },
    { mutant: { ...MUTANT, line: 9 }, state: 'killed' },
    { mutant: { ...MUTANT, line: 9 }, state: 'timed out' },
    { mutant: { ...MUTANT, line: 4 }, state: 'only a snapshot' },
    { mutant: { ...MUTANT, file: 'src/a/c.ts' }, state: 'no coverage' },
  ] as const
  const texts = new Map([
    ['src/a/b.ts', TEXT],
    ['src/a/c.ts', TEXT],
  ])
  assert.equal(
    report(results, texts),
    `src/a/b.ts: 3 of 4 killed (1 by time) (1 only by a snapshot), 75 %; 1 survived, 0 without coverage
  src/a/b.ts:2 survived: ${describe(TEXT, MUTANT)}
  src/a/b.ts:4 only a snapshot: ${describe(TEXT, MUTANT)}
src/a/c.ts: 0 of 1 killed, 0 %; 0 survived, 1 without coverage
  src/a/c.ts:2 no coverage: if (a<=b) c()  →  if (a<b) c()

src/a: 3 of 5 killed (1 by time) (1 only by a snapshot), 60 %; 1 survived, 1 without coverage; between 23 and 88 % of all, if this is a random sample
in all: 3 of 5 killed (1 by time) (1 only by a snapshot), 60 %; 1 survived, 1 without coverage; between 23 and 88 % of all, if this is a random sample`,
  )
})
