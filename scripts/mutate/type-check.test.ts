// A mistake that the compiler refuses is left out, and one that only leaves something unused is not.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { toMutants } from './mutant.js'
import { keepCompiling } from './type-check.js'

const FILE = 'scripts/mutate/mutant.ts'

test('a mutant that does not compile is left out, and others of the same file stay', () => {
  const text = readFileSync(FILE, 'utf8')
  const change = (find: string, replacement: string) => {
    const start = text.indexOf(find)
    return { start, end: start + find.length, replacement }
  }
  const mutants = toMutants(FILE, text, [
    change('slice(0, count)', 'slice(0, 5)'), // `count` is unused
    change('count: number, seed', 'count: string, seed'),
  ])
  const kept = keepCompiling(mutants, new Map([[FILE, text]]))
  assert.deepEqual(
    kept.map(({ replacement }) => replacement),
    ['slice(0, 5)'],
  )
})
