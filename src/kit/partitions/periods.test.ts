// Where periods begin, and how long they are.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aheadOf, nextStart, type Period, periodFor, startOf } from './periods.js'

const day = (moment: Date) => moment.toISOString().slice(0, 10)

test('months, weeks from Monday, and days begin at midnight UTC', () => {
  const starts = (moment: string) =>
    (['month', 'week', 'day'] as Period[]).map((period) => day(startOf(period, new Date(moment))))
  assert.deepEqual(starts('2026-11-16T14:00:00Z'), ['2026-11-01', '2026-11-16', '2026-11-16'])
  assert.deepEqual(starts('2027-01-03T23:59:59Z'), ['2027-01-01', '2026-12-28', '2027-01-03'])
  assert.deepEqual(starts('2027-01-04T00:00:00Z'), ['2027-01-01', '2027-01-04', '2027-01-04'])
})

test('the next period follows, across months of every length and the end of a year', () => {
  for (const [moment, next] of [
    ['2027-01-31', '2027-02-01'],
    ['2027-02-28', '2027-03-01'],
    ['2027-12-31', '2028-01-01'],
  ] as const) {
    assert.equal(day(nextStart('month', new Date(moment))), next)
    assert.equal(day(nextStart('day', new Date(moment))), next)
  }
})

test('an open-ended partition starts after the next full period', () => {
  const now = new Date('2026-11-16T14:00:00Z')
  assert.equal(day(aheadOf('month', now)), '2027-01-01')
  assert.equal(day(aheadOf('week', now)), '2026-11-30')
  assert.equal(day(aheadOf('day', now)), '2026-11-18')
})

test('a period is as long as its partition stays small, and at least a day', () => {
  assert.equal(periodFor('month', 10, 310), 'month')
  assert.equal(periodFor('month', 11, 310), 'week')
  assert.equal(periodFor('month', 100, 310), 'day')
  assert.equal(periodFor('month', 1_000, 310), 'day')
  assert.equal(periodFor('week', 0, 310), 'week')
})
