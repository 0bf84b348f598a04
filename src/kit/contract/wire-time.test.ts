// Every time is written as toISOString writes it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wireTime } from './wire-time.js'

test('a time is written as toISOString writes it, whatever was written before', () => {
  const times = [0, 7, 42, 999, 1_000, -1, -1_000, -62_198_755_200_000, 253_402_300_800_000]
  const startMs = Date.parse('2026-11-15T23:59:58.000Z')
  for (let i = 0; i < 2_000; i += 1) times.push(startMs + ((i * 7_919) % 40_000))
  for (const ms of [...times, ...times.toReversed()]) {
    assert.equal(wireTime(new Date(ms)), new Date(ms).toISOString())
  }
})

test('an invalid time is refused', () => {
  assert.throws(() => wireTime(new Date(Number.NaN)), RangeError)
})
