// Which price counts when: the account's own, everybody's, the settings; and none before its time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Price, pricesAt } from './price-book.js'

const SETTINGS = { smsPriceMicros: 7900n, mmsPriceMicros: 20_000n }
const price = (accountId: string | null, amountMicros: bigint | null, day: string): Price => ({
  accountId,
  kind: 'sms',
  amountMicros,
  effectiveAt: new Date(day),
})

// The latest first, as the query gives them.
const LIST: Price[] = [
  price('acc_1', null, '2027-05-01'),
  price(null, null, '2027-04-01'),
  price('acc_1', 5000n, '2027-03-01'),
  price(null, 6000n, '2027-02-01'),
  { ...price(null, 0n, '2027-01-01'), kind: 'mms' },
]

test('the latest price that has begun counts, the own one first', () => {
  for (const [now, sms, mms] of [
    ['2026-12-31T23:59:59.999Z', 7900n, 20_000n],
    ['2027-01-01T00:00:00.000Z', 7900n, 0n],
    ['2027-02-01T00:00:00.000Z', 6000n, 0n],
    ['2027-02-28T23:59:59.999Z', 6000n, 0n],
    ['2027-03-01T00:00:00.000Z', 5000n, 0n],
    ['2027-04-15T00:00:00.000Z', 5000n, 0n],
    ['2027-05-01T00:00:00.000Z', 7900n, 0n],
  ] as const) {
    const prices = pricesAt(LIST, SETTINGS, new Date(now))
    assert.deepEqual(prices, { smsPriceMicros: sms, mmsPriceMicros: mms }, now)
  }
})

test('without any price the settings count', () => {
  assert.deepEqual(pricesAt([], SETTINGS, new Date()), SETTINGS)
})
