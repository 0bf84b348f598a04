// Splitting a large file: every row once, each piece with the header.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitCsv } from './split-csv'

test('each piece has the header and at most the given number of rows', () => {
  assert.deepEqual(splitCsv('a,b\r\n1,2\r\n3,4\n\n5,6', 2), ['a,b\n1,2\n3,4\n', 'a,b\n5,6\n'])
  assert.deepEqual(splitCsv('a,b\n', 2), [])
  assert.deepEqual(splitCsv('', 2), [])
})

test('a quoted line break does not end its row, and an unclosed quote takes the rest', () => {
  assert.deepEqual(splitCsv('a\n"x\ny"\n"z""q"\n', 1), ['a\n"x\ny"\n', 'a\n"z""q"\n'])
  assert.deepEqual(splitCsv('a\n"x\ny', 1), ['a\n"x\ny\n'])
})

test('30,000 rows become six pieces of 5,000', () => {
  const rows = Array.from({ length: 30_000 }, (_, i) => `+1415${2_000_000 + i},1.00`)
  const pieces = splitCsv(['number,monthlyPrice', ...rows].join('\n'), 5_000)
  assert.deepEqual(
    pieces.map((piece) => piece.trimEnd().split('\n').length),
    [5_001, 5_001, 5_001, 5_001, 5_001, 5_001],
  )
})
