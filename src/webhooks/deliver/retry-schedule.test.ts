// When a failed delivery is retried.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  parseRetryAfter,
  RETRY_AFTER_MS_MAX,
  RETRY_WAITS_MS,
  retryWaitMs,
} from './retry-schedule.js'

const HOUR = 3_600_000

test('the waits match the documentation, and the eighth attempt is the last', () => {
  assert.deepEqual(
    RETRY_WAITS_MS.map((ms) => ms / 1000),
    [5, 300, 1800, 7200, 18_000, 36_000, 36_000],
  )
  assert.equal(retryWaitMs(8, null), null)
  assert.equal(retryWaitMs(8, 60_000), null)
})

test('jitter shortens a wait by at most a tenth and never lengthens it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 7 }),
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      (attempts, random) => {
        const printed = RETRY_WAITS_MS[attempts - 1]!
        const waitMs = retryWaitMs(attempts, null, () => random)!
        assert.ok(waitMs <= printed && waitMs >= printed * 0.9 - 1)
      },
    ),
  )
})

test('Retry-After lengthens a wait, never shortens it, and is cut at ten hours', () => {
  assert.equal(retryWaitMs(1, 120_000), 120_000)
  assert.equal(
    retryWaitMs(3, 1_000, () => 0),
    1_800_000,
  )
  assert.equal(retryWaitMs(1, 400 * 24 * HOUR), RETRY_AFTER_MS_MAX)
})

test('both forms of Retry-After are read, and nonsense is ignored', () => {
  const now = new Date('2026-11-15T12:00:00.000Z')
  assert.equal(parseRetryAfter('120', now), 120_000)
  assert.equal(parseRetryAfter(' 0 ', now), 0)
  assert.equal(parseRetryAfter('Sun, 15 Nov 2026 12:01:00 GMT', now), 60_000)
  assert.equal(parseRetryAfter('Sun, 15 Nov 2026 11:00:00 GMT', now), 0)
  for (const text of [
    undefined,
    '',
    'soon',
    '-5',
    '1.5',
    '1e9',
    '99999999999',
    '2026-11-15',
    'Sun, x',
  ]) {
    assert.equal(parseRetryAfter(text, now), null, String(text))
  }
})
