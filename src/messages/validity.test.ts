// Until when a message is attempted, with and without suspended time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS } from '../kit/clock.js'
import { describeValidity, expiryOf, type Span, waitedMs, withLastHold } from './validity.js'

const at = (time: string) => new Date(`2026-11-15T${time}Z`)
const hold = (from: string, until: string): Span => [at(from).getTime(), at(until).getTime()]

test('a message is attempted for 4 hours, or as long as its send allows', () => {
  assert.deepEqual(expiryOf(at('10:00:00'), null), at('14:00:00'))
  assert.deepEqual(expiryOf(at('10:00:00'), 90), at('10:01:30'))
})

test('only the part of a hold after the due time counts', () => {
  const holds = [hold('01:00:00', '02:00:00'), hold('03:00:00', '06:00:00')]
  assert.equal(waitedMs(holds, at('00:00:00')), 4 * HOUR_MS)
  assert.equal(waitedMs(holds, at('05:00:00')), HOUR_MS)
  assert.equal(waitedMs(holds, at('07:00:00')), 0)
  assert.equal(waitedMs([], at('00:00:00')), 0)
})

test('a hold ends at midnight Pacific time, even if nobody checked', () => {
  const waitingSince = at('06:00:00') // 22:00 of the day before, Pacific time
  const untilNow = withLastHold([], waitingSince, at('07:00:00'))
  assert.deepEqual(untilNow, [hold('06:00:00', '07:00:00')])
  const missed = withLastHold(untilNow, waitingSince, at('20:00:00'))
  assert.deepEqual(missed, [...untilNow, hold('06:00:00', '08:00:00')])
  assert.deepEqual(withLastHold(missed, null, at('20:00:00')), missed)
})

test('a validity is shown in the largest whole unit', () => {
  const words = [null, 3600, 7200, 60, 5400, 61].map(describeValidity)
  assert.deepEqual(words, ['4 hours', '1 hour', '2 hours', '1 minute', '90 minutes', '61 seconds'])
})
