// Where a receipt goes: to its message, into the timeline of a message that it no longer moves, or to the unmatched
// receipts. The database is a stand-in that knows one message.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../kit/ids.js'
import { Metrics } from '../../kit/metrics.js'
import { DatabaseFailure } from '../../kit/postgres/db-failure.js'
import type { World } from '../../kit/world.js'
import type { Receipt } from '../carrier-port.js'
import type { CarrierId } from './carrier-id-queries.js'
import type { Move } from './move-queries.js'
import { ReceiptReceiver } from './receive-receipts.js'

const NOW = new Date('2026-11-15T12:00:00.000Z')
const KNOWN = newId('msg', NOW)

function stage(outcome: 'moved' | 'stale' = 'stale') {
  const moves: Move[] = []
  const notes: unknown[] = []
  const strays: unknown[] = []
  let gate: Promise<void> = Promise.resolve()
  const query = async ({ text, values }: { text: string; values: unknown[] }) => {
    await gate
    if (text.includes('insert into unmatched_receipts')) {
      strays.push(values.slice(1, 5))
      return []
    }
    notes.push(...(values[2] as string[]))
    return (values[1] as string[]).filter((id) => id === KNOWN).map((id) => ({ id }))
  }
  const outage = { isOutage: false }
  const workers = {
    get isOutage() {
      return outage.isOutage
    },
    isCluster: async () => true,
    assertNear: async () => {
      throw new DatabaseFailure('database_unavailable', 'away', null, true)
    },
  }
  const named = { accountId: 'acc_1', messageId: KNOWN, part: 0, parts: 1 } as CarrierId
  const world = {
    db: { query, workers },
    clock: { now: () => NOW },
    metrics: new Metrics(),
    config: { mode: 'sandbox', carrier: 'simulator' },
  } as unknown as World
  const move = async (_: string, given: Move) => {
    moves.push(given)
    return outcome
  }
  const receiver = new ReceiptReceiver(world, {
    ...{
      recorder: { move },
      recent: { find: (_: string, ids: readonly string[]) => (ids[0] === 'known' ? named : null) },
    },
    ...{ carrier: {}, evidence: { count: () => {} } },
  })
  const receive = (change: Partial<Receipt> = {}) =>
    receiver.receive({
      link: 'test',
      of: of(KNOWN),
      status: 'DELIVERED',
      errorCode: null,
      ...change,
    })
  const hold = () => {
    let open = () => {}
    gate = new Promise((resolve) => {
      open = resolve
    })
    return () => open()
  }
  return { receiver, receive, moves, notes, strays, hold, outage }
}

const of = (id: string) => ({ accountId: 'acc_1', id })

test('a receipt moves its message, and a failure has its reason', async () => {
  const { receive, moves, notes, strays } = stage('moved')
  await receive()
  await receive({ status: 'FAILED', errorCode: 1350 })
  await receive({ status: 'FAILED', errorCode: null })
  assert.deepEqual(
    moves.map(({ target, errorCode }) => [target, errorCode]),
    [
      ['DELIVERED', null],
      ['FAILED', 1350],
      ['FAILED', 1499],
    ],
  )
  assert.match(moves[1]!.entry, /^\d+\|failed\|1350 /)
  assert.deepEqual([notes, strays], [[], []])
})

test('a receipt that moves nothing is noted on its message', async () => {
  const { receive, notes, strays } = stage()
  await Promise.all([receive(), receive({ status: 'READ' })])
  const at = NOW.getTime()
  assert.deepEqual(notes, [`${at}|stale|DELIVERED`, `${at}|stale|READ`])
  assert.deepEqual(strays, [])
})

test('a receipt for an unknown message is stored as unmatched, and an invalid ID is not looked up', async () => {
  const { receive, moves, notes, strays } = stage()
  const unknown = newId('msg', NOW)
  await receive({ of: of(unknown) })
  assert.deepEqual([moves.length, notes.length], [1, 1])
  await receive({ of: of('a\0b'), status: 'FAILED', errorCode: 1e300 })
  assert.deepEqual([moves.length, notes.length], [1, 1])
  assert.deepEqual(
    strays.map((values) => (values as unknown[]).slice(0, 2)),
    [
      ['test', unknown],
      ['test', 'ab'],
    ],
  )
})

test('a stop waits until received receipts are stored', async () => {
  const { receiver, receive, notes, hold } = stage()
  await receiver.drain()
  const open = hold()
  const received = receive()
  let isDrained = false
  const drained = receiver.drain().then(() => {
    isDrained = true
  })
  await new Promise(setImmediate)
  assert.equal(isDrained, false)
  open()
  await drained
  assert.equal(notes.length, 1)
  await received
})

test('a receipt for an account on a worker that is away waits, and is accepted from the carrier', async () => {
  const { receiver, receive, moves, strays, outage } = stage('moved')
  const receipt = {
    link: 'test',
    of: { carrierIds: ['known'] },
    status: 'DELIVERED',
    errorCode: null,
  } as const
  outage.isOutage = true
  await receive(receipt)
  assert.deepEqual([moves.length, strays.length], [0, 1])
  assert.equal(await receiver.receiveLate(receipt, NOW), 'away')
  outage.isOutage = false
  assert.equal(await receiver.receiveLate(receipt, NOW), 'recorded')
  assert.deepEqual([moves.length, strays.length], [1, 1])
})
