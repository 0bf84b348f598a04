// The check at the end of each test leaves out what cannot be wrong, and nothing else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../src/kit/postgres/sql.js'
import { testService } from './harness.js'
import { sendingService } from './sending.js'
import { COUNTED, mayHaveCounts } from './storage-counts.js'

/** They say how far the counters are. */
const PROGRESS = ['usage_mark', 'usage_progress']

test('counts are checked once there is a message, and not before', async (t) => {
  const { service, send } = await sendingService(t)
  assert.equal(await mayHaveCounts(service.world.db), false)
  await send()
  assert.equal(await mayHaveCounts(service.world.db), true)
})

test('every table of counters is one of those that are looked at', async (t) => {
  const { world } = await testService(t)
  const tables = await world.db.query<{ name: string }>(sql`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and relname ~ '^usage_|_counts$|_totals$' order by 1`)
  const names = tables.map(({ name }) => name).filter((name) => !PROGRESS.includes(name))
  assert.deepEqual(
    names.filter((name) => !COUNTED.includes(name)),
    [],
  )
})
