// The table of moves against the decisions. Another test checks that PostgreSQL refuses the same moves.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canMove, MOVES, NEXT, STATUSES } from './message-state.js'

test('the moves are exactly those of the decisions', () => {
  const decided = [
    'CREATED SCHEDULED',
    'CREATED QUEUED',
    'SCHEDULED QUEUED',
    'SCHEDULED FAILED',
    'QUEUED SENT',
    'QUEUED DELIVERED',
    'QUEUED READ',
    'QUEUED FAILED',
    'QUEUED EXPIRED',
    'SENT DELIVERED',
    'SENT READ',
    'SENT FAILED',
    'DELIVERED READ',
  ]
  assert.deepEqual(
    MOVES.map((move) => move.join(' ')),
    decided,
  )
  for (const source of STATUSES) {
    for (const target of STATUSES) {
      assert.equal(canMove(source, target), decided.includes(`${source} ${target}`))
    }
  }
})

test('no message returns to a status that it has left', () => {
  const after = (source: (typeof STATUSES)[number]): Set<string> =>
    new Set(NEXT[source].flatMap((next) => [next, ...after(next)]))
  for (const status of STATUSES) assert.ok(!after(status).has(status), status)
})
