// Workers behind a coordinator that go down and come back, without a cluster: what is queried where, and what is
// reported.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Store } from '../db.js'
import { DatabaseFailure } from '../db-failure.js'
import type { Wait } from '../deadlines.js'
import { acrossAccounts, type Statement, sql } from '../sql.js'
import { hashText } from './places.js'
import { Workers } from './workers.js'

const POLL = acrossAccounts(sql`select id from lanes`, { order: ['id'] })
const [ON_1, ON_2] = ['acc_01km3v9w8m0000pqv3t5x7z9bd', 'acc_01km3v9w8m0000pqv3t5x7z9be']
/** By the hashes of these two. */
const RANGES = [
  { min: -(2 ** 31), max: hashText(ON_1), groupId: 1 },
  { min: hashText(ON_1) + 1, max: 2 ** 31 - 1, groupId: 2 },
]
const AWAY = new DatabaseFailure('database_unavailable', 'refused', '08006', true)
const SLOW = new DatabaseFailure('database_busy', 'took too long', '57014')

function stage(t: TestContext, version: string | null = '13.2') {
  let nowMs = 1_000_000
  t.mock.method(performance, 'now', () => nowMs)
  const up = new Set([1, 2])
  const waits = new Set<Wait>()
  const asked: string[] = []
  const told: string[] = []
  const state = { failure: null as Error | null, refusal: null as string | null }
  const answers = ({ values }: Statement) => {
    const [hosts, ports, commands] = values as [string[], number[], string[]]
    return commands.map((command, i) => {
      const port = ports[i]!
      const isGood = up.has(port) && !(state.refusal && command !== 'select 1')
      const text = up.has(port)
        ? (state.refusal ?? `[{"id":"of ${port}"}]`)
        : 'failed to connect to x'
      return { host: hosts[i], port, isGood, text }
    })
  }
  const query = async (statement: Statement): Promise<object[]> => {
    const { text } = statement
    const kind =
      /pg_extension|pg_dist_node|set_config|master_run|shardminvalue::int|pg_dist_shard|relname::text as name/.exec(
        text,
      )
    asked.push(kind?.[0] ?? text)
    switch (kind?.[0]) {
      case 'pg_extension':
        return version === null ? [] : [{ version }]
      case 'pg_dist_node':
        return [1, 2].map((id) => ({ host: 'h', port: id, groupId: id }))
      case 'master_run':
        return answers(statement)
      case 'pg_dist_shard':
        return [1, 2].map((id) => ({ groupId: id, tables: ['lanes'], parts: [`lanes_${id}`] }))
      case 'shardminvalue::int':
        return RANGES
      case 'relname::text as name':
        return [{ name: 'lanes' }]
    }
    return []
  }
  const store = { query, transaction: (work: (tx: object) => unknown) => work({ query }) }
  const workers = new Workers({
    store: store as unknown as Store,
    deadlines: {
      begin: (_, expire) => {
        const wait = { until: 0, expire }
        waits.add(wait)
        return wait
      },
      end: (wait) => void waits.delete(wait),
    },
    onAway: ({ name }) => told.push(`${name} away`),
    onBack: ({ name }) => told.push(`${name} back`),
  })
  const ask = async () => {
    asked.push('whole')
    if (state.failure) throw state.failure
    return [{ id: 'whole' }]
  }
  const poll = () => workers.query<{ id: string }>(POLL, ask, store.transaction as never)
  const pass = (ms: number) => {
    nowMs += ms
  }
  /** Those that begin meanwhile are not over yet. */
  const expireAll = () => {
    for (const wait of [...waits]) {
      waits.delete(wait)
      wait.expire()
    }
  }
  return { workers, store, poll, asked, told, up, state, pass, waits, expireAll }
}

test('as long as nothing fails, a read across all accounts is only that statement', async (t) => {
  const { poll, asked } = stage(t)
  assert.deepEqual(await poll(), [{ id: 'whole' }])
  assert.deepEqual(asked, ['whole'])
})

test('while a worker is down, the others respond, and its loss and return are reported once', async (t) => {
  const { workers, poll, asked, told, up, state, pass } = stage(t)
  up.delete(2)
  state.failure = AWAY
  assert.deepEqual(await poll(), [{ id: 'of 1' }])
  assert.deepEqual(told, ['h:2 away'])
  assert.deepEqual(
    workers.away.map(({ name }) => name),
    ['h:2'],
  )
  asked.length = 0
  assert.deepEqual(await poll(), [{ id: 'of 1' }])
  assert.deepEqual(asked, ['set_config', 'master_run'], 'the worker that is down is not queried')
  await assert.rejects(workers.assertNear(ON_2), /h:2, which has this account, does not answer/)
  await workers.assertNear(ON_1)

  up.add(2)
  state.failure = null
  pass(2_000)
  await poll()
  await workers.look()
  assert.deepEqual(told, ['h:2 away', 'h:2 back'])
  assert.deepEqual(await poll(), [{ id: 'whole' }])
  await workers.assertNear(ON_2)
})

test('a record that no reachable worker has may be on the worker that is down', async (t) => {
  const { workers, store, poll, up, state } = stage(t)
  up.delete(2)
  state.failure = AWAY
  await poll()
  const one = acrossAccounts(sql`select id from lanes where id = ${'x'}`, { isOne: true })
  assert.deepEqual(await workers.query(one, async () => [], store.transaction as never), [
    { id: 'of 1' },
  ])
  up.delete(1)
  await assert.rejects(
    workers.query(one, async () => [], store.transaction as never),
    /may be on h:2, which does not respond/,
  )
})

test('a transaction queries the reachable workers on its own connection', async (t) => {
  const { workers, poll, asked, up, state } = stage(t)
  const inTransaction = { query: async () => [{ id: 'in the transaction' }] as never[] }
  assert.deepEqual(await workers.queryIn(inTransaction, POLL), [{ id: 'in the transaction' }])
  up.delete(2)
  state.failure = AWAY
  await poll()
  asked.length = 0
  await workers.queryIn(inTransaction, POLL).catch(() => {}) // it does not respond to queries about workers
  assert.deepEqual(asked, [], 'no other query runs')
})

test('another worker that goes down meanwhile is left out too', async (t) => {
  const { workers, poll, told, up, state } = stage(t)
  up.delete(2)
  state.failure = AWAY
  await poll()
  up.delete(1)
  assert.deepEqual(await poll(), [])
  await workers.look()
  assert.deepEqual(told, ['h:2 away', 'h:1 away'])
})

test('a statement that workers refuse is an error, not an outage', async (t) => {
  const { poll, up, state } = stage(t)
  up.delete(2)
  state.failure = AWAY
  state.refusal = 'ERROR: column "x" does not exist'
  await assert.rejects(poll(), /a worker refused .* column "x" does not exist/)
})

test('a worker that is back immediately is queried again, and other reasons are reported', async (t) => {
  const { poll, asked, state } = stage(t)
  state.failure = AWAY
  await assert.rejects(poll(), AWAY)
  assert.equal(asked.filter((one) => one === 'whole').length, 2)
  asked.length = 0
  state.failure = SLOW
  await assert.rejects(poll(), SLOW)
  assert.equal(asked.filter((one) => one === 'whole').length, 1)
  state.failure = new Error('a fault')
  await assert.rejects(poll(), /a fault/)
})

test('PostgreSQL alone is checked once, after a slow statement, and never again', async (t) => {
  const { workers, poll, asked, state } = stage(t, null)
  state.failure = SLOW
  await assert.rejects(poll(), SLOW)
  assert.deepEqual(asked, ['whole', 'pg_extension'])
  await assert.rejects(poll(), SLOW)
  workers.note(SLOW)
  assert.deepEqual(asked, ['whole', 'pg_extension', 'whole'])
})

test('a slow statement triggers a check of the workers before it fails', async (t) => {
  const { workers, up, told, waits, expireAll, pass } = stage(t)
  up.delete(1)
  let end = () => {}
  const hung = workers.watch(() => new Promise<void>((resolve) => (end = resolve)))
  assert.equal(waits.size, 1)
  expireAll()
  await workers.look() // joins the one in progress
  assert.deepEqual(told, ['h:1 away'])
  await assert.rejects(workers.assertNear(ON_1), { message: /does not answer/ })
  await workers.assertNear(ON_2)
  end()
  await hung
  assert.equal(waits.size, 0)
  up.add(1)
  pass(5_000)
  await workers.look()
  assert.deepEqual(told, ['h:1 away', 'h:1 back'])
})

test('PostgreSQL alone is checked once for a cluster, and its slow statements then trigger nothing', async (t) => {
  const { workers, asked, waits, expireAll } = stage(t, null)
  await workers.watch(async () => {
    expireAll()
  })
  await workers.look()
  await workers.watch(async () => assert.equal(waits.size, 0))
  assert.deepEqual(asked, ['pg_extension'])
})
