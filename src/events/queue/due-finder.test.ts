// Which period each poll reads, and when it includes a sweep over all subscriptions.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Hints } from '../../kit/hints.js'
import type { Queryable } from '../../kit/postgres/db.js'
import type { Statement } from '../../kit/postgres/sql.js'
import type { SubscriberKey } from './delivery-claim-queries.js'
import { DueFinder } from './due-finder.js'

const START_MS = Date.parse('2026-11-15T12:00:00.000Z')
const key = (i: number): SubscriberKey => ({ accountId: 'acc', subscriberId: `whk${i}` })

/** A database with this many subscriptions. The even ones have something due. */
function stage(subscriptions: number) {
  const spans: number[][] = []
  const sweptFrom: string[] = []
  let left = subscriptions
  const db = {
    query: async ({ text, values }: Statement) => {
      if (text.includes('group by')) {
        spans.push(values.map((value) => (value as Date).getTime() - START_MS))
        return [{ ...key(-1), dueAt: new Date(0) }]
      }
      sweptFrom.push(values.slice(-3, -1).join(' '))
      assert.equal(values.at(-1), 1_000)
      const from = subscriptions - left
      const count = Math.min(left, 1_000)
      left -= count
      return Array.from({ length: count }, (_, i) => ({ ...key(from + i), isDue: i % 2 === 0 }))
    },
  } as unknown as Queryable
  return {
    finder: new DueFinder({ db, hints: new Hints(), kind: 'webhook' }),
    spans,
    sweptFrom,
    refill: () => {
      left = subscriptions
    },
  }
}

test('the first poll reads ten seconds back, and later ones read what came since, with an overlap', async () => {
  const { finder, spans } = stage(0)
  for (const ms of [0, 300, 3_300, 13_300, 24_000]) await finder.look(new Date(START_MS + ms))
  assert.deepEqual(spans, [
    [-10_000, 0],
    [-2_000, 300],
    [-1_700, 3_300],
    [3_300, 13_300],
    [14_000, 24_000],
  ])
})

test('the first sweep continues page by page to the end and returns what is due', async (t) => {
  t.mock.method(performance, 'now', () => 50_000)
  const { finder, sweptFrom } = stage(1_500)
  const first = await finder.look(new Date(START_MS))
  assert.equal(first[0]?.subscriberId, 'whk-1')
  assert.equal(first.length, 1 + 500)
  assert.equal((first.at(-1) as SubscriberKey).subscriberId, 'whk998')
  assert.equal((await finder.look(new Date(START_MS + 20))).length, 1 + 250)
  const last = await finder.look(new Date(START_MS + 40))
  assert.deepEqual(
    last.map(({ subscriberId }) => subscriberId),
    ['whk-1'],
  )
  assert.deepEqual(sweptFrom, [' ', 'acc whk999'])
})

test('a full last page is followed by an empty one', async (t) => {
  t.mock.method(performance, 'now', () => 50_000)
  const { finder, sweptFrom } = stage(1_000)
  for (const ms of [0, 20, 40]) await finder.look(new Date(START_MS + ms))
  assert.deepEqual(sweptFrom, [' ', 'acc whk999'])
})

test('a sweep runs again after ten seconds of real time, or a jump of the clock', async (t) => {
  let machineMs = 50_000
  t.mock.method(performance, 'now', () => machineMs)
  const { finder, sweptFrom, refill } = stage(1)
  const sweepsAfter = async (clockMs: number) => {
    refill()
    await finder.look(new Date(START_MS + clockMs))
    return sweptFrom.length
  }
  assert.equal(await sweepsAfter(0), 1)
  machineMs += 10_000
  assert.equal(await sweepsAfter(10_000), 1, 'not yet')
  machineMs += 1
  assert.equal(await sweepsAfter(10_001), 2)
  assert.equal(await sweepsAfter(20_001), 2, 'as far as one poll reads')
  assert.equal(await sweepsAfter(30_002), 3)
  assert.deepEqual(sweptFrom, [' ', ' ', ' '])
})
