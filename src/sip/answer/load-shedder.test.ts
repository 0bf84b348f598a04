// A flood on one trunk costs no other trunk a call, and unused capacity is shared.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoadShedder } from './load-shedder.js'
import { TokenBucket } from './token-bucket.js'

const NO_LIMITS = { callsPerSecond: 0, callsPerDay: 0 }
const trunkOf = (name: string, callsPerSecond = 0) => ({
  name,
  limits: { ...NO_LIMITS, callsPerSecond },
})

/** How many of these concurrent calls are accepted. */
function admitted(shedder: LoadShedder, name: string, calls: number, nowMs: number): number {
  let count = 0
  for (let i = 0; i < calls; i += 1) if (shedder.refuse({ name }, nowMs) === null) count += 1
  return count
}

test('a trunk under its share loses no call to a flood on another', () => {
  const shedder = new LoadShedder(100, 5, [trunkOf('quiet'), trunkOf('flood')])
  for (let second = 0; second < 60; second += 1) {
    for (let tick = 0; tick < 10; tick += 1) {
      const nowMs = second * 1000 + tick * 100
      admitted(shedder, 'flood', 1_000, nowMs)
      assert.equal(admitted(shedder, 'quiet', 4, nowMs), 4, `after ${nowMs} ms`)
    }
  }
})

test('a trunk can use what other trunks leave, up to the limit of the process', () => {
  const shedder = new LoadShedder(100, 5, [trunkOf('a'), trunkOf('b'), trunkOf('c')])
  let total = 0
  for (let tick = 0; tick < 600; tick += 1) total += admitted(shedder, 'a', 1_000, tick * 100)
  assert.ok(total >= 0.95 * 60 * 100, `${total} of 6,000`)
  assert.ok(total <= 60 * 100 + 100, `${total} of 6,000`)
  const all = ['a', 'b', 'c'].map((name) => admitted(shedder, name, 1_000, 1_000_000))
  assert.ok(all.reduce((sum, one) => sum + one, 0) <= 100, all.join(' '))
  for (const one of all) assert.ok(one >= 33, all.join(' '))
})

test('a trunk with its own rate limit gets no more than that', () => {
  const shedder = new LoadShedder(1_000, 5, [trunkOf('slow', 10), trunkOf('other')])
  assert.equal(admitted(shedder, 'slow', 500, 0), 10)
  assert.equal(admitted(shedder, 'slow', 500, 500), 5)
  assert.equal(shedder.refuse({ name: 'slow' }, 500), 5, 'seconds to stay away')
  assert.equal(admitted(shedder, 'other', 500, 500), 500)
})

test('a bucket in debt refills before it allows calls again', () => {
  const bucket = new TokenBucket(10)
  for (let i = 0; i < 15; i += 1) bucket.owe(0)
  assert.equal(bucket.waitMs(0), 500)
  assert.equal(bucket.take(500), false)
  assert.equal(bucket.waitMs(500), 0)
  assert.equal(bucket.take(600), true)
  for (let i = 0; i < 1_000; i += 1) bucket.owe(600)
  assert.equal(bucket.waitMs(600), 1_000, 'at most a second')
})
