// What a carrier's response does to a message: moves, and retries while it is valid.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { World } from '../../kit/world.js'
import type { Carrier, Unknown } from '../carrier-port.js'
import type { QueuedMessage } from '../lane-queries.js'
import type { Move } from '../moves/move-queries.js'
import type { MoveRecorder } from '../moves/move-recorder.js'
import type { Requeue } from '../moves/requeue-queries.js'
import {
  queueScheduled,
  recordAnswer,
  recordFailure,
  recordUnknown,
  requeueUntried,
} from './record-answers.js'

const NOW = new Date('2026-11-15T12:00:00.000Z')
const at = (ms: number) => new Date(NOW.getTime() + ms)
const entry = (text: string) => `${NOW.getTime()}|${text}`

const MESSAGE = {
  accountId: 'acc_1',
  id: 'msg_1',
  attempts: 2,
  status: 'QUEUED',
  mediaUrls: [] as string[],
  countedDay: '2026-11-15',
  validitySeconds: 60,
  createdAt: NOW,
  expiresAt: at(60_000),
  dueAt: at(-5),
} as Partial<QueuedMessage> as QueuedMessage

function stage(outcome: Awaited<ReturnType<MoveRecorder['move']>> = 'moved') {
  const moves: [string, Move][] = []
  const puts: [string, Requeue][] = []
  const warned: string[] = []
  const recorder = {
    move: async (accountId, move) => {
      moves.push([accountId, move])
      return outcome
    },
    requeue: async (accountId, put) => void puts.push([accountId, put]),
  } as Partial<MoveRecorder> as MoveRecorder
  const world = {
    clock: { now: () => NOW },
    config: { mode: 'sandbox', carrier: 'simulator' },
    log: { warn: (logged: { detail: string }) => warned.push(logged.detail) },
  } as unknown as World
  return { world, recorder, moves, puts, warned }
}

test('acceptance and refusal are moves, with the carrier’s code if known', async () => {
  const { world, recorder, moves } = stage()
  await recordAnswer(world, recorder, MESSAGE, { kind: 'sent' })
  await recordAnswer(world, recorder, MESSAGE, { kind: 'failed', errorCode: 1380 })
  await recordAnswer(world, recorder, MESSAGE, { kind: 'failed', errorCode: 7 })
  await recordFailure(world, recorder, MESSAGE, 1350)
  await recordFailure(world, recorder, MESSAGE, 1390, 'status 404')
  const failed = { messageId: 'msg_1', target: 'FAILED' }
  const refused = { ...failed, isUnseen: true } // and so never charged
  const texts = {
    1350: 'The recipient number is invalid or cannot receive text messages',
    1380: 'The handset could not be reached',
    1499: 'The carrier gave an unknown reason',
  }
  assert.deepEqual(moves, [
    [
      'acc_1',
      { messageId: 'msg_1', target: 'SENT', errorCode: null, entry: entry('sent|'), note: '' },
    ],
    ['acc_1', { ...refused, errorCode: 1380, entry: entry(`failed|1380 ${texts[1380]}`) }],
    ['acc_1', { ...refused, errorCode: 1499, entry: entry(`failed|1499 ${texts[1499]}`) }],
    ['acc_1', { ...failed, errorCode: 1350, entry: entry(`failed|1350 ${texts[1350]}`) }],
    [
      'acc_1',
      {
        ...failed,
        errorCode: 1390,
        errorMessage: 'status 404',
        entry: entry('failed|1390 status 404'),
      },
    ],
  ])
})

test('a throttled message is retried at the carrier’s time, up to the end of its validity', async () => {
  const { world, recorder, puts } = stage()
  const waits = [5_000, 59_999, 60_000, 90_000]
  for (const retryAfterMs of waits) {
    await recordAnswer(world, recorder, MESSAGE, { kind: 'slow_down', retryAfterMs })
  }
  const put = {
    messageId: 'msg_1',
    attempts: 3,
    expiresAt: at(60_000),
    isMediaChecked: true,
    countedDay: '2026-11-15',
  }
  assert.deepEqual(
    puts.map(([accountId, given]) => [accountId, given]),
    [
      ['acc_1', { ...put, dueAt: at(5_000), entry: entry('slow|5.0 s') }],
      ['acc_1', { ...put, dueAt: at(59_999), entry: entry('slow|60.0 s') }],
      ['acc_1', { ...put, dueAt: at(60_000), entry: entry('slow|none') }],
      ['acc_1', { ...put, dueAt: at(60_000), entry: entry('slow|none') }],
    ],
  )
})

test('a message without a response is not requeued and waits as its link requires', async () => {
  const { world, recorder, puts, warned } = stage()
  const afterUnknown = (link: string | null) => ({
    waitMs: link === 'a' ? 7_000 : 1,
    mayRepeat: true,
  })
  const carrier = { name: 'test', afterUnknown } as Partial<Carrier> as Carrier
  const unknown: Unknown = { kind: 'unknown', detail: 'no answer', link: 'a' }
  await recordUnknown(world, { carrier, recorder }, MESSAGE, unknown)
  const other = { name: 'other' } as Partial<Carrier> as Carrier
  const cut: Unknown = { kind: 'unknown', detail: 'cut' }
  await recordUnknown(world, { carrier: other, recorder }, MESSAGE, cut)
  assert.deepEqual(warned, ['no answer', 'cut'])
  const [first, second] = (puts as [string, Requeue][]).map(([, put]) => put) as [Requeue, Requeue]
  assert.deepEqual([first.dueAt, first.attempts, first.countedDay], [null, 3, null])
  assert.deepEqual(first.unknown, { settleAt: at(7_000), link: 'a' })
  assert.deepEqual(second.unknown, { settleAt: at(120_000), link: null })
  assert.equal(first.entry, entry('unknown|no answer'))
})

test('a message without an attempt goes back unchanged, now or in its old position', async () => {
  const { world, recorder, puts } = stage()
  await requeueUntried(world, recorder, MESSAGE)
  await requeueUntried(world, recorder, { ...MESSAGE, mediaUrls: ['http://a.test/a.png'] }, at(-5))
  const untried = { messageId: 'msg_1', attempts: 2, expiresAt: null, entry: null }
  const put = { ...untried, countedDay: '2026-11-15' }
  assert.deepEqual(puts, [
    ['acc_1', { ...put, dueAt: NOW, isMediaChecked: false }],
    ['acc_1', { ...put, dueAt: at(-5), isMediaChecked: true }],
  ])
})

test('a scheduled message is queued first, and not sent if it was canceled', async () => {
  const given = stage()
  assert.equal(await queueScheduled(given.world, given.recorder, MESSAGE, at(60_000)), true)
  assert.deepEqual(given.moves, [])
  const scheduled: QueuedMessage = { ...MESSAGE, status: 'SCHEDULED' }
  assert.equal(await queueScheduled(given.world, given.recorder, scheduled, at(60_000)), true)
  const move = { messageId: 'msg_1', target: 'QUEUED', errorCode: null, entry: entry('queued|') }
  assert.deepEqual(given.moves, [['acc_1', { ...move, dueAt: at(60_000) }]])
  const canceled = stage('stale')
  assert.equal(
    await queueScheduled(canceled.world, canceled.recorder, scheduled, at(60_000)),
    false,
  )
})
