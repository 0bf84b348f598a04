// Which ledger entries share a row.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LedgerEntry } from '../../../generated/types.gen'
import { foldEntries } from './fold-entries'

const AT = '2026-11-15T12:00:00.000Z'

function entry(id: string, fields: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    id,
    createdAt: AT,
    reason: 'message',
    reference: `msg_${id}`,
    campaignId: 'cmp_1',
    amount: -0.0079,
    balanceAfter: 10,
    note: null,
    ...fields,
  }
}

test('messages of one campaign and time share a row with the exact sum', () => {
  const batch = Array.from({ length: 1_204 }, (_, i) => entry(`b${i}`, { balanceAfter: 5 + i }))
  const rows = foldEntries([entry('c', { campaignId: 'cmp_2' }), ...batch], new Set())
  assert.deepEqual(
    rows.map(({ id, entries, amount, balanceAfter }) => [id, entries.length, amount, balanceAfter]),
    [
      ['c', 1, -0.0079, 10],
      ['b0+', 1_204, -9.5116, 5],
    ],
  )
})

test('entries of other times, types, or subjects stay separate', () => {
  const rows = foldEntries(
    [
      entry('a'),
      entry('b', { createdAt: '2026-11-15T12:00:00.001Z' }),
      entry('c', { reason: 'message_refund' }),
      entry('d', { reason: 'number_renewal' }),
      entry('e', { reason: 'number_renewal' }),
    ],
    new Set(),
  )
  assert.equal(rows.length, 5)
})

test('an expanded row is followed by its entries', () => {
  const rows = foldEntries([entry('a'), entry('b')], new Set(['a+']))
  assert.deepEqual(
    rows.map(({ id, isFolded, isInside }) => [id, isFolded, isInside]),
    [
      ['a+', true, false],
      ['a', false, true],
      ['b', false, true],
    ],
  )
})
