// The token bucket alone, on a clock that moves only when told to.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRateLimiter } from './rate-limit.js'

function limiterOf(perSecond: number, burst: number) {
  const clock = { ms: 5_000 }
  const { take } = createRateLimiter(perSecond, burst, () => clock.ms)
  const taken = (token: string) => take(token)!
  return { clock, taken }
}

test('a burst is allowed, then requests at the configured rate', () => {
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

test('a pause of any length earns one burst and no more', () => {
  const { clock, taken } = limiterOf(4, 2)
  taken('a')
  clock.ms += 3_600_000
  assert.deepEqual(
    [1, 2, 3].map(() => taken('a').isAllowed),
    [true, true, false],
  )
})

test("one token does not use up another token's rate", () => {
  const { taken } = limiterOf(1, 1)
  assert.deepEqual([taken('a').isAllowed, taken('a').isAllowed], [true, false])
  assert.equal(taken('b').isAllowed, true)
})

test('headers show the remaining requests, the reset time, and when to retry', () => {
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

test('a rate of zero means no limit', () => {
  assert.equal(createRateLimiter(0, 1).take('a'), null)
})

test('a refund goes to its own key and never exceeds a burst', () => {
  const clock = { ms: 0 }
  const { take, refund } = createRateLimiter(1, 2, () => clock.ms)
  const allowed = (key: string) => take(key)!.isAllowed
  refund('stranger') // nothing was taken, so there is nothing to refund
  assert.deepEqual(
    [allowed('stranger'), allowed('stranger'), allowed('stranger')],
    [true, true, false],
  )
  assert.deepEqual([allowed('a'), allowed('a'), allowed('a')], [true, true, false])
  refund('a')
  assert.deepEqual([allowed('a'), allowed('a')], [true, false])
  assert.equal(allowed('stranger'), false)
  for (let i = 0; i < 5; i += 1) refund('a')
  assert.deepEqual([allowed('a'), allowed('a'), allowed('a')], [true, true, false])
})

test('a refused request costs nothing, so clients that keep trying wait no longer than others', () => {
  const { clock, taken } = limiterOf(1, 1)
  taken('a')
  for (let i = 0; i < 9; i += 1) {
    clock.ms += 100
    assert.equal(taken('a').isAllowed, false, `after ${i + 1} tenths of a second`)
  }
  clock.ms += 101
  assert.equal(taken('a').isAllowed, true)
})

test('headers round up, so no client retries too early', () => {
  const { clock, taken } = limiterOf(0.4, 2)
  const shown = () => {
    const { headers } = taken('a')
    return ['remaining', 'reset'].map((name) => headers[`ratelimit-${name}`])
  }
  assert.deepEqual(shown(), ['1', '3'])
  assert.deepEqual(shown(), ['0', '5'])
  const { headers } = taken('a')
  assert.equal(headers['retry-after'], '3')
  clock.ms += 2_000
  assert.equal(
    taken('a').headers['retry-after'],
    '1',
    '0.8 of a token: ready in less than a second',
  )
  clock.ms += 3_000
  const { isAllowed, headers: later } = taken('a')
  assert.deepEqual([isAllowed, later['retry-after']], [true, undefined])
})

test('at most 50,000 buckets are stored; after that, the oldest start again', () => {
  const { taken } = limiterOf(1, 1)
  taken('a')
  for (let i = 1; i < 50_000; i += 1) taken(`stranger ${i}`)
  assert.equal(taken('a').isAllowed, false, 'the bucket is still stored')
  taken('one more')
  assert.equal(taken('a').isAllowed, true, 'the oldest buckets start again')
  assert.equal(taken('a').isAllowed, false)
  assert.equal(taken('stranger 49999').isAllowed, false)
})

test('without an injected clock, real time applies', (t) => {
  const clock = { ms: 0 }
  t.mock.method(performance, 'now', () => clock.ms)
  const { take } = createRateLimiter(1, 1)
  assert.deepEqual([take('a')!.isAllowed, take('a')!.isAllowed], [true, false])
  clock.ms += 1_000
  assert.equal(take('a')!.isAllowed, true)
})
