// One call counts once, however often it is repeated, and memory stays bounded whatever comes.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Metrics } from '../kit/metrics.js'
import type { World } from '../kit/world.js'
import { CallCounts } from './call-counts.js'
import { CallLimits } from './call-limits.js'
import { SipMeter } from './sip-meter.js'

const START_MS = Date.parse('2026-11-15T12:00:00.000Z')

function stage(t: TestContext) {
  let elapsedMs = 0
  t.mock.method(performance, 'now', () => elapsedMs)
  const warned: object[] = []
  const world = {
    clock: { nowMs: () => START_MS + elapsedMs },
    db: { query: async () => [] },
    log: { warn: (fields: object) => warned.push(fields) },
  } as unknown as World
  const meter = new SipMeter(new Metrics())
  const limit = { perSecond: 0, perDay: 0 }
  const limits = new CallLimits({ number: limit, account: limit }, world.clock, () => null)
  const counts = new CallCounts(world, meter, limits)
  const call = (tag: string, number: string | null = null, status = 404) => {
    const sent = { why: null, trunk: 'test' }
    counts.count({ method: 'INVITE', status, number, tag, ...sent })
  }
  const pass = (ms: number) => {
    elapsedMs += ms
  }
  return { counts, call, pass, warned, calls: meter.calls }
}

test('a call repeated within 32 seconds counts once, and a later one with the same tag counts again', (t) => {
  const { call, pass, calls } = stage(t)
  pass(20_000)
  for (let second = 0; second <= 32; second += 1) {
    call('a')
    call(`other ${second}`)
    pass(1_000)
  }
  assert.equal(calls.unknown.value, 1 + 33)
  pass(64_000)
  call('a')
  assert.equal(calls.unknown.value, 1 + 33 + 1)
})

test('a call refused for overload counts again when it is accepted', (t) => {
  const { call, calls } = stage(t)
  call('a', null, 503)
  call('a', null, 503)
  call('a', '+14155550123', 302)
  call('a', '+14155550123', 302)
  assert.deepEqual([calls.overload.value, calls.redirected.value], [2, 1])
})

test('the latest calls of a flood are remembered', (t) => {
  const { call, calls } = stage(t)
  const count = 300_000
  for (let i = 0; i < count; i += 1) call(`call ${i}`)
  assert.equal(calls.unknown.value, count)
  call(`call ${count - 1}`)
  assert.equal(calls.unknown.value, count, 'the latest call is remembered')
  call('call 0')
  assert.equal(calls.unknown.value, count + 1, 'the first call is no longer remembered')
})

test('calls over the memory limit are not counted, and the log reports their number', async (t) => {
  const { counts, call, warned } = stage(t)
  for (let i = 0; i < 100_003; i += 1) call(`call ${i}`, `+1${4_160_000_000 + i}`, 480)
  await counts.write()
  assert.deepEqual(warned, [{ calls: 3 }])
  await counts.write()
  assert.equal(warned.length, 1)
})
