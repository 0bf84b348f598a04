// Tables and progress bars as text.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTable, progressLine } from './output.js'

test('a table aligns its columns, names them, and shows missing values as a dash', () => {
  const rows = [
    { id: 'acc_1', name: 'Acme', trustScore: null },
    { id: 'acc_22', name: 'B', trustScore: 80 },
  ]
  assert.equal(
    formatTable(rows, ['id', 'name', 'trustScore']),
    ['ID      NAME  TRUST SCORE', 'acc_1   Acme  -', 'acc_22  B     80'].join('\n'),
  )
})

test('a progress bar fills up and never overflows', () => {
  assert.equal(progressLine('Export', 0, 10), `Export ${'░'.repeat(24)}   0%  0 / 10`)
  assert.equal(
    progressLine('Export', 1500, 3000),
    `Export ${'█'.repeat(12)}${'░'.repeat(12)}  50%  1,500 / 3,000`,
  )
  assert.equal(progressLine('Export', 12, 10), `Export ${'█'.repeat(24)} 100%  12 / 10`)
  assert.equal(progressLine('Export', 0, 0), `Export ${'█'.repeat(24)} 100%  0 / 0`)
  assert.equal(progressLine('Export', 1234, null), 'Export 1,234')
})
