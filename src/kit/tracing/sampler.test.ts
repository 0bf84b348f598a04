// Which requests are traced.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sampler } from './sampler.js'

const parent = (isSampled: boolean) => ({
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  isSampled,
})

test('a ratio of 1 samples every request, and a ratio of 0 none', () => {
  assert.equal(new Sampler(1).isSampled(null), true)
  assert.equal(new Sampler(0).isSampled(null), false)
})

test('a client decides for its own trace, at most ten times a second', () => {
  let nowMs = 0
  const sampler = new Sampler(0, () => nowMs)
  assert.equal(new Sampler(1).isSampled(parent(false)), false)
  const sampled = Array.from({ length: 12 }, () => sampler.isSampled(parent(true)))
  assert.equal(sampled.filter(Boolean).length, 10)
  nowMs = 1_000
  assert.equal(sampler.isSampled(parent(true)), true)
})
