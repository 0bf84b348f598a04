// On a cluster, processes announce new work to each other instead of polling every shard.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Hint } from '../../src/kit/hints.js'
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
    where datname = current_database() and query = 'listen longcode_hints'`)
  const before = others()
  await eventually(async () => !areShared(other), 'the lost connection')
  await eventually(async () => areShared(one) && areShared(other), 'new connections')
  assert.ok(others() > before, 'work may have been announced in between')
  const reconnected = others()
  one.world.hints.notify('messages')
  await eventually(async () => others() > reconnected, 'a hint over the new connection')
})
