// Webhook metrics name their time window and cover all of it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delivery } from '../../generated/types.gen'
import { figuresOf } from './delivery-figures'

const NOW = new Date('2026-11-15T12:00:00Z')
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000).toISOString()

const made = (hours: number, state: Delivery['state'], ...codes: (number | null)[]) =>
  ({
    state,
    createdAt: hoursAgo(hours),
    attempts: codes.map((responseCode, i) => ({
      at: hoursAgo(hours),
      responseCode,
      durationMs: 10 * (i + 1),
    })),
  }) as unknown as Delivery

test('a list that covers a day gives the metrics of the last 24 hours', () => {
  const list = [made(0.5, 'delivered', 200), made(2, 'pending', null, 503), made(30, 'failed', 500)]
  for (const hasMore of [true, false]) {
    const { window, counts, p50Ms, p95Ms, buckets } = figuresOf(list, hasMore, NOW)
    assert.deepEqual(window, { kind: 'day' })
    assert.deepEqual(counts, { pending: 1, held: 0, delivered: 1, failed: 0 })
    assert.deepEqual([p50Ms, p95Ms], [10, 20], 'of the two responses')
    assert.equal(buckets.length, 25)
    assert.equal(buckets[1]!.start.getTime() - buckets[0]!.start.getTime(), 5 * 60_000)
    assert.equal(buckets.at(-1)!.start.toISOString(), NOW.toISOString(), 'up to now')
    const tried = buckets.filter(({ attempts }) => attempts > 0)
    assert.deepEqual(
      tried.map(({ attempts, failed, p95Ms }) => [attempts, failed, p95Ms]),
      [
        [2, 2, 20],
        [1, 0, 10],
      ],
    )
  }
})

test('a shorter list gives the metrics of the deliveries it has', () => {
  const list = [made(0, 'delivered', 200), made(1, 'failed', null)]
  const { window, counts, buckets } = figuresOf(list, true, NOW)
  assert.deepEqual(window, { kind: 'last', count: 2 })
  assert.deepEqual(counts, { pending: 0, held: 0, delivered: 1, failed: 1 })
  const tried = buckets.filter(({ attempts }) => attempts > 0)
  assert.deepEqual(
    tried.map(({ start, failed }) => [start.toISOString(), failed]),
    [
      [hoursAgo(1), 1],
      [hoursAgo(0), 0],
    ],
  )
})

test('an empty list has no metrics', () => {
  const { window, counts, p50Ms } = figuresOf([], false, NOW)
  assert.deepEqual(window, { kind: 'day' })
  assert.deepEqual(counts, { pending: 0, held: 0, delivered: 0, failed: 0 })
  assert.equal(p50Ms, null)
})
