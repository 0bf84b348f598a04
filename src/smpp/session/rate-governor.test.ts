// The rate of a link, lowered by throttling and growing again, and the delays between connections.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RateGovernor, USUAL_RECOVERY } from './rate-governor.js'
import { reconnectDelayMs } from './reconnect.js'

/** How many messages leave in the given time, checked every millisecond. */
function leaving(governor: RateGovernor, from: number, to: number): number {
  let count = 0
  for (let now = from; now < to; now++) while (governor.take(now) === 0) count += 1
  return count
}

test('the contract rate is not exceeded', () => {
  for (const perSecond of [1, 10, 100, 1_000]) {
    const governor = new RateGovernor({ ...USUAL_RECOVERY, perSecond }, 0)
    const count = leaving(governor, 0, 10_000)
    assert.ok(count <= perSecond * 10.1 + 1, `${count} at ${perSecond}/s`)
    assert.ok(count >= perSecond * 9.9 - 1, `${count} at ${perSecond}/s`)
  }
})

test('the governor returns how long to wait, and then one message leaves', () => {
  const governor = new RateGovernor({ ...USUAL_RECOVERY, perSecond: 3 }, 0)
  assert.equal(governor.take(0), 0)
  const wait = governor.take(0)
  assert.ok(wait > 0)
  assert.ok(governor.take(wait - 1) > 0)
  assert.equal(governor.take(wait), 0)
})

test('throttling pauses the link and halves the rate once, however many responses report it', () => {
  const governor = new RateGovernor({ ...USUAL_RECOVERY, perSecond: 100 }, 0)
  for (let i = 0; i < 50; i++) governor.throttled(i)
  assert.equal(governor.perSecond, 50)
  assert.equal(governor.take(100), 900)
  assert.ok(leaving(governor, 1_000, 2_000) <= 56)
  governor.throttled(2_000)
  assert.equal(governor.perSecond, 25)
})

test('a lower limit applies immediately, and a higher one is approached gradually', () => {
  const governor = new RateGovernor({ ...USUAL_RECOVERY, perSecond: 100 }, 0)
  governor.limitTo(10)
  assert.equal(governor.perSecond, 10)
  governor.limitTo(100)
  assert.equal(governor.perSecond, 10)
  leaving(governor, 0, 2_001)
  assert.equal(governor.perSecond, 20)
})

test('without throttling the rate returns to the contract rate and no further', () => {
  const governor = new RateGovernor({ ...USUAL_RECOVERY, perSecond: 100 }, 0)
  governor.throttled(0)
  governor.take(3_000)
  assert.equal(governor.perSecond, 60)
  governor.take(60_000)
  assert.equal(governor.perSecond, 100)
})

test('the rate always stays between the minimum and the contract rate', () => {
  const steps = fc.array(fc.record({ ms: fc.nat(5_000), isThrottled: fc.boolean() }))
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 500 }), (steps, perSecond) => {
      const governor = new RateGovernor({ ...USUAL_RECOVERY, perSecond }, 0)
      let now = 0
      for (const { ms, isThrottled } of steps) {
        now += ms
        if (isThrottled) governor.throttled(now)
        assert.ok(governor.take(now) >= 0)
        assert.ok(governor.perSecond >= 1 && governor.perSecond <= perSecond)
      }
    }),
  )
})

test('connections are retried with growing, jittered delays', () => {
  const settings = { firstMs: 1_000, maxMs: 60_000 }
  assert.equal(reconnectDelayMs(settings, 0, 0), 500)
  assert.equal(reconnectDelayMs(settings, 0, 1), 1_000)
  assert.equal(reconnectDelayMs(settings, 3, 0.5), 6_000)
  assert.equal(reconnectDelayMs(settings, 1_000, 1), 60_000)
})
