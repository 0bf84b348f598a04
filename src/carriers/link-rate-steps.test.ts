// The rate of a link, step by step, on a clock that the test moves: shares, demand, estimates, and pauses.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LinkRate } from './link-rate.js'

const NO_LIMIT = Number.POSITIVE_INFINITY

/** Takes as many as the rate allows at that moment, at most `max`. */
function takeAll(rate: LinkRate, now: number, max = 10_000): number {
  let count = 0
  while (count < max && rate.take(now) === 0) count += 1
  return count
}

/** The same, and each leaves and is answered at once. */
function sendAll(rate: LinkRate, now: number, max = 10_000): number {
  let count = 0
  for (; count < max && rate.take(now) === 0; count += 1) {
    const part = {}
    rate.left(part, rate, now)
    rate.ended(part, true, now)
  }
  return count
}

test('without a contract, any number may leave, and nothing limits the status', () => {
  const rate = new LinkRate(null, 0)
  assert.equal(takeAll(rate, 0, 5_000), 5_000)
  assert.deepEqual([rate.perSecond, rate.status(), rate.recent(0)], [NO_LIMIT, null, 0])
  assert.equal(rate.waitMs(0), 0)
  rate.unused()
  rate.ended({}, true, 0)
  rate.left({}, {}, 0)
})

test('the demand is what left per second since the last question, and whether more would have', () => {
  const rate = new LinkRate(null, 0)
  takeAll(rate, 0, 30)
  assert.deepEqual(rate.demand(2_000), { perSecond: 15, isLimited: false })
  assert.deepEqual(rate.demand(4_000), { perSecond: 0, isLimited: false }, 'since the last time')
  takeAll(rate, 4_000, 30)
  assert.deepEqual(rate.demand(4_100), { perSecond: 30, isLimited: false }, 'at least a second')

  const limited = new LinkRate(10, 0)
  assert.equal(takeAll(limited, 0), 1)
  assert.deepEqual(limited.demand(1_000), { perSecond: 1, isLimited: true })
  assert.deepEqual(limited.demand(2_000), { perSecond: 0, isLimited: false })
  assert.equal(takeAll(limited, 2_000, 1), 1)
  assert.ok(limited.waitMs(2_000) > 0)
  assert.deepEqual(limited.demand(3_000), { perSecond: 1, isLimited: true }, 'asked whether it may')
  assert.equal(limited.waitMs(3_000), 0)
  assert.deepEqual(limited.demand(4_000), { perSecond: 0, isLimited: false })
})

test('a permit that is not used can be used by another part', () => {
  const rate = new LinkRate(10, 0)
  assert.equal(rate.take(0), 0)
  assert.ok(rate.take(0) > 0)
  rate.unused()
  assert.equal(rate.take(0), 0)
})

test('a part is recent while it is in transit, and for a second after its outcome', () => {
  const rate = new LinkRate(100, 0)
  const [answered, lost, open] = [{}, {}, {}]
  for (const part of [answered, lost, open]) {
    assert.equal(rate.take(0), 0)
    rate.left(part, part, 0)
  }
  assert.equal(rate.recent(0), 3)
  rate.ended(answered, true, 500)
  rate.ended(lost, false, 500)
  assert.equal(rate.recent(1_000), 3)
  assert.equal(rate.recent(2_000), 1, 'only the one without an outcome')
})

test('a shared rate sends nothing before its share, and nothing after its lease', () => {
  const rate = new LinkRate(100, 0, true)
  assert.deepEqual([rate.take(0), rate.waitMs(0)], [100, 100], 'tries again soon')
  assert.equal(rate.perSecond, 1, 'few wait for a share')
  assert.deepEqual(rate.demand(1_000), { perSecond: 0, isLimited: true })

  rate.setShare(50, 6_000)
  assert.equal(rate.perSecond, 50)
  assert.deepEqual(rate.status(), { perSecond: 50, contract: 50 })
  assert.equal(sendAll(rate, 5_999, 3), 3)
  assert.equal(rate.waitMs(5_999), 0)
  assert.deepEqual([rate.take(6_000), rate.waitMs(6_000)], [100, 100], 'the lease has ended')
  rate.setShare(50, 12_000)
  assert.equal(rate.take(7_100), 0)
})

test('a share of zero stops the link, and a share of one is enough to send', () => {
  const rate = new LinkRate(100, 0, true)
  rate.setShare(0, NO_LIMIT)
  assert.deepEqual([rate.take(1_000), rate.perSecond], [100, 1])
  rate.setShare(1, NO_LIMIT)
  assert.deepEqual([rate.take(1_000), rate.perSecond], [0, 1])
  rate.setShare(0, NO_LIMIT)
  assert.equal(rate.take(10_000), 100)
  assert.equal(rate.perSecond, 1)
})

test('a rate that is not shared needs no share', () => {
  const rate = new LinkRate(100, 0)
  assert.equal(rate.take(0), 0)
  assert.equal(rate.perSecond, 100)
  const slow = new LinkRate(0.5, 0)
  assert.deepEqual([slow.take(0), slow.perSecond], [0, 0.5])
})

test('the estimate is the busiest of the last whole second and the current one', () => {
  for (const [counts, at, contract] of [
    [[[0, 40]], 400, 100], // 40 in 400 ms
    [[[0, 40]], 10, 400], // a shorter time counts as 100 ms
    [
      [
        [0, 80],
        [1_000, 5],
      ],
      1_500,
      80, // the second before
    ],
    [
      [
        [0, 80],
        [2_000, 5],
      ],
      2_500,
      10, // what was sent two seconds ago is not the last second
    ],
    [
      [
        [0, 80],
        [1_999, 5],
      ],
      2_499,
      80,
    ],
    [[[0, 3]], 1_000, 10], // never below ten
  ] as const) {
    const rate = new LinkRate(null, 0)
    for (const [now, count] of counts) assert.equal(takeAll(rate, now, count), count)
    rate.throttled(at)
    const text = JSON.stringify([counts, at])
    assert.deepEqual(rate.status(), { perSecond: contract / 2, contract }, text)
  }
})

test('throttling within the pause is about the same rate, and throttling after it lowers it again', () => {
  const rate = new LinkRate(null, 0)
  takeAll(rate, 0, 400)
  rate.throttled(1_000)
  assert.deepEqual(rate.status(), { perSecond: 200, contract: 400 })
  rate.throttled(1_500)
  rate.throttled(2_000)
  rate.throttled(2_999)
  assert.equal(rate.status()!.contract, 400, 'each was at most a second after the one before')
  rate.throttled(4_000)
  assert.ok(rate.status()!.contract < 400)
})

test('an estimate grows by half each quiet second, and is dropped after a minute', () => {
  const rate = new LinkRate(null, 0)
  takeAll(rate, 0, 100)
  rate.throttled(0)
  const limits: (number | undefined)[] = []
  for (let now = 1_000; now <= 5_000; now += 1_000) {
    rate.take(now)
    limits.push(rate.status()?.contract)
  }
  assert.deepEqual(limits, [1_000, 1_000, 1_500, 2_250, 3_375])
  rate.take(60_000)
  assert.ok(rate.status(), 'at a minute, it still applies')
  rate.take(61_001)
  assert.deepEqual([rate.status(), rate.perSecond], [null, NO_LIMIT])
})

test('a contract neither grows nor expires, and throttling halves only the current rate', () => {
  const rate = new LinkRate(100, 0)
  sendAll(rate, 0, 5)
  rate.throttled(0)
  assert.deepEqual(rate.status(), { perSecond: 50, contract: 100 })
  for (let now = 1_000; now < 120_000; now += 500) rate.take(now)
  assert.deepEqual(rate.status(), { perSecond: 100, contract: 100 })
})

test('the status never shows more than the limit', () => {
  const rate = new LinkRate(100, 0, true)
  rate.setShare(0, NO_LIMIT)
  assert.deepEqual(rate.status(), { perSecond: 0, contract: 0 })
})
