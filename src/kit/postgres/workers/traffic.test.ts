// Connections for a worker that hangs, without a cluster: how many it may take, what is refused, and what is cut off.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DatabaseFailure } from '../db-failure.js'
import { Deadlines } from '../deadlines.js'
import { type Connection, isLost } from '../run-statement.js'
import { sql } from '../sql.js'
import { type Place, Places } from './places.js'
import { Traffic, WorkerBudget, workerShare } from './traffic.js'

const [ON_3, ON_7] = ['acc_01km3v9w8m0000pqv3t5x7z9bd', 'acc_01km3v9w8m0000pqv3t5x7z9bb']
const AWAY = new DatabaseFailure('database_unavailable', 'it does not answer', null, true)
const ofAccount = (accountId: string) => sql`select 1 from messages where account_id = ${accountId}`
const OF_ALL = sql`select 1 from messages`
const COMMIT = { name: '', text: 'commit', values: [] }

function stage(t: TestContext) {
  let nowMs = 1_000
  t.mock.method(performance, 'now', () => nowMs)
  const away = new Set<number>()
  const places = new Places(
    [
      { min: -(2 ** 31), max: -1, groupId: 3 },
      { min: 0, max: 2 ** 31 - 1, groupId: 7 },
    ],
    ['messages'],
  )
  const refusalOf = ({ groupIds, isSpread }: Place) =>
    !isSpread && groupIds.some((one) => away.has(one)) ? AWAY : null
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { cluster: { places, refusalOf }, away, pass }
}

/** A statement that returns when the test decides. */
function held() {
  let answer = () => {}
  const answered = new Promise<void>((resolve) => (answer = resolve))
  return { ask: () => answered, answer }
}

function connection(): Connection {
  return { connection: { stream: { destroy: () => {} } } } as unknown as Connection
}

test('a worker gets all connections of a pool but one, or three in four', () => {
  assert.deepEqual([1, 2, 3, 4, 8, 12].map(workerShare), [1, 1, 2, 3, 6, 9])
})

test('statements for one worker leave a connection to the others; statements for all count for each', async (t) => {
  const { cluster } = stage(t)
  const deadlines = new Deadlines()
  t.after(() => deadlines.stop())
  const budget = new WorkerBudget(cluster, 3, { waitMsMax: 60_000, deadlines })
  const [own, all, third] = [held(), held(), held()]
  let begun = 0
  const running = [
    budget.ofStatement(ofAccount(ON_3), own.ask),
    budget.ofStatement(OF_ALL, all.ask),
    budget.ofAccount(ON_3, () => {
      begun += 1
      return third.ask()
    }),
  ]
  await budget.ofStatement(ofAccount(ON_7), async () => {})
  assert.equal(begun, 0, 'two connections are in use for the worker')
  own.answer()
  all.answer()
  third.answer()
  await Promise.all(running)
  assert.equal(begun, 1)
})

test('once a worker is known to hang, its statements are refused without a connection', async (t) => {
  const { cluster, away } = stage(t)
  const deadlines = new Deadlines()
  t.after(() => deadlines.stop())
  const budget = new WorkerBudget(cluster, 2, { waitMsMax: 60_000, deadlines })
  const first = held()
  const running = budget.ofStatement(ofAccount(ON_3), first.ask)
  const never = async () => assert.fail('it used a connection')
  const waiting = assert.rejects(budget.ofStatement(ofAccount(ON_3), never), AWAY)
  await new Promise(setImmediate) // the first has started
  away.add(3)
  await assert.rejects(budget.ofAccount(ON_3, never), AWAY)
  first.answer()
  await Promise.all([running, waiting])
  await budget.ofStatement(ofAccount(ON_7), async () => {})
})

test('what waits for a hung worker is canceled and cut off, and nothing else', async (t) => {
  const { cluster, away, pass } = stage(t)
  const traffic = new Traffic(cluster)
  const clients = Array.from({ length: 4 }, connection) as [
    ...[Connection, Connection, Connection, Connection],
  ]
  const [committing, ofOther, ofAll, late] = clients.map((client) => traffic.begin(client))
  const { ask } = held()
  await committing!.run(ofAccount(ON_3), async () => [])
  void committing!.run(COMMIT, ask)
  void ofOther!.run(ofAccount(ON_7), ask)
  void ofAll!.run(OF_ALL, ask)
  pass(500)
  void late!.run(ofAccount(ON_3), ask)
  away.add(3)
  const canceled: Connection[] = []
  await traffic.cutStuck(new Set([3]), async (all) => void canceled.push(...all))
  assert.deepEqual(canceled, [clients[0], clients[2]])
  assert.deepEqual(clients.map(isLost), [true, false, true, false])
})

test('a transaction that has used a worker which hangs is not rolled back there', async (t) => {
  const { cluster, away } = stage(t)
  const client = connection()
  const lending = new Traffic(cluster).begin(client)
  await lending.run(ofAccount(ON_3), async () => [])
  away.add(3)
  const rollback = { name: '', text: 'rollback', values: [] }
  await assert.rejects(
    lending.run(rollback, async () => assert.fail('it ran')),
    AWAY,
  )
  assert.ok(isLost(client))
})
