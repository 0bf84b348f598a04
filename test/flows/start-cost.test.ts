// What a start must not cost, and what a stop must not leave behind. Each test starts a service, and so does each
// process of an installation.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openLog } from '../../src/kit/log.js'
import { sql } from '../../src/kit/postgres/sql.js'
import type { World } from '../../src/kit/world.js'
import { startService } from '../../src/serve.js'
import { cloneDatabase, testConfig, testService } from '../harness.js'

const TURNS_MAX = 20
const PLUGINS_MAX = 60

test('a service starts with one connection', async (t) => {
  const { world } = await testService(t)
  const [row] = await world.db.query<{ connections: number }>(sql`
    select count(*)::int as connections from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend'`)
  assert.equal(row!.connections, 1)
})

test('routes are added without a plugin for each of them', async (t) => {
  const { app } = await testService(t)
  const plugins = app.printPlugins().trim().split('\n').length
  assert.ok(plugins <= PLUGINS_MAX, `${plugins} plugins were loaded`)
})

test('nothing keeps a stopped service in memory', async (t) => {
  const world = await startAndStop(t)
  for (let turns = 0; turns < TURNS_MAX && world.deref(); turns += 1) {
    await nextTurn()
    collectGarbage()
  }
  assert.equal(world.deref(), undefined)
})

async function startAndStop(t: TestContext): Promise<WeakRef<World>> {
  const { url, drop } = await cloneDatabase()
  t.after(drop)
  const { world, stop } = await startService(testConfig(), url, openLog('silent'))
  await stop()
  return new WeakRef(world)
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
}
