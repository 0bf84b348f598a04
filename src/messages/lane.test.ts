// The limits of a lane: any 60 seconds at the carrier, any Pacific day, whatever the clock does.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MINUTE_MS } from '../kit/clock.js'
import {
  carrierOf,
  currentSlots,
  describeLimit,
  freeAt,
  limitOf,
  nextPacificMidnight,
  pacificDay,
  partsOf,
  resetOf,
  routeOf,
  SEND_WITHIN_MS,
  submitByOf,
  usedIn,
  withUse,
} from './lane.js'

const START_MS = Date.UTC(2026, 10, 15, 12)

test('network and type determine the route, and the route determines the limit', () => {
  const limits = { smsTpmAtt: 240, mmsTpmAtt: 150, dailyTmoCap: 2000 }
  for (const [network, type, route, limit] of [
    ['att', 'SMS', 'att-sms', 240],
    ['att', 'MMS', 'att-mms', 150],
    ['tmo', 'SMS', 'tmo', 2000],
    ['tmo', 'MMS', 'tmo', 2000],
    ['vzw', 'SMS', 'open', null],
    [null, 'MMS', 'open', null],
  ] as const) {
    assert.equal(routeOf(network, type), route)
    assert.equal(carrierOf(route), network === 'att' || network === 'tmo' ? network : 'other')
    assert.equal(limitOf(route, limits), limit)
  }
  assert.equal(describeLimit('att-sms', 75), 'the AT&T limit of 75/min')
  assert.equal(describeLimit('tmo', 2000), 'the T-Mobile daily cap of 2000')
})

test('carrier limits count parts on the wire, and an MMS as one', () => {
  const parts = (body: string, type: 'SMS' | 'MMS' = 'SMS') => partsOf({ type, body })
  assert.equal(parts('x'.repeat(160)), 1)
  assert.equal(parts('x'.repeat(161)), 2)
  assert.equal(parts('x'.repeat(310)), 3, 'two segments on the bill')
  assert.equal(parts('й'.repeat(70)), 1)
  assert.equal(parts('й'.repeat(71)), 2)
  assert.equal(parts('€'.repeat(70)), 1)
  assert.equal(parts('x'.repeat(310), 'MMS'), 1)
})

test('use expires when its oldest second leaves the window, or with the Pacific day', () => {
  const now = new Date(START_MS + 900)
  assert.equal(resetOf('att-sms', {}, now), null)
  const first = withUse('att-sms', {}, now, 2)
  const both = withUse('att-sms', first, new Date(START_MS + 7_000), 1)
  const lapsesAt = resetOf('att-sms', both, new Date(START_MS + 9_000))!
  assert.deepEqual(lapsesAt, new Date(START_MS + 62_000))
  assert.equal(usedIn(currentSlots('att-sms', both, new Date(lapsesAt.getTime() - 1))), 3)
  assert.equal(usedIn(currentSlots('att-sms', both, lapsesAt)), 1)
  assert.deepEqual(resetOf('tmo', {}, now), nextPacificMidnight(now))
})

// A lane as dispatchers use it: each claims what fits and submits it within the time allowed.
function submitTimes(
  limit: number,
  steps: readonly { waitMs: number; wants: number; lateMs: number }[],
) {
  let nowMs = START_MS
  let slots = {}
  const submits: { atMs: number; segments: number }[] = []
  for (const { waitMs, wants, lateMs } of steps) {
    nowMs += waitMs
    const now = new Date(nowMs)
    const current = currentSlots('att-sms', slots, now)
    if (freeAt('att-sms', current, limit, wants, now) > now) {
      slots = current
      continue
    }
    slots = withUse('att-sms', current, now, wants)
    submits.push({ atMs: nowMs + lateMs, segments: wants })
  }
  return submits
}

test('no 60 seconds at the carrier ever exceed the limit', () => {
  const step = fc.record({
    waitMs: fc.oneof(fc.nat(300), fc.nat(5_000), fc.nat(70_000)),
    wants: fc.integer({ min: 1, max: 5 }),
    lateMs: fc.nat(SEND_WITHIN_MS),
  })
  const steps = fc.array(step, { maxLength: 150 })
  fc.assert(
    fc.property(fc.integer({ min: 5, max: 40 }), steps, (limit, taken) => {
      const submits = submitTimes(limit, taken)
      for (const { atMs: fromMs } of submits) {
        const within = submits.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + MINUTE_MS)
        const used = within.reduce((sum, { segments }) => sum + segments, 0)
        if (used > limit) return false
      }
      return true
    }),
    { numRuns: 300 },
  )
})

test('a lane is free again exactly at the predicted time', () => {
  const uses = fc.array(
    fc.record({ second: fc.nat(59), segments: fc.integer({ min: 1, max: 9 }) }),
    {
      minLength: 1,
      maxLength: 20,
    },
  )
  fc.assert(
    fc.property(uses, fc.integer({ min: 1, max: 9 }), (given, wants) => {
      let slots = {}
      for (const { second, segments } of given) {
        slots = withUse('att-sms', slots, new Date(START_MS + second * 1000), segments)
      }
      const limit = Math.max(usedIn(slots), 9)
      const now = new Date(START_MS + MINUTE_MS - 1)
      const at = freeAt('att-sms', currentSlots('att-sms', slots, now), limit, wants, now)
      const used = (moment: Date) => usedIn(currentSlots('att-sms', slots, moment))
      assert.ok(used(at) + wants <= limit)
      if (at > now) assert.ok(used(new Date(at.getTime() - 1)) + wants > limit)
    }),
  )
})

test('old slots are dropped, so a lane stays small', () => {
  let slots: Record<string, number> = {}
  for (let second = 0; second < 600; second += 1) {
    const now = new Date(START_MS + second * 1000)
    slots = withUse('att-sms', currentSlots('att-sms', slots, now), now, 1)
  }
  assert.ok(Object.keys(slots).length <= 64)
})

test('the daily cap counts a Pacific day, whatever its length', () => {
  for (const [noon, midnight, day] of [
    ['2026-03-07T20:00:00Z', '2026-03-08T08:00:00.000Z', '2026-03-07'],
    ['2026-03-08T20:00:00Z', '2026-03-09T07:00:00.000Z', '2026-03-08'], // 23 hours
    ['2026-11-01T20:00:00Z', '2026-11-02T08:00:00.000Z', '2026-11-01'], // 25 hours
    ['2026-11-01T07:00:00Z', '2026-11-02T08:00:00.000Z', '2026-11-01'],
    ['2026-11-01T06:59:59.999Z', '2026-11-01T07:00:00.000Z', '2026-10-31'],
    ['2026-12-31T20:00:00Z', '2027-01-01T08:00:00.000Z', '2026-12-31'],
  ] as const) {
    const now = new Date(noon)
    assert.equal(pacificDay(now), day)
    assert.equal(nextPacificMidnight(now).toISOString(), midnight)
    const slots = withUse('tmo', {}, now, 5)
    assert.deepEqual(slots, { [day]: 5 })
    assert.equal(freeAt('tmo', slots, 5, 1, now).toISOString(), midnight)
    assert.deepEqual(currentSlots('tmo', slots, new Date(midnight)), {})
    assert.deepEqual(currentSlots('tmo', slots, new Date(Date.parse(midnight) - 1)), slots)
  }
})

test('the next Pacific midnight is the first moment of another day', () => {
  const moments = fc.date({
    min: new Date('2020-01-01'),
    max: new Date('2035-01-01'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(moments, (now) => {
      const midnight = nextPacificMidnight(now)
      assert.ok(midnight > now)
      assert.ok(midnight.getTime() - now.getTime() <= 25 * 3_600_000)
      assert.notEqual(pacificDay(midnight), pacificDay(now))
      assert.equal(pacificDay(new Date(midnight.getTime() - 1)), pacificDay(now))
    }),
  )
})

test('a claimed message must leave in the period in which it was counted', () => {
  const midnight = Date.UTC(2026, 10, 15, 8)
  for (const [route, beforeMs, byMs] of [
    ['att-sms', 500, null],
    ['att-mms', 500, null],
    ['tmo', MINUTE_MS + 1, null],
    ['tmo', MINUTE_MS - 1, midnight - 1],
    ['tmo', 500, midnight - 1],
  ] as const) {
    const now = new Date(midnight - beforeMs)
    const leaseUntil = new Date(now.getTime() + MINUTE_MS)
    assert.equal(submitByOf(route, now, leaseUntil)?.getTime() ?? null, byMs)
  }
})
