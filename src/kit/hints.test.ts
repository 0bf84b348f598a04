// Hints: who receives them, and when.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Hints } from './hints.js'

test('a reminder of postponed work arrives when it is due, where polls are rare', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const hints = new Hints()
  let received = 0
  hints.subscribe('numbers', () => {
    received += 1
  })
  hints.remind('numbers', 2_000)
  t.mock.timers.tick(10_000)
  assert.equal(received, 0, 'a poll each second finds it')

  const relayed: string[] = []
  hints.share({ relay: (hint) => relayed.push(hint), hasTurn: () => true })
  for (let i = 0; i < 100; i += 1) hints.remind('numbers', 2_000)
  hints.remind('numbers', 3_600_000)
  t.mock.timers.tick(1_999)
  assert.equal(received, 0)
  t.mock.timers.tick(2_001)
  const soon: number = received
  assert.ok(soon === 1 || soon === 2, 'once for all of a second')
  t.mock.timers.tick(3_600_000)
  assert.equal(received, soon, 'an hour is for the poll')
  assert.deepEqual(relayed, [], 'other processes do not need it')
})
