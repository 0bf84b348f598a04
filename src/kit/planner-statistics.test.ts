// Statistics follow a growing table, and other tables are not analyzed. On a real PostgreSQL.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, testService } from '../../test/harness.js'
import { plannerStatisticsLoop } from './planner-statistics.js'
import { sql } from './postgres/sql.js'

test('a table that has grown is analyzed, and not again until it has grown much more', async (t) => {
  const { world } = await testService(t)
  const { db } = world
  const tuples = async () => {
    const [row] = await db.query<{ count: number }>(sql`
      select reltuples::int as count from pg_class where oid = 'media'::regclass`)
    return row!.count
  }
  const add = (from: number, to: number) =>
    db.query(sql`
      insert into media (id, account_id, message_id, content_type, content, created_at)
      select 'med_' || i, 'acc', 'msg', 'text/plain', '', '2026-01-01'
      from generate_series(${from}::int, ${to}::int) as i`)
  const loop = plannerStatisticsLoop(world, ['media', 'no_such_table'])
  const step = () => loop.step(new AbortController().signal)

  await step()
  assert.equal(await tuples(), -1, 'an empty table has no statistics')
  await add(1, 2000)
  await step()
  assert.equal(await tuples(), 2000)
  await add(2001, 2500)
  await step()
  assert.equal(await tuples(), 2000)
  await add(2501, 20_000)
  await step()
  assert.equal(await tuples(), 20_000)
})

test('a queue that was vacuumed empty is analyzed as it fills, even if it is no larger', async (t) => {
  const { world } = await testService(t)
  const { db } = world
  const tuples = async () => {
    const [row] = await db.query<{ count: number }>(sql`
      select reltuples::int as count from pg_class where oid = 'media'::regclass`)
    return row!.count
  }
  const add = (count: number) =>
    db.query(sql`
      insert into media (id, account_id, message_id, content_type, content, created_at)
      select 'med_' || i, 'acc', 'msg', 'text/plain', '', '2026-01-01'
      from generate_series(1, ${count}::int) as i`)
  const loop = plannerStatisticsLoop(world, ['media'])
  const step = () => loop.step(new AbortController().signal)
  await add(5_000)
  await step()
  await db.query(sql`delete from media`)
  await db.query(sql`vacuum (truncate false) media`)
  assert.equal(await tuples(), 0)
  await step()
  assert.equal(await tuples(), 0, 'no rows to analyze')
  await add(1_000)
  // Connections report their writes once a second.
  await eventually(async () => {
    await step()
    return (await tuples()) === 1_000
  }, 'statistics of a thousand rows')
})
