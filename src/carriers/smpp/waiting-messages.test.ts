// The queue of a link: first in, first out, whatever its length.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WaitingMessages } from './waiting-messages.js'

test('a queue returns its items in order, also while new ones arrive', () => {
  const queue = new WaitingMessages<number>()
  assert.deepEqual([queue.length, queue.peek(), queue.shift()], [0, undefined, undefined])
  let [next, expected] = [0, 0]
  // More arrive than leave, then fewer: the space of removed items is reclaimed several times.
  for (const [arriving, leaving] of [
    [3_000, 1_023],
    [0, 1],
    [10, 1_500],
    [5_000, 2_000],
    [0, 3_486],
  ] as const) {
    for (let i = 0; i < arriving; i += 1) queue.push(next++)
    for (let i = 0; i < leaving; i += 1) {
      assert.equal(queue.peek(), expected)
      assert.equal(queue.shift(), expected++)
      assert.equal(queue.length, next - expected)
    }
  }
  assert.deepEqual([queue.length, queue.shift(), queue.length], [0, undefined, 0])
})

test('taking everything leaves an empty queue that can be used again', () => {
  const queue = new WaitingMessages<string>()
  for (const item of ['a', 'b', 'c']) queue.push(item)
  queue.shift()
  assert.deepEqual(queue.takeAll(), ['b', 'c'])
  assert.deepEqual([queue.length, queue.takeAll(), queue.peek()], [0, [], undefined])
  queue.push('d')
  assert.deepEqual([queue.length, queue.peek(), queue.takeAll()], [1, 'd', ['d']])
})
