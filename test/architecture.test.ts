// Checks the architecture: modules import downward only, module borders are respected, and each file describes itself.
// An exemption that is no longer needed fails the test, so the list cleans itself.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import {
  ambiguousTypes,
  BORDERS,
  crossedBorders,
  foreignWrites,
  hasSqlOutsideQueries,
  TABLES,
  upwardImports,
} from './architecture-rules.js'
import { missingDecisions, namedFiles, recordsOf, unlistedDecisions } from './decision-rules.js'

/** Files that write tables of other modules, each with its reason. */
const FOREIGN_WRITES: Record<string, string[]> = {
  // Deleting an account deletes from every table with account data.
  'src/operator/accounts/deletion-queries.ts': ['any'],
  // Locks whichever table it partitions.
  'src/kit/partitions/partition-queries.ts': ['any'],
  'src/kit/partitions/repack-queries.ts': ['any'],
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.posix.join(folder, name)
    return statSync(file).isDirectory() ? filesBelow(file) : [file]
  })
}

const sources = filesBelow('src').filter((file) => file.endsWith('.ts'))
const programs = sources.filter((file) => !file.endsWith('.test.ts'))
const read = (file: string) => readFileSync(file, 'utf8')

test('imports only go down', () => {
  assert.deepEqual(
    sources.flatMap((file) => upwardImports(file, read(file))),
    [],
  )
})

test('an upward import is found in every spelling', () => {
  const planted = [
    "import { send } from '../messages/send/send-message.js'",
    "import '../http/app.js'",
    "const room = await import('../messages/message-room.js')",
    "export { buildApp } from '../http/app.js'",
    'import { send } from "../messages/send/send-message.js"',
  ]
  for (const line of planted) {
    assert.equal(upwardImports('src/ledger/planted.ts', line).length, 1, line)
  }
  assert.deepEqual(
    upwardImports('src/ledger/planted.ts', "import { sql } from '../kit/postgres/sql.js'"),
    [],
  )
})

test('an upward import between submodules, or of a top file, is found', () => {
  for (const [file, target] of [
    ['src/messages/send/planted.ts', '../dispatch/claim-lane.js'],
    ['src/messages/planted.ts', './send/send-message.js'],
    ['src/messages/send/planted.ts', '../message-room.js'],
    ['src/webhooks/deliver/planted.ts', '../stream/event-feed.js'],
  ] as const) {
    assert.equal(upwardImports(file, `import '${target}'`).length, 1, `${file} → ${target}`)
  }
  for (const [file, target] of [
    ['src/messages/dispatch/planted.ts', '../send/accept-queries.js'],
    ['src/messages/dispatch/planted.ts', '../message.js'],
    ['src/messages/message-room.ts', './send/send-message.js'],
    ['src/webhooks/deliver/planted.ts', '../../messages/message-room.js'],
  ] as const) {
    assert.deepEqual(upwardImports(file, `import '${target}'`), [], `${file} → ${target}`)
  }
})

test('an unlisted submodule is refused', () => {
  assert.throws(() => upwardImports('src/messages/cellar/planted.ts', "import '../message.js'"))
})

test('only the database layer and what reports about it know of Citus', () => {
  const allowed =
    /^src\/(?:kit\/postgres\/|kit\/tenant-queries|http\/health\/|commands\/(?:doctor\/|distribute-))/
  const outside = programs.filter((file) => !allowed.test(file) && /citus/i.test(read(file)))
  assert.deepEqual(
    outside,
    [],
    'put what a cluster needs of a statement into src/kit/tenant-queries.ts',
  )
})

test('SQL is only in query files', () => {
  const outside = programs.filter((file) => hasSqlOutsideQueries(file, read(file)))
  assert.deepEqual(outside, [])
})

test('SQL outside a query file is found in every spelling', () => {
  for (const line of [
    'await db.query(sql`select 1`)',
    'const where = piece`where a = 1`',
    "const text = 'insert into messages (id) values ($1)'",
    'const text = `update lanes set a = 1`',
    "await db.query({ name: '', text: 'delete from events', values: [] })",
  ]) {
    assert.ok(hasSqlOutsideQueries('src/ledger/planted.ts', line), line)
    assert.ok(!hasSqlOutsideQueries('src/ledger/planted-queries.ts', line), line)
  }
  for (const line of ["description: 'Select one of these'", '// update lanes set a = 1']) {
    assert.ok(!hasSqlOutsideQueries('src/ledger/planted.ts', line), line)
  }
})

test('each external dependency is used in one place only', () => {
  const crossed = programs.flatMap((file) =>
    crossedBorders(file, read(file)).map((what) => `${file} may not use ${what}`),
  )
  assert.deepEqual(crossed, [])
})

test('a crossed border is found in every spelling', () => {
  const planted: Record<string, string[]> = {
    pg: [
      "import pg from 'pg'",
      "const { Client } = await import('pg')",
      "import type { Pool } from 'pg'",
      'import { Pool } from "pg"',
      "import Query from 'pg/lib/query.js'",
      "const pg = require('pg')",
      "import Cursor from 'pg-cursor'",
    ],
    fastify: ["import fastify from 'fastify'", "await import('@fastify/swagger')"],
    'process.env': [
      'const level = process.env.LEVEL',
      'const { env } = process',
      'const { pid, env: settings } = process',
      'const {\n  env,\n} = process',
      "const settings = process['env']",
      "import { env } from 'node:process'",
      "import process from 'process'",
    ],
    'the system clock': [
      'const ms = Date.now()',
      'const times = items.map(Date.now)',
      'const { now } = Date',
      'const at = new Date()',
      'const at = new Date',
      'const text = Date()',
      "const ms = Date['now']()",
    ],
    'the clock of the database': [
      'sql`update messages set sent_at = now()`',
      'sql`select CURRENT_TIMESTAMP`',
      'sql`select clock_timestamp()`',
    ],
    'an HTTP client that may call any address': [
      "const reply = await fetch('https://a.invalid')",
      "import { request } from 'undici'",
      'const { fetch: call } = globalThis',
    ],
    'console output': [
      "console.log('here')",
      "console.debug('here')",
      'items.forEach(console.info)',
    ],
  }
  assert.deepEqual(Object.keys(planted).sort(), BORDERS.map(({ what }) => what).sort())
  for (const [what, lines] of Object.entries(planted)) {
    for (const line of lines) {
      assert.deepEqual(crossedBorders('src/ledger/planted.ts', line), [what], line)
    }
  }
})

test('code that only looks like a crossed border passes', () => {
  for (const line of [
    "import { now } from './page.js'",
    'const now = world.clock.now()',
    'const at = new Date(ms)',
    'const day = new Date(Date.UTC(2027, 1, 1))',
    '// process.env is read in one place',
    'await client.fetch(url)',
    'process.exitCode = 1',
  ]) {
    assert.deepEqual(crossedBorders('src/ledger/planted.ts', line), [], line)
  }
})

test('each table is written by one module', () => {
  const foreign = programs
    .map((file) => [file, foreignWrites(file, read(file))] as const)
    .filter(([, tables]) => tables.length > 0)
  assert.deepEqual(Object.fromEntries(foreign), FOREIGN_WRITES)
})

test('every table has an owner', () => {
  const tables = [...read('schema.sql').matchAll(/^create table (\w+) \($/gm)]
  const names = tables.map(([, name]) => name!)
  assert.deepEqual(Object.keys(TABLES).sort(), names.sort())
})

test('a write to another module’s table is found in every spelling', () => {
  for (const [line, tables] of [
    ['sql`update messages set status = 1`', ['messages']],
    ['sql`with a as (\n  UPDATE\n    messages m set b = 1) select 1`', ['messages']],
    ['sql`insert into  lanes (a) values (1)`', ['lanes']],
    ['sql`delete from only events where true`', ['events']],
    ['sql`truncate table "brands"`', ['brands']],
    ["raw('update public.campaigns set a = 1')", ['campaigns']],
    [`sql\`delete from \${raw(table)} where a = 1\``, ['any']],
    ['sql`update ledger_transfers set a = 1`', []],
    ['sql`select 1 from messages for update`', []],
  ] as const) {
    assert.deepEqual(foreignWrites('src/ledger/planted.ts', line), tables, line)
  }
})

test('each exported type name is defined in one file', () => {
  const pages = filesBelow('console/src').filter((file) => /(?<!\.test)\.tsx?$/.test(file))
  assert.deepEqual(ambiguousTypes([...programs, ...pages], read), [])
})

test('a type name that two files export would be found', () => {
  const texts: Record<string, string> = {
    'src/a.ts': 'export interface Planted {}\nexport type Alone = string\ntype Local = string',
    'src/b.ts': 'export class Planted<T> {}\ntype Local = number',
  }
  assert.deepEqual(
    ambiguousTypes(Object.keys(texts), (file) => texts[file]!),
    [
      'Planted is exported by src/a.ts and src/b.ts: share one definition, or name each for what it is',
    ],
  )
})

test('every file starts with a comment that describes it', () => {
  const silent = [...sources, ...filesBelow('test'), ...filesBelow('bench')]
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => !/^(?:#!.*\n)?\/\/ \S/.test(read(file)))
  assert.deepEqual(silent, [])
})

// Required by test/light-runner.mjs, which only knows which top-level test is running.
test('tests are at the top level of their files', () => {
  const tests = ['src', 'test', 'bench', 'scripts', 'console/src'].flatMap(filesBelow)
  const imports = (file: string) =>
    /import \{([^}]*)\} from 'node:test'/.exec(read(file))?.[1] ?? ''
  const nesting = /\b(?:describe|suite|it|before|beforeEach|afterEach)\b/
  const found = tests.filter((file) => file.endsWith('.ts') && nesting.test(imports(file)))
  assert.deepEqual(found, [])
})

test('account_id comes first in every key of tenant data', () => {
  // Looked up before the tenant is known, or not tenant data at all. Names as migrations first gave them.
  const lookups = new Set([
    'migrations',
    'access_tokens',
    'console_sessions',
    'smpp_systems',
    'service_clock',
    'inventory_numbers',
    'numbers',
    'inbound_parts',
    'media',
    'media_fetches',
    'media_key',
    'stray_receipts',
    'link_evidence',
    'carrier_messages',
    'carrier_ids',
    'inbound_ids',
    'lost_links',
    'learned_networks',
    'carrier_links',
    'link_shares',
    'carrier_reloads',
    'link_pauses',
    'forwarding_changes',
    'trunk_calls',
    'voice_key',
    'usage_mark',
    'record_retention',
    'operator_tokens',
    'audit_log',
    'users',
    'memberships',
    'passkeys',
    'invitations',
    'user_sessions',
    'sign_in_steps',
    'sign_in_limits',
    'alert_lease',
  ])
  const text = filesBelow('migrations').sort().map(read).join('\n')
  for (const [, table, columns] of text.matchAll(/create table (\w+) \(\n([\s\S]*?)\n\)/g)) {
    if (lookups.has(table!)) continue
    const key =
      /primary key \((\w+)/.exec(columns!)?.[1] ?? /(\w+) \S.*primary key/.exec(columns!)?.[1]
    assert.equal(key, 'account_id', `primary key of ${table}`)
  }
  for (const [, table, first] of text.matchAll(/create unique index \w+ on (\w+) \((\w+)/g)) {
    if (!lookups.has(table!)) assert.equal(first, 'account_id', `unique index of ${table}`)
  }
})

const DECISIONS = 'docs/decisions'
const records = readdirSync(DECISIONS).filter((name) => name !== 'README.md')
const FOLDERS = ['src', 'test', 'bench', 'console/src', 'scripts', 'docs', 'migrations', 'ops']

test('every decision that is referenced exists', () => {
  const texts = /\.(md|[mc]?[jt]sx?|sql|ya?ml|cfg|json|example)$/
  const files = [...FOLDERS.flatMap(filesBelow), ...readdirSync('.')].filter((f) => texts.test(f))
  const known = recordsOf(records)
  assert.deepEqual(
    files.flatMap((file) => missingDecisions(file, read(file), known)),
    [],
  )
})

test('a reference to a missing decision is found in every spelling', () => {
  const known = recordsOf(['0007-old-name.md'])
  const missing = (text: string) => missingDecisions('docs/decisions/planted.md', text, known)
  const planted = [
    'See docs/decisions/0008.',
    '[why](decisions/0007-message-states.md)',
    '[0008](0008-brands.md)',
    'decisions 0007 and 0008',
    '// (decision\n// 0008)',
  ]
  for (const text of planted) assert.equal(missing(text).length, 1, text)
  assert.deepEqual(missing('decision 0007, see decisions/0007'), [])
})

test('the index of decisions lists every record', () => {
  assert.deepEqual(unlistedDecisions(read(`${DECISIONS}/README.md`), records), [])
})

test('the files that decisions mention exist', () => {
  const missing = records.flatMap((name) =>
    namedFiles(read(`${DECISIONS}/${name}`))
      .filter((file) => !existsSync(file))
      .map((file) => `${name}: ${file}`),
  )
  assert.deepEqual(missing, [])
})
