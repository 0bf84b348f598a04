// Which amounts of money are accepted from people.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../kit/contract/refusal.js'
import { readAmount } from './amount.js'

test('an amount is more than 0, at most a million dollars, with at most six decimals', () => {
  for (const [given, micros] of [
    ['0.000001', 1n],
    [0.1, 100_000n],
    [1_000_000, 1_000_000_000_000n],
    ['1000000', 1_000_000_000_000n],
  ] as const) {
    assert.equal(readAmount('amount', given), micros, String(given))
  }
  const refused = [0, '0', -1, '-0.01', '1000000.000001', 1_000_001, '0.0000001', 1e-7, 'ten', '']
  for (const given of [...refused, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => readAmount('amount', given), Refusal, String(given))
  }
})
