// Which phone numbers are looked up at a carrier for a fee, how often, and how old data is deleted.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Clock } from '../../kit/clock.js'
import { NumberLookupCache, networkRetentionLoop } from './number-lookup-cache.js'

const DAY_MS = 86_400_000
const number = (i: number) => `+1310555${String(1_000 + i)}`

function open(t: TestContext, rows: { number: string; seenAt: Date }[]) {
  let nowMs = 10_000_000
  t.mock.method(performance, 'now', () => nowMs)
  const state = { hasLookUps: true }
  const db = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      if (text.includes('order by seen_at')) return rows.slice(0, values[0] as number)
      const asked = values[0] as string[]
      return rows.filter((row) => asked.includes(row.number))
    },
  }
  const log = { warn: () => {}, error: () => {} }
  const started: string[] = []
  const ends: (() => void)[] = []
  const world = { db, clock: new Clock(), log }
  const cache = new NumberLookupCache(
    world as unknown as ConstructorParameters<typeof NumberLookupCache>[0],
    { prefixes: new Map(), learnedMs: 30 * DAY_MS },
    {
      hasLookUps: () => state.hasLookUps,
      lookUp: (one) => {
        started.push(one)
        return new Promise((resolve) => ends.push(resolve))
      },
    },
  )
  const use = async (...numbers: string[]) => {
    for (const one of numbers) cache.networkOf(one)
    await new Promise(setImmediate)
  }
  const move = (ms: number) => {
    nowMs += ms
  }
  return { cache, state, started, ends, use, move }
}

const row = (one: string, ageMs = 0) => ({
  ...{ number: one, network: 'att', isLandline: false, link: 'a' },
  seenAt: new Date(Date.now() - ageMs),
})

test('a number is looked up if nothing is known about it, or only what is too old', async (t) => {
  const { cache, started, use } = open(t, [row(number(0)), row(number(1), 31 * DAY_MS)])
  cache.start()
  await use(number(9)) // the table is being read
  assert.deepEqual(started, [])
  await use(number(0), number(1), number(2))
  assert.deepEqual(started, [number(2)], 'one is known, and one is in memory although too old')
})

test('a stored row that is too old is looked up when it is read', async (t) => {
  const rows = [row(number(0))]
  const { cache, started, use } = open(t, rows)
  cache.start()
  await use()
  rows.push(row(number(1), 31 * DAY_MS), row(number(2)))
  await use(number(1), number(2), number(3))
  assert.deepEqual(started, [number(1), number(3)])
})

test('with an empty table, numbers are looked up at once, but not before it was read', async (t) => {
  const { cache, started, use } = open(t, [])
  await use(number(1))
  assert.deepEqual(started, [])
  cache.start()
  await use()
  await use(number(1), number(2))
  assert.deepEqual(started, [number(1), number(2)])
})

test('four lookups run at once, each number once, and again after an hour without a result', async (t) => {
  const { cache, started, ends, use, move } = open(t, [])
  cache.start()
  await use()
  const all = [1, 2, 3, 4, 5, 6].map(number)
  await use(...all, ...all)
  assert.deepEqual(started, all.slice(0, 4))
  ends[1]!()
  await use(...all)
  assert.deepEqual(started, all.slice(0, 5))
  for (let i = 0; i < 7; i += 1) {
    for (const end of ends) end()
    await use(...all)
  }
  assert.deepEqual(started, all)
  move(59_999) // then the empty table is checked again
  await use(...all)
  assert.equal(started.length, 6)
  move(3_600_000 - 59_999)
  await use(...all)
  await use(...all)
  assert.deepEqual(started.slice(6), all.slice(0, 4))
})

test('nothing is looked up without a carrier that can do it', async (t) => {
  const { cache, state, started, use } = open(t, [])
  state.hasLookUps = false
  cache.start()
  await use()
  await use(number(1))
  assert.deepEqual(started, [])
  state.hasLookUps = true
  await use(number(1))
  assert.deepEqual(started, [number(1)], 'after a reload')
})

test('data older than the settings say is deleted, a portion at a time', async () => {
  const deletes: unknown[][] = []
  let rows = 1_000
  const patient = {
    query: async ({ values }: { values: unknown[] }) => {
      deletes.push(values)
      return Array(rows).fill({})
    },
  }
  const clock = new Clock()
  const now = clock.nowMs()
  clock.nowMs = () => now
  const world = { db: { patient }, clock, log: { error: () => {} } }
  let learnedMs = DAY_MS
  const loop = networkRetentionLoop(
    world as unknown as Parameters<typeof networkRetentionLoop>[0],
    () => learnedMs,
  )
  const step = () => loop.step(new AbortController().signal)
  assert.equal(await step(), 1_000)
  rows = 7
  learnedMs = 2 * DAY_MS
  assert.equal(await step(), 7)
  assert.deepEqual(deletes, [
    [new Date(now - DAY_MS), 1_000],
    [new Date(now - 2 * DAY_MS), 1_000],
  ])
  assert.deepEqual([loop.hints, loop.idleMs], [['clock'], 600_000])
})
