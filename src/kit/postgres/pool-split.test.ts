// How connections are divided: all of them are used, and every pool gets enough.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountShare, poolLimits, splitPool } from './pool-split.js'

test('the pools together have the given number of connections, each at least two', () => {
  for (let max = 8; max <= 200; max += 1) {
    const sizes = Object.values(splitPool(max)!)
    assert.equal(
      sizes.reduce((sum, size) => sum + size),
      max,
    )
    assert.ok(Math.min(...sizes) >= 2, `${max}: ${sizes}`)
  }
  assert.deepEqual(splitPool(12), { send: 3, read: 3, report: 2, worker: 4 })
})

test('fewer than eight connections are not divided', () => {
  assert.equal(splitPool(7), null)
  assert.notEqual(splitPool(8), null)
})

test("an account's share leaves a connection to others if there are two", () => {
  assert.equal(accountShare(1), 1)
  for (let size = 2; size <= 50; size += 1) {
    assert.ok(accountShare(size) >= 1 && accountShare(size) < size, String(size))
  }
})

test('reads and reports get half the statement time, but at least a second', () => {
  const timeOf = (statementMs: number) =>
    (['send', 'worker', 'read', 'report'] as const).map(
      (name) => poolLimits(name, statementMs).statementMs,
    )
  assert.deepEqual(timeOf(10_000), [10_000, 10_000, 5_000, 5_000])
  assert.deepEqual(timeOf(1_000), [1_000, 1_000, 1_000, 1_000])
})
