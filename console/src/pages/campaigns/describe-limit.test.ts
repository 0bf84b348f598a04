// A limit and its use in words: far from it, near it, at it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LimitUse } from '../../../generated/types.gen'
import { describeLimit } from './describe-limit'

const NOW = new Date('2026-11-15T20:00:00.000Z')

const DAY: LimitUse = {
  name: 'dailyTmoCap',
  carrier: 'tmo',
  period: 'day',
  unit: 'segment',
  isAssigned: true,
  limit: 2000,
  used: 312,
  resetsAt: '2026-11-16T08:00:00.000Z',
  waiting: 0,
  waitingSince: null,
  waitingUntil: null,
  atLimit: 'fail',
}
const MINUTE: LimitUse = { ...DAY, name: 'smsTpmAtt', period: 'minute', limit: 240, used: 10 }

test('far from a limit, its window is said, and what waits', () => {
  assert.equal(describeLimit(DAY, NOW), 'today, resets 00:00 Pacific (in 12 h)')
  assert.equal(describeLimit(MINUTE, NOW), 'last 60 s')
  assert.equal(describeLimit({ ...MINUTE, waiting: 2 }, NOW), 'last 60 s · 2 waiting')
})

test('from four fifths on, the pace is said', () => {
  const near = { ...DAY, used: 1600 } // in the twelve hours of this day
  assert.match(describeLimit(near, NOW), /About 3 h to the limit at this pace$/)
  assert.match(describeLimit({ ...MINUTE, used: 192 }, NOW), /near the limit; more would wait$/)
})

test('at a limit, what becomes of more is said', () => {
  assert.match(describeLimit({ ...DAY, used: 2000 }, NOW), /At the limit\. More fails with 1320/)
  const waiting = { ...MINUTE, used: 240, waiting: 38, atLimit: 'wait' as const }
  const next = { ...waiting, waitingUntil: '2026-11-15T20:00:41.000Z' }
  assert.match(describeLimit(waiting, NOW), /At the limit\. 38 waiting$/)
  assert.match(describeLimit(next, NOW), /38 waiting, next at \d\d:\d\d:41$/)
})

test('without a limit there is nothing to say', () => {
  assert.equal(describeLimit({ ...DAY, limit: null, used: null }, NOW), '')
})
