// What is left of a batch that was only partly sent.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { furthest, restOf } from './rest'

const cost = (segments: number) => ({ segments, price: segments * 0.5 })
const costs = [[cost(1), cost(2)], [cost(1), null, cost(3)], [cost(4)]]

test('nothing was sent: all rows are left, except those the service would refuse', () => {
  assert.deepEqual(restOf(costs, { blocksDone: 0 }), { messages: 5, segments: 11, price: 5.5 })
})

test('complete blocks and settled rows of the next one are not sent again', () => {
  const progress = { blocksDone: 1, open: [2] }
  assert.deepEqual(restOf(costs, progress), { messages: 2, segments: 7, price: 3.5 })
})

test('everything was sent: nothing is left', () => {
  assert.deepEqual(restOf(costs, { blocksDone: 3 }), { messages: 0, segments: 0, price: 0 })
})

test('the record of this page or of an earlier one counts, whichever got further', () => {
  assert.deepEqual(furthest({ blocksDone: 1, open: [0] }, { blocksDone: 2 }), { blocksDone: 2 })
  assert.deepEqual(furthest({ blocksDone: 1, open: [0] }, { blocksDone: 1 }).open, [0])
  assert.deepEqual(furthest(null, null), { blocksDone: 0 })
})
