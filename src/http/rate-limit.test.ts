// The token bucket by itself, on a clock that stands still until it is moved.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRateLimiter } from './rate-limit.js'

function limiterOf(perSecond: number, burst: number) {
  const clock = { ms: 5_000 }
  const { take } = createRateLimiter(perSecond, burst, () => clock.ms)
  const taken = (token: string) => take(token)!
  return { clock, taken }
}

test('a burst is allowed, and then one for each share of a second that has passed', () => {
  const { clock, taken } = limiterOf(4, 3)
  const allowed = () => taken('a').isAllowed
  assert.deepEqual([allowed(), allowed(), allowed(), allowed()], [true, true, true, false])
  clock.ms += 249
  assert.equal(allowed(), false)
  clock.ms += 1
  assert.deepEqual([allowed(), allowed()], [true, false])
  clock.ms += 500
  assert.deepEqual([allowed(), allowed(), allowed()], [true, true, false])
})

test('a rest of any length earns one burst, and not more', () => {
  const { clock, taken } = limiterOf(4, 2)
  taken('a')
  clock.ms += 3_600_000
  assert.deepEqual(
    [1, 2, 3].map(() => taken('a').isAllowed),
    [true, true, false],
  )
})

test('one token does not use up what another may', () => {
  const { taken } = limiterOf(1, 1)
  assert.deepEqual([taken('a').isAllowed, taken('a').isAllowed], [true, false])
  assert.equal(taken('b').isAllowed, true)
})

test('headers tell what is left, when it is full again, and when to come back', () => {
  const { clock, taken } = limiterOf(1, 3)
  const full = { 'ratelimit-limit': '3', 'ratelimit-remaining': '2', 'ratelimit-reset': '1' }
  assert.deepEqual(taken('a').headers, full)
  taken('a')
  taken('a')
  const none = { 'ratelimit-limit': '3', 'ratelimit-remaining': '0', 'ratelimit-reset': '3' }
  assert.deepEqual(taken('a').headers, { ...none, 'retry-after': '1' })
  clock.ms += 500
  assert.deepEqual(taken('a').headers, { ...none, 'retry-after': '1' })

  const slow = createRateLimiter(0.1, 1, () => 0)
  slow.take('a')
  assert.equal(slow.take('a')!.headers['retry-after'], '10')
})

test('a rate of zero is no limit', () => {
  assert.equal(createRateLimiter(0, 1).take('a'), null)
})
