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

test('far from a limit, the text shows the window and waiting messages', () => {
  assert.equal(describeLimit(DAY, NOW), 'Today. Resets at midnight Pacific (in 12 hr)')
  assert.equal(describeLimit(MINUTE, NOW), 'Last 60 seconds')
  assert.equal(describeLimit({ ...MINUTE, waiting: 2 }, NOW), 'Last 60 seconds · 2 waiting')
})

test('from 80% on, the text shows the pace', () => {
  const near = { ...DAY, used: 1600 } // in the twelve hours of this day
  assert.match(describeLimit(near, NOW), /At this pace, you will reach the limit in about 3 hr$/)
  assert.match(
    describeLimit({ ...MINUTE, used: 192 }, NOW),
    /Near the limit\. New messages may be delayed$/,
  )
})

test('at a limit, the text shows what happens to more messages', () => {
  assert.match(
    describeLimit({ ...DAY, used: 2000 }, NOW),
    /Limit reached\. New messages fail with error 1320/,
  )
  const waiting = { ...MINUTE, used: 240, waiting: 38, atLimit: 'wait' as const }
  const next = { ...waiting, waitingUntil: '2026-11-15T20:00:41.000Z' }
  assert.match(describeLimit(waiting, NOW), /Limit reached\. 38 waiting$/)
  assert.match(describeLimit(next, NOW), /38 waiting, next at \d{1,2}:\d\d:41\s[AP]M$/)
})

test('without a limit the text is empty', () => {
  assert.equal(describeLimit({ ...DAY, limit: null, used: null }, NOW), '')
})
