// When the owner of an account gets a low-balance notice.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lowBalanceNotices, wireNotice } from './notice.js'

test('a balance is low below its threshold, not at it, and never without one', () => {
  assert.deepEqual(lowBalanceNotices(0n, null), [])
  assert.deepEqual(lowBalanceNotices(5_000_000n, 5_000_000n), [])
  assert.deepEqual(lowBalanceNotices(5_000_001n, 5_000_000n), [])
  assert.deepEqual(lowBalanceNotices(0n, 0n), [])
  const [notice, ...more] = lowBalanceNotices(4_999_999n, 5_000_000n)
  assert.deepEqual(more, [])
  assert.deepEqual(wireNotice(notice!), {
    kind: 'low_balance',
    text: notice!.text,
    campaignId: null,
    brandId: null,
    notes: [],
    until: null,
    owed: null,
  })
  assert.match(notice!.text, /4\.999999 is below .*5\.00. Add money/)
})

test('a payment notice shows the amount in dollars and when it is due', () => {
  const wired = wireNotice({
    kind: 'renewal_unpaid',
    text: 'Pay',
    campaignId: 'cmp_1',
    notes: [{ field: 'name', note: 'too short' }],
    until: new Date('2027-01-02T03:04:05.006Z'),
    owedMicros: 12_340_000n,
  })
  assert.equal(wired.owed, 12.34)
  assert.equal(wired.until, '2027-01-02T03:04:05.006Z')
  assert.equal(wired.campaignId, 'cmp_1')
  assert.deepEqual(wired.notes, [{ field: 'name', note: 'too short' }])
})
