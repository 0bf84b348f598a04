// Which texts are valid times, and the error for others.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findTime } from './find-time.js'
import { readTime } from './iso-time.js'
import { Refusal } from './refusal.js'

test('a time is read in ISO 8601 forms, with any offset', () => {
  const forms = [
    '2026-12-24T18:00:00Z',
    '2026-12-24t18:00:00.000z',
    '2026-12-24 18:00:00Z',
    '2026-12-24T18:00:00.000000001Z',
    '2026-12-24T19:30:00+01:30',
    '2026-12-24T19:30:00+0130',
    '2026-12-24T10:00:00-08',
    '2026-12-25T17:59:00+23:59',
  ]
  for (const text of forms) {
    assert.equal(findTime(text)?.toISOString(), '2026-12-24T18:00:00.000Z', text)
  }
  assert.equal(findTime('2024-02-29T23:59:59.999Z')?.toISOString(), '2024-02-29T23:59:59.999Z')
})

test('impossible times and times that cannot be stored are refused', () => {
  const texts = [
    '',
    'tomorrow',
    '2026-12-24',
    '2026-12-24T18:00:00',
    '2026-12-31T23:59:60Z',
    '2026-12-31T18:59:60-05:00',
    '2026-12-24T24:00:00Z',
    '2026-12-24T18:60:00Z',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-12-24T18:00:00+24:00',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+12026-12-24T18:00:00Z',
    `2026-12-24T18:00:00.${'0'.repeat(1000)}Z`,
  ]
  for (const text of texts) assert.equal(findTime(text), null, text)
})

test('an invalid time gets an error with the field and the expected form', () => {
  assert.throws(
    () => readTime('since', '2026-12-31T23:59:60Z'),
    (error: unknown) =>
      error instanceof Refusal &&
      error.status === 400 &&
      error.message === 'since must be an ISO 8601 time such as 2026-12-24T18:00:00Z',
  )
})
