// Messages handed off in memory: how many, their outcomes, and when their handoff ends. The database is a stand-in
// that records which handoffs were closed.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Hints } from '../../kit/hints.js'
import { Metrics } from '../../kit/metrics.js'
import type { World } from '../../kit/world.js'
import type { Carrier, SubmitAnswer } from '../carrier-port.js'
import type { QueuedMessage } from '../lane-queries.js'
import type { Move } from '../moves/move-queries.js'
import type { MoveRecorder } from '../moves/move-recorder.js'
import type { Requeue } from '../moves/requeue-queries.js'
import { Dispatcher } from './dispatcher.js'

const NOW = new Date('2026-11-15T12:00:00.000Z')

function fresh(id: string, change: Partial<QueuedMessage> = {}): QueuedMessage {
  const message = { accountId: 'acc_1', id, campaignId: 'cmp_1', from: '+14152000001' }
  const content = { type: 'SMS', body: 'Hello', mediaUrls: [], numSegments: 1, isReply: false }
  const validity = { validitySeconds: null, expiresAt: null, createdAt: NOW, dueAt: NOW }
  const state = { attempts: 0, countedDay: null, isMediaChecked: false, status: 'QUEUED' }
  const address = { to: '+14155550107', route: 'open' }
  return { ...message, ...content, ...validity, ...state, ...address, ...change } as QueuedMessage
}

function stage(t: TestContext, answer: () => SubmitAnswer | Promise<SubmitAnswer>) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = NOW.getTime()
  const log: string[] = []
  const note = (_: object, text: string) => log.push(text)
  const closed: unknown[] = []
  const db = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      if (text.includes('delete from handoffs')) closed.push(...(values[1] as string[]))
      return []
    },
  }
  const metrics = new Metrics()
  const moves: Move[] = []
  const puts: Requeue[] = []
  const recorder = {
    move: async (_, move) => {
      if (move.messageId === 'msg_broken') throw new Error('broken')
      moves.push(move)
      return 'moved'
    },
    requeue: async (_, put) => void puts.push(put),
    drain: async () => {},
  } as Partial<MoveRecorder> as MoveRecorder
  const submitted: string[] = []
  const carrier = {
    name: 'test',
    submit: async (submissions) => {
      submitted.push(...submissions.map(({ id }) => id))
      return Promise.all(submissions.map(answer))
    },
  } as Partial<Carrier> as Carrier
  const world = {
    db,
    clock: { now: () => new Date(nowMs), nowMs: () => nowMs },
    config: { mode: 'sandbox', carrier: 'simulator' },
    log: { error: note, warn: note, info: note },
    metrics,
    hints: new Hints(),
  } as unknown as World
  const dispatcher = new Dispatcher(world, {
    carrier,
    recorder,
    media: { check: async () => null },
    addresses: { open: () => Promise.reject(new Error('no files')) },
    evidence: { count: () => {} },
  })
  const handOff = (...messages: QueuedMessage[]) =>
    dispatcher.handOff('acc_1', messages[0]!.id, messages, NOW)
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { dispatcher, handOff, pass, submitted, moves, puts, closed, log }
}

function gate(): { opened: Promise<SubmitAnswer>; open: (answer: SubmitAnswer) => void } {
  let open = (_: SubmitAnswer) => {}
  const opened = new Promise<SubmitAnswer>((resolve) => {
    open = resolve
  })
  return { opened, open: (answer) => open(answer) }
}

test('four thousand messages are in flight at once, and more follow when those are done', async (t) => {
  const { opened, open } = gate()
  const { dispatcher, handOff, moves } = stage(t, () => opened)
  const some = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => fresh(`msg_${from + i}`))
  handOff(...some(0, 3_999))
  assert.equal(dispatcher.hasCapacity(), true)
  handOff(fresh('msg_3999'))
  assert.equal(dispatcher.hasCapacity(), false)
  assert.equal(await dispatcher.loop.step(new AbortController().signal), 0, 'nothing is claimed')
  open({ kind: 'sent' })
  await dispatcher.drain()
  assert.equal(moves.length, 4_000)
  assert.equal(dispatcher.hasCapacity(), true)
})

test('a handoff closes when all of it is recorded, and stays open otherwise', async (t) => {
  const { dispatcher, handOff, submitted, moves, closed, log } = stage(t, () => ({ kind: 'sent' }))
  handOff(fresh('msg_1'), fresh('msg_2', { to: '+11115550107' }), fresh('msg_3'))
  handOff(fresh('msg_4'), fresh('msg_broken'))
  await dispatcher.drain()
  assert.deepEqual(
    submitted,
    ['msg_1', 'msg_3', 'msg_4', 'msg_broken'],
    'none to a number that cannot exist',
  )
  assert.deepEqual(
    moves.map(({ messageId, errorCode }) => `${messageId} ${errorCode}`).toSorted(),
    ['msg_1 null', 'msg_2 1350', 'msg_3 null', 'msg_4 null'],
  )
  assert.deepEqual(closed, ['msg_1'])
  assert.deepEqual(log, ['dispatch failed'])
})

test('a handoff without accepted messages closes a second later', async (t) => {
  const { dispatcher, closed } = stage(t, () => ({ kind: 'sent' }))
  dispatcher.handOff('acc_1', 'msg_1', [], NOW)
  t.mock.timers.tick(999)
  assert.deepEqual(closed, [])
  t.mock.timers.tick(1)
  assert.deepEqual(closed, ['msg_1'])
  await dispatcher.drain()
  assert.deepEqual(closed, ['msg_1'], 'once')
})

test('a link that is down requeues leased messages in their old position', async (t) => {
  const { opened, open } = gate()
  const { dispatcher, handOff, pass, puts, moves, closed } = stage(t, () => opened)
  handOff(fresh('msg_1'))
  pass(45_000) // as long as a lease counts
  open({ kind: 'down' })
  await dispatcher.drain()
  assert.deepEqual(
    puts.map(({ messageId, dueAt, attempts }) => [messageId, dueAt, attempts]),
    [['msg_1', NOW, 0]],
  )
  assert.deepEqual([moves, closed], [[], ['msg_1']])
  assert.equal(dispatcher.hasCapacity(), false, 'nothing is handed off while it is down')
})

test('a message without a lease is left to its next holder', async (t) => {
  const { opened, open } = gate()
  const { dispatcher, handOff, pass, puts, moves, closed } = stage(t, () => opened)
  handOff(fresh('msg_1'))
  pass(45_001)
  open({ kind: 'down' })
  await dispatcher.drain()
  assert.deepEqual([puts, moves, closed], [[], [], []])
})
