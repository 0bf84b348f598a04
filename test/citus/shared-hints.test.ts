// On a cluster, processes announce new work to each other instead of polling every shard, and one at a time polls.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import type { Hint, HintedAccounts } from '../../src/kit/hints.js'
import { SILENCE_LIMIT, takeTurns } from '../../src/kit/postgres/notify-queries.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { cloneDatabase, eventually, type TestService, testService } from '../harness.js'

/** Counts the hints that arrive from now on. */
function countHints({ world }: TestService, hint: Hint): () => number {
  let count = 0
  world.hints.subscribe(hint, () => {
    count += 1
  })
  return () => count
}

const areShared = ({ world }: TestService) => world.hints.areShared

test('a hint reaches the other processes, also after their connections were lost', async (t) => {
  const database = await cloneDatabase()
  const one = await testService(t, { database: { ...database, drop: async () => {} } })
  const other = await testService(t, { database })
  await eventually(async () => areShared(one) && areShared(other), 'both connections')
  const [own, others] = [countHints(one, 'messages'), countHints(other, 'messages')]
  one.world.hints.notify('messages')
  await eventually(async () => others() > 0, 'the hint of the other process')
  assert.equal(own(), 1, 'its own hint does not come back')

  await one.world.db.query(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like '%longcode turn%'
      and pid <> pg_backend_pid()`)
  const before = others()
  await eventually(async () => !areShared(other), 'the lost connection')
  await eventually(async () => areShared(one) && areShared(other), 'new connections')
  assert.ok(others() > before, 'work may have been announced in between')
  const reconnected = others()
  one.world.hints.notify('messages')
  await eventually(async () => others() > reconnected, 'a hint over the new connection')
})

test('a hint names the accounts that have work, together with those that were named meanwhile', async (t) => {
  const database = await cloneDatabase()
  const one = await testService(t, { database: { ...database, drop: async () => {} } })
  const other = await testService(t, { database })
  await eventually(async () => areShared(one) && areShared(other), 'both connections')
  const named: HintedAccounts[] = []
  other.world.hints.subscribe('messages', (accountIds) => named.push(accountIds))
  for (const accountIds of [['acc_1'], ['acc_2'], ['acc_3', 'acc_2']]) {
    one.world.hints.notify('messages', accountIds)
  }
  await eventually(async () => named.flat().includes('acc_3'), 'all of them')
  assert.deepEqual(named.flat().sort(), ['acc_1', 'acc_2', 'acc_3'])
  one.world.hints.notify('messages', ['acc_1'])
  one.world.hints.notify('messages')
  await eventually(async () => named.at(-1) === null, 'a hint for all')
})

test('one process at a time has the turn to poll, and the next one takes over when it ends', async (t) => {
  const database = await cloneDatabase()
  // Another process, as the database sees it.
  const other = new pg.Client({ connectionString: database.url })
  await other.connect()
  const { text, values } = takeTurns(['dispatch'])
  assert.deepEqual((await other.query(text, values)).rows, [{ turn: 'dispatch' }])
  const service = await testService(t, { database, roles: ['dispatch', 'schedule'] })
  await eventually(async () => areShared(service), 'its connection')
  const { hints } = service.world
  assert.equal(hints.hasTurn('dispatch'), false)
  assert.equal(hints.hasTurn('schedule'), true)
  assert.equal(hints.hasTurn('deliver'), false, 'it does not have that role')

  const received = countHints(service, 'messages')
  await other.end()
  await eventually(async () => hints.hasTurn('dispatch'), 'the turn')
  assert.ok(received() > 0, 'it looks for what the other one left behind')
})

test('the server ends a connection that is silent for too long, so it keeps no turn', async (t) => {
  const service = await testService(t, { roles: ['dispatch'] })
  await eventually(async () => areShared(service), 'its connection')
  const client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
  const { text, values } = takeTurns(['dispatch'])
  assert.deepEqual((await client.query(text, values)).rows, [])
  await client.query(SILENCE_LIMIT)
  const { rows } = await client.query("select current_setting('idle_session_timeout') as limit")
  await client.end()
  assert.equal(rows[0].limit, '20s')
})
