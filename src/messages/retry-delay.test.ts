// How long a message waits before it is tried again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ATTEMPTS_MAX, EXPIRY_MS, retryDelayMs } from './retry-delay.js'

test('the delay doubles from one second to five minutes', () => {
  const middle = () => 0.5
  const delays = [1, 2, 3, 4, 8, 9, 10, 15, 20].map((attempt) => retryDelayMs(attempt, middle))
  assert.deepEqual(
    delays,
    [1, 2, 4, 8, 128, 256, 300, 300, 300].map((seconds) => seconds * 1000),
  )
})

test('jitter moves the delay by a fifth at most', () => {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const middle = retryDelayMs(attempt, () => 0.5)
    assert.equal(
      retryDelayMs(attempt, () => 0),
      middle * 0.8,
    )
    assert.ok(retryDelayMs(attempt, () => 0.999999) <= middle * 1.2)
    const drawn = retryDelayMs(attempt)
    assert.ok(drawn >= middle * 0.8 && drawn <= middle * 1.2)
  }
})

test('all tries fit into the time after which a message expires', () => {
  let spentMs = 0
  for (let attempt = 1; attempt < ATTEMPTS_MAX; attempt += 1) {
    spentMs += retryDelayMs(attempt, () => 1)
  }
  assert.ok(spentMs < EXPIRY_MS)
})
