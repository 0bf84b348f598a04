// A limit per second is enforced by the carrier's clock, whatever happens on the network.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ArrivalLog } from './arrival-log.js'
import { RateGovernor, USUAL_RECOVERY } from './rate-governor.js'

/** The maximum number of arrivals in any second, including both ends. */
function mostInSecond(arrivals: readonly number[]): number {
  let most = 0
  let from = 0
  for (const [i, at] of arrivals.entries()) {
    while (arrivals[from]! < at - 1_000) from += 1
    most = Math.max(most, i - from + 1)
  }
  return most
}

interface Way {
  /** Milliseconds to the carrier and back at a given time. The order is preserved. */
  delayAt: (now: number) => number
  /** Parts that may wait for their response. */
  window: number
}

/** Sends as much as allowed for the given time, and returns when each part arrived. */
function drive(perSecond: number, ms: number, { delayAt, window }: Way): number[] {
  const governor = new RateGovernor({ ...USUAL_RECOVERY, perSecond, isExact: true }, 0)
  const connection = {}
  const arrivals: number[] = []
  const answers: { at: number; token: number }[] = []
  for (let now = 0; now < ms; now++) {
    while (answers[0] && answers[0].at <= now) governor.answered(answers.shift()!.token, now)
    while (answers.length < window && governor.take(now) === 0) {
      const token = arrivals.length
      governor.left(token, connection, now)
      const at = Math.max(arrivals.at(-1) ?? 0, now + delayAt(now))
      arrivals.push(at)
      answers.push({ at: Math.max(answers.at(-1)?.at ?? 0, at + delayAt(at)), token })
    }
  }
  return arrivals
}

test('no second exceeds the contract rate, and the rate is nearly reached', () => {
  for (const perSecond of [1, 2, 20, 33, 500]) {
    for (const delayMs of [0, 1, 80, 400, 700]) {
      const arrivals = drive(perSecond, 60_000, { delayAt: () => delayMs, window: 10_000 })
      assert.ok(mostInSecond(arrivals) <= perSecond, `${perSecond}/s, ${delayMs} ms`)
      if (delayMs === 700) continue // responses take longer than a second, so more parts are in flight
      const last = arrivals.filter((at) => at >= 50_000 && at < 60_000).length
      const least = perSecond === 1 ? 9 : perSecond * 9.3
      assert.ok(last >= least, `${last} at ${perSecond}/s, ${delayMs} ms`)
    }
  }
})

test('parts that are delayed and arrive together do not exceed the rate', () => {
  const stall = (now: number) => (now >= 2_000 && now < 2_600 ? 2_600 - now : 1)
  const arrivals = drive(20, 6_000, { delayAt: stall, window: 50 })
  assert.equal(mostInSecond(arrivals), 20)
  assert.ok(arrivals.length > 90, String(arrivals.length))
})

test('slow responses at the start do not determine the network delay', () => {
  const stall = (now: number) => (now < 600 ? 600 - now : 1)
  const arrivals = drive(20, 6_000, { delayAt: stall, window: 50 })
  assert.ok(mostInSecond(arrivals) <= 20, `${mostInSecond(arrivals)} in a second`)
  assert.ok(arrivals.length > 90, String(arrivals.length))
})

test('a link that starts with any network delay exceeds the rate in no second', () => {
  const delays = fc.array(fc.integer({ min: 0, max: 450 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(delays, fc.integer({ min: 1, max: 40 }), (delays, perSecond) => {
      const delayAt = (now: number) => delays[Math.floor(now / 250) % delays.length]!
      assert.ok(mostInSecond(drive(perSecond, 5_000, { delayAt, window: 20 })) <= perSecond)
    }),
    { numRuns: 200 },
  )
})

// Two kinds of network could exceed the rate: one that becomes faster than ever before, since the fastest responses
// give the minimum delay, and one whose responses take more than a second, since they come too late to show a delayed
// part.
test('no network with responses within a second, however uneven, exceeds the rate', () => {
  const delays = fc.array(fc.integer({ min: 1, max: 450 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(delays, fc.integer({ min: 1, max: 40 }), (delays, perSecond) => {
      const least = Math.min(...delays)
      const delayAt = (now: number) =>
        now < 7_000 ? least : delays[Math.floor(now / 250) % delays.length]!
      const arrivals = drive(perSecond, 12_000, { delayAt, window: 20 })
      assert.ok(mostInSecond(arrivals) <= perSecond)
    }),
    { numRuns: 200 },
  )
})

test('a stuck connection removes only its own parts from the count', () => {
  const log = new ArrivalLog()
  const [stuck, other] = [{}, {}]
  for (let i = 0; i < 4; i++) {
    assert.equal(log.waitMs(4, 0), 0)
    log.add(0)
    log.left(i, i === 0 ? stuck : other, 0)
  }
  for (const i of [1, 2, 3]) log.answered(i, 5)
  assert.ok(log.waitMs(4, 500) > 0)
  assert.equal(log.waitMs(4, 1_100), 0)
  for (let i = 4; i < 7; i++) {
    assert.equal(log.waitMs(4, 1_100), 0)
    log.add(1_100)
    log.left(i, other, 1_100)
  }
  assert.ok(log.waitMs(4, 1_100) > 0, 'the stuck part may arrive at any time')
  assert.equal(log.waitMs(4, 7_000), 0, 'it is not waited for forever')
})

test('a faster response corrects the estimates for earlier parts', () => {
  const log = new ArrivalLog()
  const exchange = (token: unknown, sentAt: number, answeredAt: number) => {
    log.add(sentAt)
    log.left(token, {}, sentAt)
    log.answered(token, answeredAt)
  }
  for (let i = 0; i < 20; i++) exchange(i, i * 1_500, i * 1_500 + 400)
  exchange('slow', 30_000, 30_400)
  assert.equal(log.waitMs(1, 31_060), 0, 'the network takes at least 350 ms')
  exchange('slow again', 32_000, 32_400)
  exchange('quick', 32_400, 32_410)
  assert.ok(log.waitMs(2, 33_060) > 0, 'it may have taken the whole time to arrive')
  assert.equal(log.waitMs(2, 33_410), 0)
})

test('a late response does not delay parts with earlier responses', () => {
  const log = new ArrivalLog()
  for (let i = 0; i < 4; i++) {
    log.add(0)
    log.left(i, {}, 0)
  }
  for (const i of [1, 2, 3]) log.answered(i, 5)
  log.answered(0, 900)
  assert.equal(log.waitMs(4, 1_100), 0)
  assert.equal(log.recent(1_100), 1)
})

test('a part that leaves long after its turn counts from then on', () => {
  const log = new ArrivalLog()
  log.add(0)
  assert.equal(log.waitMs(1, 10_000), 0, 'it is not waited for forever')
  log.left('late', {}, 12_000)
  assert.ok(log.waitMs(1, 12_500) > 0)
  log.answered('late', 12_600)
  assert.equal(log.waitMs(1, 13_610), 0)
})

test('a lost response delays nothing if later parts got their responses', () => {
  const log = new ArrivalLog()
  const connection = {}
  for (const token of ['lost', 'answered']) {
    log.add(0)
    log.left(token, connection, 0)
  }
  log.answered('answered', 20)
  assert.equal(log.waitMs(2, 1_031), 0)
  log.lost('lost', 30_000)
})

test('a part counts from its turn until it leaves, and not if it never leaves', () => {
  const log = new ArrivalLog()
  const connection = {}
  for (const at of [0, 1]) {
    assert.equal(log.waitMs(2, at), 0)
    log.add(at)
  }
  assert.ok(log.waitMs(2, 1_500) > 0, 'both may leave at any time')
  log.left('first', connection, 2_000)
  log.unused()
  assert.equal(log.waitMs(2, 2_000), 0)
  log.add(2_000)
  log.left('second', connection, 2_000)
  for (const token of ['first', 'second']) log.answered(token, 2_005)
  assert.ok(log.waitMs(2, 3_000) > 0)
  assert.equal(log.waitMs(2, 3_016), 0)
})
