// Databases that a new version may find: empty, from the migration chain before the squash (decision 0027), of a
// newer version, or unknown.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { schemaText } from '../../scripts/schema-text.js'
import { type Database, openDatabase } from '../../src/kit/postgres/db.js'
import { migrate, pendingMigrations } from '../../src/kit/postgres/migrate.js'
import { runMigration } from '../../src/kit/postgres/migration-queries.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { explain } from '../../src/run.js'
import { WITH_CITUS } from '../administer.js'
import { cloneDatabase } from '../harness.js'

const CURRENT = readdirSync('migrations').sort()
/** How many of today's migrations the previous chain covers. */
const SQUASHED = 13
const PREVIOUS =
  `0001-accounts 0002-ledger 0003-events 0004-brands-campaigns 0005-numbers 0006-messages 0007-webhooks
  0008-billing 0009-operator 0010-cheaper-accepting 0011-handoffs 0012-deliveries-newest-last
  0013-charges-per-batch 0014-leases-in-place 0016-waiting-and-giving-up 0017-changes-told 0018-campaigns-end
  0019-refusals-and-replies`
    .split(/\s+/)
    .map((name) => `${name}.sql`)

/** A database with our schema that lists these migrations as its own. */
async function databaseOf(t: TestContext, names: readonly string[]): Promise<Database> {
  const { url, drop } = await cloneDatabase()
  const db = open(url)
  t.after(() => db.end().finally(drop))
  await db.query(sql`delete from migrations`)
  await db.query(sql`insert into migrations select unnest(${names}::text[])`)
  await db.query(sql`insert into accounts values ('acc_1', 'Acme', 'ACTIVE', null, now())`)
  return db
}

/** The schema at the end of the previous chain: without our later migrations. */
async function backToSquashed(db: Database): Promise<void> {
  const names = await namesIn(db)
  const run = (text: string) => db.query({ name: '', text, values: [] })
  await run('drop schema public cascade')
  await run('create schema public')
  await run('create table migrations (name text primary key)')
  for (const file of CURRENT.slice(0, SQUASHED)) {
    await db.transaction((tx) => runMigration(tx, readFileSync(`migrations/${file}`, 'utf8')))
  }
  await db.query(sql`insert into migrations select unnest(${names}::text[])`)
  await db.query(sql`insert into accounts values ('acc_1', 'Acme', 'ACTIVE', null, now())`)
}

function open(url: string): Database {
  return openDatabase({ url, poolMax: 2, applicationName: 'test', onError: () => {} })
}

async function namesIn(db: Database): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`select name from migrations order by name`)
  return rows.map(({ name }) => name)
}

async function refusalOf(db: Database): Promise<string> {
  return migrate(db).then(
    () => assert.fail('it was migrated'),
    (error) => explain(error),
  )
}

test('nodes that start at once on an empty database migrate it once, to the schema of schema.sql', {
  skip: WITH_CITUS,
}, async (t) => {
  const { url, drop } = await cloneDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const nodes = [open(url), open(url), open(url)]
  t.after(() => Promise.all([client.end(), ...nodes.map((db) => db.end())]).finally(drop))
  await client.query('drop schema public cascade; create schema public')
  const applied = await Promise.all(nodes.map((db) => migrate(db)))
  assert.deepEqual(applied.flat().sort(), CURRENT)
  assert.deepEqual(await namesIn(nodes[0]!), CURRENT)
  assert.equal(await schemaText(client), readFileSync('schema.sql', 'utf8'))
})

test('a database at the end of the previous chain is used unchanged', {
  skip: WITH_CITUS,
}, async (t) => {
  const db = await databaseOf(t, PREVIOUS)
  await backToSquashed(db)
  assert.deepEqual(await migrate(db), CURRENT.slice(SQUASHED))
  assert.deepEqual(await namesIn(db), CURRENT)
  assert.deepEqual(await pendingMigrations(db), [])
  assert.deepEqual(await db.query(sql`select name from accounts`), [{ name: 'Acme' }])
  assert.deepEqual(await migrate(db), [])
})

test('a database partway along the previous chain is not changed, and the error explains what to do', async (t) => {
  for (const names of [PREVIOUS.slice(0, -1), PREVIOUS.slice(0, 1)]) {
    const db = await databaseOf(t, names)
    assert.equal(
      await refusalOf(db),
      `The database was made by another version and is left as it is (this one does not know ${names.at(-1)}): start the last version that has migrations/0019-refusals-and-replies.sql on it once and then this one (docs/decisions/0027-compatibility-and-migrations.md), or name an empty one by DATABASE_URL or LONGCODE_DATA.`,
    )
    assert.deepEqual(await namesIn(db), names)
  }
})

test('a database with unknown migrations is not changed', async (t) => {
  for (const names of [
    [...CURRENT.slice(0, -1), '0099-another.sql'],
    [...PREVIOUS, '0099-another.sql'],
    [...PREVIOUS.slice(0, -1), '0099-another.sql'],
  ]) {
    const db = await databaseOf(t, names)
    assert.match(await refusalOf(db), /does not know 0099-another.sql\): start the version that/)
    assert.deepEqual(await namesIn(db), names)
  }
})

test('the service runs on a database that a newer version has migrated', async (t) => {
  const db = await databaseOf(t, [...CURRENT, '9999-newer.sql'])
  assert.deepEqual(await migrate(db), [])
  assert.deepEqual(await namesIn(db), [...CURRENT, '9999-newer.sql'])
})
