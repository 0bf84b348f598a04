// Networks of phone numbers without a wait: what is read, what is stored and how often, and what is looked up for a
// fee. The database is a fake, and machine time moves by hand.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Clock } from '../../kit/clock.js'
import type { Network } from '../../messages/carrier-port.js'
import { NumberLookupCache } from './number-lookup-cache.js'

const DAY_MS = 86_400_000
const [ONE, TWO] = ['+13105550101', '+13105550102']

interface Statement {
  text: string
  values: unknown[]
}

interface Options {
  /** All rows of the table, newest first. */
  rows?: object[]
  prefixes?: [string, Network][]
  hasLookUps?: boolean
}

function open(t: TestContext, { rows = [], prefixes = [], hasLookUps = false }: Options = {}) {
  let nowMs = 10_000_000
  t.mock.method(performance, 'now', () => nowMs)
  // Writes wait for each other. Here they follow at once.
  t.mock.method(globalThis, 'setTimeout', (run: () => void) => setImmediate(run))
  const clock = new Clock()
  const statements: Statement[] = []
  const warnings: unknown[] = []
  const state = { isAway: false, rows, hasLookUps }
  const db = {
    query: async (statement: Statement) => {
      statements.push(statement)
      if (state.isAway) throw new Error('the database is down')
      if (statement.text.includes('order by seen_at')) {
        return state.rows.slice(0, statement.values[0] as number)
      }
      if (!statement.text.includes('phone_number = any')) return []
      const asked = statement.values[0] as string[]
      return state.rows.filter((row) => asked.includes((row as { number: string }).number))
    },
  }
  const log = { warn: (_: object, text: string) => warnings.push(text), error: () => {} }
  const lookedUp: string[] = []
  const world = { db, clock, log } as unknown as ConstructorParameters<typeof NumberLookupCache>[0]
  const settings = { prefixes: new Map(prefixes), learnedMs: 30 * DAY_MS }
  const cache = new NumberLookupCache(world, settings, {
    hasLookUps: () => state.hasLookUps,
    lookUp: async (number) => void lookedUp.push(number),
  })
  const count = (part: string) => statements.filter(({ text }) => text.includes(part)).length
  return {
    ...{ cache, state, clock, statements, warnings, lookedUp, settings },
    starts: () => count('order by seen_at'),
    reads: () => count('phone_number = any') - count('delete'),
    written: () =>
      statements
        .filter(({ text }) => text.includes('insert into'))
        .map(({ values }) => values.slice(0, 3)),
    settle: () => new Promise(setImmediate),
    move: (ms: number) => {
      nowMs += ms
    },
  }
}

const rowOf = (number: string, more: object = {}) => ({
  ...{ number, network: 'att', isLandline: false, link: 'a', seenAt: new Date() },
  ...more,
})

test('the longest prefix decides for a number that nobody has reported', (t) => {
  const prefixes: [string, Network][] = [
    ['+1', 'att'],
    ['+1310', 'tmo'],
    ['+13105550101', 'vzw'],
  ]
  const { cache, settings } = open(t, { prefixes })
  for (const [number, network] of [
    [ONE, 'vzw'],
    [TWO, 'tmo'],
    ['+12125550100', 'att'],
    ['+442079460000', null],
  ] as const) {
    assert.equal(cache.networkOf(number), network, number)
  }
  cache.follow({ ...settings, prefixes: new Map() })
  assert.equal(cache.networkOf(ONE), null, 'after a reload without prefixes')
})

test('what a carrier reports overrides prefixes, also if it reports no network', (t) => {
  const { cache } = open(t, { prefixes: [['+1310', 'tmo']] })
  cache.learn(ONE, { network: 'att' }, 'a')
  cache.learn(TWO, { network: null }, 'a')
  assert.deepEqual([cache.networkOf(ONE), cache.networkOf(TWO)], ['att', null])
  cache.learn(ONE, {}, 'a')
  cache.learn(ONE, { isLandline: false }, 'a')
  assert.equal(cache.networkOf(ONE), 'att', 'nothing was reported')
  assert.deepEqual([cache.isLandline(ONE), cache.isLandline(TWO)], [false, false])
  cache.learn(ONE, { isLandline: true }, 'a')
  assert.deepEqual([cache.isLandline(ONE), cache.networkOf(ONE)], [true, null])
  cache.learn(ONE, { network: 'vzw' }, 'a')
  assert.deepEqual([cache.isLandline(ONE), cache.networkOf(ONE)], [false, 'vzw'])
})

test('data is valid for the days of the settings', (t) => {
  const { cache, clock, settings } = open(t)
  cache.learn(ONE, { network: 'att' }, 'a')
  cache.follow({ ...settings, learnedMs: 5_000 })
  assert.equal(cache.networkOf(ONE), 'att')
  clock.moveTo(5_000)
  assert.equal(cache.networkOf(ONE), null)
})

test('a report is written at once, and again only if it changes or is a day old', async (t) => {
  const { cache, clock, written, statements } = open(t)
  const learn = async (network: Network | null) => {
    const before = written().length
    cache.learn(ONE, { network }, 'acme')
    await cache.drain()
    return written().length - before
  }
  const at = clock.nowMs()
  t.mock.method(clock, 'nowMs', () => at)
  assert.equal(await learn('att'), 1)
  const [{ values }] = statements as [Statement]
  assert.deepEqual(values.slice(0, 4), [[ONE], ['att'], [false], ['acme']])
  assert.deepEqual(values.slice(4), [[new Date(at)], new Date(at - DAY_MS)])
  assert.equal(await learn('att'), 0, 'the same')
  assert.equal(await learn('tmo'), 1, 'another network')
  cache.learn(ONE, { network: null, isLandline: true }, 'acme')
  cache.learn(TWO, { network: null }, 'acme')
  await cache.drain()
  assert.deepEqual(written().at(-1), [
    [ONE, TWO],
    [null, null],
    [true, false],
  ])
  t.mock.method(clock, 'nowMs', () => at + DAY_MS - 1)
  cache.learn(TWO, { network: null }, 'acme')
  await cache.drain()
  const before = written().length
  t.mock.method(clock, 'nowMs', () => at + DAY_MS)
  cache.learn(TWO, { network: null }, 'acme')
  await cache.drain()
  assert.equal(written().length, before + 1, 'a day later')
})

test('reports that wait for the same write are one row per number, the latest, in order', async (t) => {
  const { cache, written } = open(t)
  cache.learn('+13105550100', { network: 'att' }, 'a') // is written at once
  for (const [number, network] of [
    [TWO, 'att'],
    [ONE, 'att'],
    [TWO, 'vzw'],
  ] as const) {
    cache.learn(number, { network }, 'a')
  }
  await cache.drain()
  assert.deepEqual(written().at(-1)?.slice(0, 2), [
    [ONE, TWO],
    ['att', 'vzw'],
  ])
})

test('the most recent rows are read at the start, and other numbers when they are first used', async (t) => {
  const { cache, starts, reads, settle, statements } = open(t, { rows: [rowOf(ONE)] })
  cache.start()
  await settle()
  assert.deepEqual([starts(), statements[0]!.values], [1, [50_000]])
  assert.equal(cache.networkOf(ONE), 'att')
  assert.equal(reads(), 0, 'it is in memory')
  for (let i = 0; i < 3; i += 1) assert.equal(cache.networkOf(TWO), null)
  await settle()
  assert.equal(reads(), 1)
  cache.networkOf(TWO)
  await settle()
  assert.equal(reads(), 1, 'it is known to be unknown')
})

test('an unknown number is read again after five minutes, and a known one after an hour', async (t) => {
  const { cache, reads, settle, move, state } = open(t, { rows: [rowOf(ONE)] })
  cache.start()
  await settle()
  cache.networkOf(TWO)
  await settle()
  move(299_999)
  cache.networkOf(TWO)
  await settle()
  assert.equal(reads(), 1)
  state.rows = [rowOf(ONE, { network: 'vzw' }), rowOf(TWO, { network: 'tmo' })]
  move(1)
  cache.networkOf(TWO)
  await settle()
  assert.deepEqual([reads(), cache.networkOf(TWO)], [2, 'tmo'])
  move(3_300_000 - 1)
  assert.equal(cache.networkOf(ONE), 'att')
  move(1)
  cache.networkOf(ONE)
  await settle()
  assert.equal(cache.networkOf(ONE), 'vzw')
})

test('a report that arrives while the number is read is newer than the row', async (t) => {
  const { cache, settle } = open(t, { rows: [rowOf('+13105550100'), rowOf(ONE)] })
  cache.learn('+13105550100', { network: 'vzw' }, 'a')
  cache.start()
  cache.learn(TWO, { network: 'vzw' }, 'a')
  await settle()
  assert.equal(cache.networkOf('+13105550100'), 'vzw', 'at the start')
  const later = '+13105550109'
  cache.networkOf(later)
  cache.learn(later, { network: 'tmo' }, 'a')
  await settle()
  assert.equal(cache.networkOf(later), 'tmo')
})

test('an empty table is checked once a minute, and nothing is read from it meanwhile', async (t) => {
  const { cache, starts, reads, settle, move, state, statements } = open(t)
  cache.networkOf(ONE)
  await settle()
  assert.deepEqual([starts(), reads()], [0, 0], 'not before the start')
  cache.start()
  cache.networkOf(ONE)
  await settle()
  assert.deepEqual([starts(), reads()], [1, 0])
  move(59_999)
  cache.networkOf(ONE)
  await settle()
  assert.equal(starts(), 1)
  state.rows = [rowOf(TWO), rowOf(ONE)]
  move(1)
  cache.networkOf(ONE)
  cache.networkOf(ONE)
  await settle()
  assert.deepEqual([starts(), statements.at(-1)!.values], [2, [1]])
  cache.networkOf(ONE)
  await settle()
  assert.deepEqual([reads(), cache.networkOf(ONE)], [1, 'att'])
})

test('a failed read is logged and tried again, at the start after a minute', async (t) => {
  const { cache, settle, move, state, starts, warnings, reads } = open(t, { rows: [rowOf(ONE)] })
  state.isAway = true
  cache.start()
  await settle()
  assert.deepEqual([starts(), warnings], [1, ['number lookups not read']])
  cache.networkOf(ONE)
  await settle()
  assert.equal(starts(), 1)
  state.isAway = false
  move(60_000)
  cache.networkOf(ONE)
  await settle()
  assert.equal(cache.networkOf(ONE), 'att')
  state.isAway = true
  cache.networkOf(TWO)
  await settle()
  const before = reads()
  cache.networkOf(TWO)
  await settle()
  assert.deepEqual([warnings.length, reads()], [3, before + 1])
  cache.learn(TWO, { network: 'att' }, 'a')
  await cache.drain()
  assert.equal(warnings.at(-1), 'number lookups not stored')
})
