// What is written about an attempt, and its effect on its webhook and on later events of its message. The database
// is a stand-in that records what is done, in order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Hints } from '../../kit/hints.js'
import { newId } from '../../kit/ids.js'
import { Metrics } from '../../kit/metrics.js'
import { binaryTextArray, timeArray } from '../../kit/postgres/pg-array.js'
import type { Statement } from '../../kit/postgres/sql.js'
import type { World } from '../../kit/world.js'
import { DISABLED_REASONS, type Webhook } from '../webhook.js'
import type { AttemptResult } from './attempt-delivery.js'
import { AttemptRecorder } from './attempt-recorder.js'
import type { LeasedDelivery } from './claim-account.js'

const NOW = new Date('2026-11-15T12:00:00.000Z')
const FIVE_DAYS_MS = 5 * 24 * 60 * 60 * 1000
const ago = (ms: number) => new Date(NOW.getTime() - ms)

/** What a statement does, by a text unique to it. */
const DONE: readonly [string, (values: unknown[]) => string][] = [
  ['insert into webhook_attempts', (values) => `recorded attempt ${values[3]}`],
  ['insert into event_arrivals', (values) => `delivered ${values[3]}`],
  ['select later.id', (values) => `woken after ${values[5]}`],
  ['set failing_since = null', () => 'working'],
  ['update webhooks set failing_since', () => 'failing'],
  ['update webhooks set name', (values) => `disabled: ${values[5]}`],
]

function stage(
  change: Partial<LeasedDelivery> = {},
  failingSince: Date | null = null,
  isFollowed = false,
) {
  const ids = { accountId: 'acc_1', id: newId('whk', NOW) }
  const webhook = { ...ids, isEnabled: true, failingSince, updatedAt: NOW }
  const done: string[] = []
  const bodies: unknown[] = []
  /** For each record: who was delivered, with which leases, and who was not. */
  const written: unknown[][] = []
  const query = async ({ text, values }: Statement) => {
    const [, tell] = DONE.find(([own]) => text.includes(own)) ?? []
    if (tell) done.push(tell(values))
    if (text.includes('insert into webhook_attempts')) {
      bodies.push(values[8])
      written.push(values.slice(11))
    }
    if (text.includes('select later.id')) return [{ subscriberId: 'whk_woken' }]
    return text.includes('from webhooks w') ? [webhook] : []
  }
  const world = {
    db: { query, transaction: async (work: (tx: object) => unknown) => work({ query }) },
    clock: { now: () => NOW },
    hints: new Hints(),
    log: { warn: () => {} },
    metrics: new Metrics(),
  } as unknown as World
  const woken: string[] = []
  const recorder = new AttemptRecorder(world, {
    onWoken: (keys) =>
      woken.push(...keys.map(({ accountId, subscriberId }) => `${accountId} ${subscriberId}`)),
    isFollowed: () => isFollowed,
  })
  const delivery = {
    webhook: webhook as Webhook,
    deliveryId: 'dlv_1',
    eventId: newId('evt', ago(1_500)),
    messageId: 'msg_1',
    sequence: 3,
    attempts: 0,
    attemptsBefore: 0,
    body: Buffer.from('{}'),
    storedBody: null,
    isBodyRecorded: false,
    leaseUntil: NOW,
    batch: null,
    ...change,
  } as LeasedDelivery
  const record = (kind: AttemptResult['kind']) => recorder.record(delivery, resultOf(kind))
  return { record, recorder, delivery, done, woken, bodies, written, world }
}

function resultOf(kind: AttemptResult['kind']): AttemptResult {
  const responseStatus = { success: 204, failure: 503, gone: 410 }[kind]
  const nothing = { requestHead: null, responseBody: null, error: null, retryAfterMs: null }
  return { kind, at: NOW, responseStatus, durationMs: 7, ...nothing }
}

test('a delivered event releases the next event of its message, in this order', async () => {
  const { record, done, woken } = stage()
  await record('success')
  assert.deepEqual(done, ['recorded attempt {1}', 'woken after {3}'])
  assert.deepEqual(woken, ['acc_1 whk_woken'])
})

test('an event that this process sends next is not looked for', async () => {
  const { record, done, woken } = stage({}, null, true)
  assert.equal(await record('success'), true)
  assert.deepEqual([done, woken], [['recorded attempt {1}'], []])
})

test('a retried event releases nothing, and no statement looks for later events', async () => {
  const { record, done, woken } = stage()
  await record('failure')
  assert.deepEqual(done, ['recorded attempt {1}', 'failing'])
  assert.deepEqual(woken, [])
})

test('a last failed attempt releases the next event, and a new round has its own eight attempts', async () => {
  const last = stage({ attempts: 7 })
  await last.record('failure')
  assert.deepEqual(last.done.slice(0, 2), ['recorded attempt {8}', 'woken after {3}'])
  const again = stage({ attempts: 8, attemptsBefore: 8 })
  await again.record('failure')
  assert.deepEqual(again.done, ['recorded attempt {9}', 'failing'])
})

test('a delivered event is done, and a failed one is due after its wait, or never after the last', async (t) => {
  t.mock.method(Math, 'random', () => 0)
  const outcome = async (kind: AttemptResult['kind'], attempts = 0) => {
    const { record, written } = stage({ attempts })
    await record(kind)
    const [[delivered, , , , , dueAt]] = written as [unknown[]]
    return [delivered, dueAt]
  }
  const due = (ms: number) => timeArray([new Date(NOW.getTime() + ms)])
  assert.deepEqual(await outcome('success'), ['{dlv_1}', undefined])
  assert.deepEqual(await outcome('failure'), ['{}', due(5_000)])
  assert.deepEqual(await outcome('failure', 1), ['{}', due(300_000)])
  assert.deepEqual(await outcome('failure', 7), ['{}', timeArray([null])])
  assert.deepEqual(await outcome('gone'), ['{}', timeArray([null])])
})

test('an event about no message delays no other', async () => {
  for (const change of [{ messageId: null }, { sequence: null }]) {
    const { record, done } = stage(change)
    await record('success')
    assert.deepEqual(done, ['recorded attempt {1}'])
  }
})

test('the first success after failures ends their count', async () => {
  const { record, done } = stage({ messageId: null }, ago(FIVE_DAYS_MS))
  await record('success')
  assert.deepEqual(done, ['recorded attempt {1}', 'working'])
})

test('failures disable a webhook after exactly five days', async () => {
  const early = stage({}, ago(FIVE_DAYS_MS - 1))
  await early.record('failure')
  assert.deepEqual(early.done, ['recorded attempt {1}'])
  const late = stage({}, ago(FIVE_DAYS_MS))
  await late.record('failure')
  assert.deepEqual(late.done, ['recorded attempt {1}', `disabled: ${DISABLED_REASONS.failing}`])
})

test('410 disables the webhook before it is recorded and is the last attempt', async () => {
  const { record, done } = stage()
  await record('gone')
  assert.deepEqual(done, [
    `disabled: ${DISABLED_REASONS.gone}`,
    'recorded attempt {1}',
    'woken after {3}',
  ])
})

test('the body is written once, and attempts are counted by outcome and status', async () => {
  const first = stage()
  const retried = stage({ isBodyRecorded: true })
  for (const { record } of [first, retried]) await record('success')
  assert.deepEqual(first.bodies, [binaryTextArray([Buffer.from('{}')])])
  assert.deepEqual(retried.bodies, [binaryTextArray([null])])
  const [counter] = first.world.metrics.counters()
  assert.deepEqual(counter?.samples(), [{ labels: ['success', '204'], value: 1 }])
})

test('a first-attempt success is written with its delivery, without its body', async () => {
  const rebuildable = { storedBody: '2\tsum' }
  for (const [change, done] of [
    [rebuildable, 'delivered {dlv_1}'],
    [{ ...rebuildable, attempts: 1 }, 'recorded attempt {2}'],
    [{ storedBody: null }, 'recorded attempt {1}'],
  ] as const) {
    const { recorder, ...seen } = stage({ ...change, messageId: null })
    await recorder.record(seen.delivery, { ...resultOf('success'), requestHead: 'head' })
    assert.deepEqual(seen.done, [done])
  }
  const failed = stage({ ...rebuildable, messageId: null })
  await failed.recorder.record(failed.delivery, { ...resultOf('failure'), requestHead: 'head' })
  assert.equal(failed.done[0], 'recorded attempt {1}')
})

test('unwritten records count as waiting', async () => {
  const { record, recorder } = stage()
  const recorded = record('success')
  assert.equal(recorder.depth, 1)
  await recorded
  assert.equal(recorder.depth, 0)
})
