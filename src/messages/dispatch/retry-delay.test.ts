// How long a message waits before its next attempt.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delayAfterMs, retryDelayMs } from './retry-delay.js'

test('the delay doubles from one second to five minutes', () => {
  const middle = () => 0.5
  const delays = [1, 2, 3, 4, 8, 9, 10, 15, 20].map((attempt) => retryDelayMs(attempt, middle))
  assert.deepEqual(
    delays,
    [1, 2, 4, 8, 128, 256, 300, 300, 300].map((seconds) => seconds * 1000),
  )
})

test('jitter changes the delay by at most a fifth', () => {
  for (let attempt = 1; attempt <= 60; attempt += 1) {
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

test('a carrier’s own delay is used, with a minimum of one second', () => {
  assert.equal(delayAfterMs(9, 90_000), 90_000)
  assert.equal(delayAfterMs(9, 0), 1_000)
  assert.ok(delayAfterMs(1, undefined) <= 1_200)
})
