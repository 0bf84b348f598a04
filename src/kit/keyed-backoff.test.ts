// An account that fails waits longer and longer, without affecting others.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyedBackoff } from './keyed-backoff.js'

test('a failing key is set aside for longer each time until it succeeds, and others continue', async (t) => {
  let nowMs = 1_000
  t.mock.method(performance, 'now', () => nowMs)
  const errors: unknown[] = []
  const aside = new KeyedBackoff((error) => errors.push(error))
  const away = new Error('away')
  let isAway = true
  let attempts = 0
  const work = async () => {
    attempts += 1
    if (isAway) throw away
    return attempts
  }
  const attempt = () => aside.attempt('acc_1', work)

  assert.equal(await attempt(), null)
  assert.equal(await aside.attempt('acc_2', async () => 'done'), 'done')
  nowMs += 199
  assert.equal(await attempt(), null)
  assert.deepEqual([attempts, errors], [1, [away]], 'the work was not attempted')
  nowMs += 1
  await attempt()
  nowMs += 399
  await attempt()
  assert.equal(attempts, 2, 'twice as long')
  nowMs += 1
  isAway = false
  assert.equal(await attempt(), 3)
  isAway = true
  await attempt()
  nowMs += 200
  await attempt()
  assert.equal(attempts, 5, 'after a success it starts again')
})
