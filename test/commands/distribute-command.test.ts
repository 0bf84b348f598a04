// `longcode distribute` on a server without Citus, and with a stand-in that only records which tables it was given.
// test/citus runs it on a real cluster.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { cloneDatabase } from '../harness.js'
import { commandStage, ON_TERMINAL, runCommand } from './run-command.js'

/** What the command uses of Citus, in a schema that it does not distribute. */
const STAND_IN = `
  set allow_system_table_mods = on;
  create schema stand_in;
  create table stand_in.pg_dist_partition (logicalrelid oid primary key);
  create function stand_in.create_distributed_table(regclass, text, colocate_with text) returns void
    language sql as 'insert into stand_in.pg_dist_partition values ($1)';
  create function stand_in.citus_get_active_worker_nodes() returns setof int
    language sql as 'select generate_series(1, 2)';
  insert into pg_extension
    (oid, extname, extowner, extnamespace, extrelocatable, extversion)
    select 1, 'citus', 10, 'stand_in'::regnamespace, false, '13.2-1';`

async function databaseWithStandIn(): Promise<{ url: string; drop: () => Promise<void> }> {
  const database = await cloneDatabase()
  const client = new pg.Client(database.url)
  await client.connect()
  await client.query(STAND_IN)
  await client.query(`alter database ${client.database} set search_path = public, stand_in`)
  await client.end()
  return database
}

test('distribute explains what to do first if Citus is missing', async (t) => {
  const { env } = await commandStage(t)
  const { code, err } = await runCommand(['distribute'], env)
  assert.equal(code, 1)
  assert.match(err, /^This database does not have Citus\. Run `create extension citus`/)
})

test('distribute draws a progress bar on a terminal and nothing elsewhere', async (t) => {
  const { url, drop } = await databaseWithStandIn()
  t.after(drop)
  const first = await runCommand(['distribute'], { DATABASE_URL: url }, { nodeArgs: ON_TERMINAL })
  assert.equal(first.code, 0, first.err)
  const placed = /^Just distributed: (.+)\.$/m.exec(first.out)?.[1]?.split(', ')
  assert.ok(placed && placed.length > 30, first.out)
  assert.equal(placed[0], 'accounts')
  const { length: count } = placed
  assert.match(first.err, new RegExp(`Distributing tables █?░+ +\\d+% {2}1 / ${count}`))
  assert.match(first.err, new RegExp(`Distributing tables █+ 100% {2}${count} / ${count}\\n$`))
  const again = await runCommand(['distribute'], { DATABASE_URL: url })
  assert.match(again.out, /^Citus 13\.2-1, 2 workers\.$.*^Nothing to do\.$/ms)
  assert.equal(again.err, '')
})
