// The pauses of links as several processes share them through the database: who writes them, who probes, and when.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { LinkGates } from '../../src/carriers/routing/link-gates.js'
import { Clock } from '../../src/kit/clock.js'
import { Hints } from '../../src/kit/hints.js'
import { type Database, openDatabase } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import type { Carrier, SubmitAnswer } from '../../src/messages/carrier-port.js'
import { listLinkPauses, saveLinkPause } from '../../src/messages/link-pause-queries.js'
import { cloneDatabase } from '../harness.js'
import { submission } from '../smpp-fixtures.js'

const START = new Date('2026-11-16T12:00:00Z')
const REFUSED: SubmitAnswer = {
  ...{ kind: 'failed', errorCode: 1375, concerns: 'link' },
  carrierCode: `E1 ${'x'.repeat(300)}`,
}

async function open(t: TestContext) {
  const { url, drop } = await cloneDatabase()
  const db = openDatabase({ url, poolMax: 4, applicationName: 'test', onError: () => {} })
  t.after(async () => {
    await db.end()
    await drop()
  })
  const clock = new Clock()
  let now = START
  clock.now = () => now
  clock.nowMs = () => now.getTime()
  const move = (ms: number) => {
    now = new Date(now.getTime() + ms)
  }
  return { db, clock, move }
}

/** One process, and the link `a` in it. */
function processOf(db: Database, clock: Clock, roles = ['dispatch']) {
  const hints = new Hints()
  const hinted: string[] = []
  for (const hint of ['links', 'messages'] as const) {
    hints.subscribe(hint, () => void hinted.push(hint))
  }
  const logged: string[] = []
  const note = (_: unknown, text: string) => void logged.push(text)
  const log = { error: note, info: note, warn: note }
  const world = { db, clock, log, hints, config: { roles } }
  const gates = new LinkGates(world as unknown as ConstructorParameters<typeof LinkGates>[0])
  const state = { answer: { kind: 'sent' } as SubmitAnswer, isUp: true }
  const carrier = {
    name: 'a',
    isUp: () => state.isUp,
    submit: async (batch: readonly unknown[]) => batch.map(() => state.answer),
  } as unknown as Carrier
  const guarded = gates.guard(carrier)
  const send = async (count = 1) => {
    const batch = Array.from({ length: count }, (_, i) => submission({ to: `+141555520${10 + i}` }))
    return (await guarded.submit(batch)).map(({ kind }) => kind)
  }
  return { gates, gate: gates.of('a'), guarded, state, hinted, logged, send }
}

const actsOf = (db: Database) =>
  db.query<{ act: string; subject: string; actor: string; after: unknown }>(sql`
    select act, subject, actor_name as actor, after from audit_log order by id`)

test('a link that refuses ten messages is paused in every process, and in the audit log once', async (t) => {
  const { db, clock } = await open(t)
  const [one, two] = [processOf(db, clock), processOf(db, clock)]
  for (const { state, send } of [one, two]) {
    state.answer = REFUSED
    await send(10)
  }
  assert.deepEqual([one.gate.isOpen, one.hinted], [false, ['links']], 'here at once')
  await one.gates.follow()
  await two.gates.follow()
  const reason = `The carrier refused 10 messages in a row: E1 ${'x'.repeat(197)}`
  const [pause, ...others] = await listLinkPauses(db)
  assert.deepEqual(others, [])
  assert.deepEqual(pause, {
    ...{ link: 'a', pausedAt: START, pausedBy: 'longcode (automatic)', reason, code: 'E1' },
    ...{ probeAt: new Date(START.getTime() + 30_000), probes: 0 },
  })
  const acts = await actsOf(db)
  assert.deepEqual(
    acts.map(({ act, subject, after }) => [act, subject, after]),
    [['carrier.pause', 'a', { code: 'E1', reason }]],
  )
  const paused = 'carrier link paused: messages wait'
  assert.deepEqual([one.logged, two.logged], [[paused], []], 'the second one found it paused')
  const third = processOf(db, clock)
  await third.gates.follow()
  assert.deepEqual([third.gate.isOpen, await third.send()], [false, ['down']])
})

test('one dispatching process probes when it is due, later each time, up to ten minutes', async (t) => {
  const { db, clock, move } = await open(t)
  const [one, two, api] = [
    processOf(db, clock),
    processOf(db, clock),
    processOf(db, clock, ['api']),
  ]
  one.state.answer = REFUSED
  await one.send(10)
  await one.gates.follow()
  const followAll = async () => {
    for (const { gates } of [api, one, two]) await gates.follow()
    return [api, one, two].map(({ gate }) => gate.isOpen)
  }
  move(29_999)
  assert.deepEqual(await followAll(), [false, false, false])
  move(1)
  assert.deepEqual(await followAll(), [false, true, false])
  assert.equal(one.hinted.at(-1), 'messages', 'a message may go')
  assert.deepEqual(await one.send(3), ['failed', 'down', 'down'])
  const waits: number[] = []
  for (let i = 0; i < 6; i += 1) {
    const [pause] = await listLinkPauses(db)
    assert.equal(pause!.probes, i + 1)
    waits.push(pause!.probeAt!.getTime() - clock.nowMs())
    move(waits.at(-1)!)
    await followAll()
  }
  assert.deepEqual(waits, [60_000, 120_000, 240_000, 480_000, 600_000, 600_000])
})

test('an accepted probe ends the pause everywhere, and an operator’s pause stays', async (t) => {
  const { db, clock, move } = await open(t)
  const [one, two] = [processOf(db, clock), processOf(db, clock)]
  one.state.answer = REFUSED
  await one.send(10)
  await one.gates.follow()
  await two.gates.follow()
  one.state.answer = { kind: 'sent' }
  move(30_000)
  await one.gates.follow()
  assert.deepEqual(await one.send(2), ['sent', 'down'])
  await one.gates.follow()
  await two.gates.follow()
  assert.deepEqual([one.gate.isOpen, two.gate.isOpen, await listLinkPauses(db)], [true, true, []])
  const last = (await actsOf(db)).at(-1)!
  assert.deepEqual(
    [last.act, last.after],
    ['carrier.resume', { reason: 'The carrier accepted a message again' }],
  )
  assert.equal(one.logged.at(-1), 'carrier link resumed: a message was accepted')

  one.state.answer = REFUSED
  await one.send(10)
  await one.gates.follow()
  one.state.answer = { kind: 'sent' }
  move(30_000)
  await one.gates.follow()
  const by = { link: 'a', pausedAt: clock.now(), pausedBy: 'me', reason: 'maintenance' }
  await saveLinkPause(db, by)
  assert.deepEqual(await one.send(), ['sent'])
  await one.gates.follow()
  await one.gates.follow()
  assert.deepEqual([one.gate.isOpen, one.gate.pause?.reason], [false, 'maintenance'])
  assert.equal((await actsOf(db)).length, 3, 'nothing was resumed')
  const resumed = one.logged.filter((text) => text.startsWith('carrier link resumed'))
  assert.equal(resumed.length, 1, 'nor logged')
})

test('a carrier that is one link is up while it is up and not paused, and keeps its gate', async (t) => {
  const { db, clock } = await open(t)
  const { gates, gate, guarded, state } = processOf(db, clock)
  assert.equal(gates.of('a'), gate)
  assert.notEqual(gates.of('b'), gate)
  assert.deepEqual([guarded.isUp!(), guarded.linksFor!(submission())], [true, ['a']])
  state.isUp = false
  assert.equal(guarded.isUp!(), false)
  state.isUp = true
  await saveLinkPause(db, { link: 'a', pausedAt: START, pausedBy: 'me', reason: 'x' })
  await gates.follow()
  assert.equal(guarded.isUp!(), false)
  const { loop } = gates
  assert.equal(await loop.step(new AbortController().signal), 0, 'so that it rests')
  assert.deepEqual([loop.hints, loop.idleMs], [['links', 'clock'], 1_000])
  const plain = gates.guard({ name: 'b', submit: async () => [] } as unknown as Carrier)
  assert.equal(plain.isUp!(), true, 'a carrier without a state is up')
})
