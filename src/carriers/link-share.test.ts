// The share of one process: what it requests, how long it may use it, when other processes count as gone, and what
// it leaves behind. The table is in memory, and machine time moves by hand.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Clock } from '../kit/clock.js'
import { LinkShare, openShare, type SharedRate, shareOf } from './link-shares.js'

const TOTAL = 20

interface Row {
  process: string
  perSecond: number
  perSecondBefore: number
  wanted: number
  renewals: number
  seenAt: Date
}

function table(t: TestContext) {
  let nowMs = 1_000_000
  t.mock.method(performance, 'now', () => nowMs)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const rows = new Map<string, Row>()
  const state = { isAway: false, reads: 0, purges: [] as Date[] }
  const query = async ({ text, values }: { text: string; values: unknown[] }) => {
    if (state.isAway) throw new Error('the database is down')
    if (text.includes('select process')) {
      state.reads += 1
      return [...rows.values()]
    }
    if (text.includes('insert into')) {
      const [, process, perSecond, perSecondBefore, wanted, renewals, seenAt] =
        values as unknown as [
          ...[link: string, process: string, perSecond: number, perSecondBefore: number],
          ...[wanted: number, renewals: number, seenAt: Date],
        ]
      rows.set(process, { process, perSecond, perSecondBefore, wanted, renewals, seenAt })
    }
    if (text.includes('process =')) rows.delete(values[1] as string)
    if (text.includes('seen_at <')) state.purges.push(values[1] as Date)
    return []
  }
  const db = { query, transaction: async (work: (tx: object) => Promise<Row>) => work({ query }) }
  const machineNow = new Date('2026-11-16T12:00:00Z')
  const clock = new Clock()
  clock.machineNow = () => machineNow
  const warnings: unknown[] = []
  const log = { warn: (_: object, text: string) => warnings.push(text) }
  const world = { db, clock, log } as unknown as ConstructorParameters<typeof LinkShare>[0]
  const join = (process: string, perSecond = TOTAL) => {
    const rate = new FakeRate()
    return { rate, share: new LinkShare(world, { link: 'a', perSecond, process }, rate) }
  }
  const move = (ms: number) => {
    nowMs += ms
    t.mock.timers.tick(ms)
  }
  return { rows, state, world, join, move, machineNow, warnings, nowMs: () => nowMs }
}

class FakeRate implements SharedRate {
  used = 0
  isLimited = true
  late = 0
  share = 0
  until = 0
  demand() {
    return { perSecond: this.used, isLimited: this.isLimited }
  }
  recent() {
    return this.late
  }
  setShare(perSecond: number, until: number) {
    this.share = perSecond
    this.until = until
  }
}

test('a process gets the whole rate alone, for five seconds from the start of the renewal', async (t) => {
  const { rows, join, nowMs, machineNow } = table(t)
  const { rate, share } = join('one', 20.9)
  await share.renew()
  assert.deepEqual([rate.share, rate.until], [20, nowMs() + 5_000])
  assert.deepEqual(rows.get('one'), {
    ...{ process: 'one', perSecond: 20, perSecondBefore: 0, wanted: 20, renewals: 1 },
    seenAt: machineNow,
  })
  assert.deepEqual([share.loop.idleMs, share.loop.name], [1_050, 'share of a'])
})

test('a process that is not limited asks for a quarter more than it used, and one', async (t) => {
  const { rows, join, move } = table(t)
  const { rate, share } = join('one')
  rate.isLimited = false
  for (const [used, wanted] of [
    [0, 1],
    [1, 3],
    [8, 11],
    [15.2, 20],
    [100, 20],
  ] as const) {
    rate.used = used
    await share.renew()
    assert.equal(rows.get('one')!.wanted, wanted, String(used))
    move(1_100)
  }
})

test('a share is renewed once a second, however often the loop runs', async (t) => {
  const { rows, join, move, state } = table(t)
  const { share } = join('one')
  const { step } = share.loop
  const run = () => step(new AbortController().signal)
  assert.equal(await run(), 0, 'it never reports work, which would not let it rest')
  await run()
  move(1_048)
  await run()
  assert.deepEqual([state.reads, rows.get('one')!.renewals], [1, 1])
  move(1)
  await run()
  assert.deepEqual([state.reads, rows.get('one')!.renewals], [2, 2])
})

test('a share is stored with what the one before allowed, or what may still arrive, if that is more', async (t) => {
  const { rows, join, move } = table(t)
  const { rate, share } = join('one')
  const before = async () => {
    await share.renew()
    move(1_100)
    return rows.get('one')!.perSecondBefore
  }
  assert.deepEqual([await before(), await before()], [0, TOTAL])
  rate.isLimited = false
  assert.equal(await before(), TOTAL, 'until the last renewal')
  assert.equal(await before(), 1)
  rate.late = 7
  assert.equal(await before(), 7)
})

test('a process that does not renew counts for seven seconds after it was last seen to', async (t) => {
  const { join, move } = table(t)
  const [one, two] = [join('one'), join('two')]
  await one.share.renew()
  await two.share.renew()
  assert.deepEqual([one.rate.share, two.rate.share], [TOTAL, 0])
  move(6_999)
  await two.share.renew()
  assert.equal(two.rate.share, 0, 'it may still use it')
  move(1_050)
  await two.share.renew()
  assert.equal(two.rate.share, TOTAL)
})

test('exactly seven seconds after it was last seen to renew, a process counts as gone', async (t) => {
  const { join, move } = table(t)
  const [one, two] = [join('one'), join('two')]
  await one.share.renew()
  await two.share.renew()
  move(5_950)
  await two.share.renew()
  assert.equal(two.rate.share, 0)
  move(1_050)
  await two.share.renew()
  assert.equal(two.rate.share, TOTAL)
})

test('each sign of life counts from when it was seen', async (t) => {
  const { join, move } = table(t)
  const [one, two] = [join('one'), join('two')]
  await one.share.renew()
  await two.share.renew()
  move(6_000)
  await one.share.renew()
  await two.share.renew()
  move(1_100)
  await one.share.renew()
  move(5_000)
  await two.share.renew()
  assert.equal(two.rate.share, 10, 'the other is alive, and left one half')
  move(6_999)
  await two.share.renew()
  assert.equal(two.rate.share, 10)
  move(1_050)
  await two.share.renew()
  assert.equal(two.rate.share, TOTAL)
})

test('rows of long ended processes are deleted once a minute', async (t) => {
  const { state, join, move, machineNow } = table(t)
  const { share } = join('one')
  await share.renew()
  assert.deepEqual(state.purges, [new Date(machineNow.getTime() - 600_000)])
  move(58_950)
  await share.renew()
  assert.equal(state.purges.length, 1)
  move(1_050)
  await share.renew()
  assert.equal(state.purges.length, 2)
})

test('a failed renewal leaves the previous share and its lease, and is tried again', async (t) => {
  const { state, join, move, warnings } = table(t)
  const { rate, share } = join('one')
  await share.renew()
  const { until } = rate
  move(2_000)
  state.isAway = true
  await assert.rejects(share.renew(), /database is down/)
  share.loop.onError(new Error('x'))
  assert.deepEqual([rate.until, warnings], [until, ['the share of a shared link was not renewed']])
  state.isAway = false
  await share.renew()
  assert.equal(rate.until, until + 2_000)
})

test('a link that stops sends nothing more, and its row goes when its messages have arrived', async (t) => {
  const { rows, join, move, state } = table(t)
  const { rate, share } = join('one')
  await share.renew()
  share.release()
  assert.equal(rate.share, 0)
  move(1_049)
  assert.equal(rows.size, 1)
  move(1)
  assert.equal(rows.size, 0)

  const busy = join('two')
  await busy.share.renew()
  busy.rate.late = 1
  busy.share.release()
  move(1_050)
  assert.equal(rows.size, 1, 'its lease expires instead')

  const lost = join('three')
  await lost.share.renew()
  lost.share.release()
  state.isAway = true
  move(1_050)
  await new Promise(setImmediate)
})

test('a rate is shared only if the settings say so, it has a limit, and there is a database', (t) => {
  const { world } = table(t)
  const rate = new FakeRate()
  const open = (shared: boolean, perSecond: number | null, deps: object = world) =>
    openShare(deps as typeof world, { link: 'a', perSecond, shared }, rate)
  const { db: _, ...without } = world
  assert.ok(open(true, 5) instanceof LinkShare)
  assert.deepEqual([open(false, 5), open(true, null), open(true, 5, without)], [null, null, null])
})

test('a process may take what the others neither have nor had', () => {
  const row = (process: string, more: object = {}) => ({
    ...{ process, perSecond: 0, perSecondBefore: 0, wanted: 0, renewals: 1 },
    ...more,
  })
  for (const [own, others, share] of [
    [row('b', { wanted: 20 }), [], 20],
    [row('b', { wanted: 5 }), [], 5],
    [row('b', { wanted: 20 }), [row('a', { perSecond: 8 })], 12],
    [row('b', { wanted: 20 }), [row('a', { perSecondBefore: 8 })], 12],
    [row('b', { wanted: 20 }), [row('a', { perSecond: 3, perSecondBefore: 8 })], 12],
    [row('b', { wanted: 20 }), [row('a', { perSecond: 20, wanted: 20 })], 0],
    [row('b', { wanted: 20 }), [row('a', { perSecond: 30 })], 0],
    [row('b', { wanted: 20 }), [row('a', { wanted: 20 })], 10],
    [row('b', { wanted: 20 }), [row('a', { perSecond: 4 }), row('c', { perSecond: 5 })], 11],
  ] as const) {
    assert.equal(shareOf(TOTAL, own, others), share, JSON.stringify(others))
  }
  const odd = (process: string) => row(process, { wanted: 9 })
  assert.deepEqual(
    [shareOf(5, odd('a'), [odd('b')]), shareOf(5, odd('b'), [odd('a')])],
    [3, 2],
    'the first by name gets the odd one, for every process',
  )
})
