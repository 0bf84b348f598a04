// The map of the house, checked: rooms import downward only, borders hold, files say what they are.
// An exemption that is no longer needed fails the test, so the list cleans itself.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

/** Ground floor first. Files directly in src/ are the roof. */
const FLOORS = [
  'kit',
  'text',
  'accounts',
  'ledger',
  'events',
  'brands',
  'campaigns',
  'numbers',
  'optouts',
  'messages',
  'endings',
  'webhooks',
  'carriers',
  'sandbox',
  'operator',
  'http',
  'commands',
  'roof',
]

interface Border {
  what: string
  pattern: RegExp
  allowed: (file: string) => boolean
}

const BORDERS: Border[] = [
  {
    what: 'fastify',
    pattern: /from '(?:fastify|@fastify\/[^']+)'/,
    allowed: (file) => /^src\/(?:http\/|serve\.ts)|-routes\.ts$/.test(file),
  },
  {
    what: 'pg',
    pattern: /from 'pg'/,
    allowed: (file) =>
      /^src\/kit\/(?:db|pool|pipelines|run-statement|embedded-[\w-]+)\.ts$/.test(file),
  },
  {
    what: 'process.env',
    pattern: /process\.env/,
    allowed: (file) => file === 'src/kit/config.ts',
  },
  {
    what: 'the system clock',
    pattern: /Date\.now\(\)|new Date\(\)/,
    allowed: (file) => /^src\/kit\/(?:clock|embedded-[\w-]+)\.ts$/.test(file),
  },
  {
    what: 'console output',
    pattern: /console\.(?:log|error|warn)/,
    allowed: (file) => ['commands', 'roof'].includes(roomOf(file)),
  },
]

/** Tables of data may be longer, by name; anything else is two rooms in one. */
const LINES_MAX = 300
const LONG_FILES = new Set<string>()

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.posix.join(folder, name)
    return statSync(file).isDirectory() ? filesBelow(file) : [file]
  })
}

function roomOf(file: string): string {
  const [, room = '', ...inner] = file.split('/')
  return inner.length === 0 ? 'roof' : room
}

function floorOf(file: string): number {
  const floor = FLOORS.indexOf(roomOf(file))
  assert.notEqual(floor, -1, `${file}: this room is not on the map`)
  return floor
}

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g

/** The sentence for each import that goes up. */
function upwardImports(file: string, text: string): string[] {
  return [...text.matchAll(IMPORT)]
    .map(([, target]) => path.posix.join(path.posix.dirname(file), target!))
    .filter((target) => target.startsWith('src/') && floorOf(target) > floorOf(file))
    .map((target) => `${file} may not import ${target}`)
}

const sources = filesBelow('src').filter((file) => file.endsWith('.ts'))
const read = (file: string) => readFileSync(file, 'utf8')

test('imports only go down', () => {
  assert.deepEqual(
    sources.flatMap((file) => upwardImports(file, read(file))),
    [],
  )
})

test('an upward import would be found, however it is written', () => {
  const planted = [
    "import { send } from '../messages/send-message.js'",
    "import '../http/app.js'",
    "const room = await import('../messages/message-room.js')",
    "export { buildApp } from '../http/app.js'",
  ]
  for (const line of planted) {
    assert.equal(upwardImports('src/ledger/planted.ts', line).length, 1, line)
  }
  assert.deepEqual(
    upwardImports('src/ledger/planted.ts', "import { sql } from '../kit/sql.js'"),
    [],
  )
})

test('borders hold: each outside thing is known in one place', () => {
  for (const { what, pattern, allowed } of BORDERS) {
    const crossed = sources.filter(
      (file) => !file.endsWith('.test.ts') && !allowed(file) && pattern.test(read(file)),
    )
    assert.deepEqual(crossed, [], `${what} is used elsewhere`)
  }
})

test('every file opens by saying what it is', () => {
  const silent = [...sources, ...filesBelow('test'), ...filesBelow('bench')]
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => !/^(?:#!.*\n)?\/\/ \S/.test(read(file)))
  assert.deepEqual(silent, [])
})

test('no file has grown past reading', () => {
  const long = sources
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => read(file).split('\n').length > LINES_MAX)
  assert.deepEqual(new Set(long), LONG_FILES)
})

test('account_id comes first in every key of tenant data', () => {
  // Found before the tenant is known, or not tenant data at all.
  const lookups = new Set([
    'migrations',
    'access_tokens',
    'service_clock',
    'inventory_numbers',
    'numbers',
    'inbound_parts',
    'media',
    'stray_receipts',
    'lost_links',
    'operator_tokens',
    'audit_log',
  ])
  const text = filesBelow('migrations').sort().map(read).join('\n')
  for (const [, table, columns] of text.matchAll(/create table (\w+) \(\n([\s\S]*?)\n\)/g)) {
    if (lookups.has(table!)) continue
    const key =
      /primary key \((\w+)/.exec(columns!)?.[1] ?? /(\w+) \S.*primary key/.exec(columns!)?.[1]
    assert.equal(key, 'account_id', `primary key of ${table}`)
  }
  for (const [, table, first] of text.matchAll(/create unique index \w+ on (\w+) \((\w+)/g)) {
    assert.equal(first, 'account_id', `unique index of ${table}`)
  }
})
