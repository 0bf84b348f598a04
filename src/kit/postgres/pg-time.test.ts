// The fast parser for times, which leaves unknown forms to the driver.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readUtcTime } from './pg-time.js'

test('a time in UTC is read to the millisecond', () => {
  for (const [text, iso] of [
    ['2026-11-15 09:30:07+00', '2026-11-15T09:30:07.000Z'],
    ['2026-11-15 09:30:07.4+00', '2026-11-15T09:30:07.400Z'],
    ['2026-11-15 09:30:07.45+00', '2026-11-15T09:30:07.450Z'],
    ['2026-11-15 09:30:07.456+00', '2026-11-15T09:30:07.456Z'],
    ['2026-02-28 23:59:59.999999+00', '2026-02-28T23:59:59.999Z'],
    ['1970-01-01 00:00:00+00', '1970-01-01T00:00:00.000Z'],
    ['9999-12-31 23:59:59.001+00', '9999-12-31T23:59:59.001Z'],
  ] as const) {
    assert.equal(readUtcTime(text)?.toISOString(), iso)
  }
})

test('any other form is left to the driver', () => {
  for (const text of [
    '2026-11-15 09:30:07.456+05:30',
    '2026-11-15 09:30:07.456-08',
    '0099-12-31 23:59:59+00', // JavaScript would read it as 1999
    '12026-11-15 09:30:07+00',
    '0044-03-15 12:00:00+00 BC',
    'infinity',
    '-infinity',
  ]) {
    assert.equal(readUtcTime(text), null, text)
  }
})
