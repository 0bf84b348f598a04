// Where tables are on a Citus cluster: an account's rows are together, and the rest is on the coordinator.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../src/kit/postgres/db.js'
import { distribute } from '../../src/kit/postgres/distribute.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { citusWorkers } from '../administer.js'
import { commandStage, runCommand } from '../commands/run-command.js'
import { cloneDatabase } from '../harness.js'

test('migrations distribute every table of account data, and a second run changes nothing', async (t) => {
  const { url, drop } = await cloneDatabase()
  t.after(drop)
  const db = openDatabase({ url, poolMax: 1, applicationName: 'tests', onError: () => {} })
  const layout = await distribute(db.patient).finally(() => db.end())
  assert.ok(layout)
  assert.equal(layout.workers, citusWorkers().length)
  assert.deepEqual(layout.placed, [])
  for (const table of [
    'accounts',
    'messages',
    'carrier_ids',
    'submits',
    'events',
    'event_deliveries',
  ]) {
    assert.ok(layout.distributed.includes(table), table)
  }
  assert.deepEqual(layout.byOwnKey, ['media'])
  for (const table of ['access_tokens', 'audit_log', 'numbers', 'operator_tokens', 'prices']) {
    assert.ok(layout.local.includes(table), table)
  }
})

test('prices distributed with the accounts move back to the coordinator with their rows', async (t) => {
  const { url, drop } = await cloneDatabase()
  t.after(drop)
  const db = openDatabase({ url, poolMax: 1, applicationName: 'tests', onError: () => {} })
  try {
    await db.query(sql`
      insert into prices (account_id, kind, effective_at, amount_micros)
      values ('*', 'sms', ${new Date(0)}, 5)`)
    await db.query(sql`select create_distributed_table('prices', 'account_id')`)
    assert.deepEqual((await distribute(db.patient))?.placed, ['prices'])
    assert.deepEqual((await distribute(db.patient))?.placed, [])
    const rows = await db.query(sql`select kind from prices where amount_micros = 5`)
    assert.deepEqual(rows, [{ kind: 'sms' }])
  } finally {
    await db.end()
  }
})

test('longcode distribute shows where each table is', async (t) => {
  const { env } = await commandStage(t)
  const { code, out } = await runCommand(['distribute'], env)
  assert.equal(code, 0)
  assert.match(
    out,
    /^Citus \d+\.\d.*, \d+ workers?\.\nDistributed by account: .*\bmessages\b.*\nDistributed by their own key: media\.\n/,
  )
  assert.match(out, /\nNothing to do\.\n$/)
})
