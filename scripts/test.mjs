// Runs the tests: starts one PostgreSQL for all of them, makes the template that each test file
// clones, and hands over to node's test runner. `npm test -- FILE…` runs some of them; flags go to the
// runner.

import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const root = path.resolve(import.meta.dirname, '..')
process.chdir(root)
const GROUP_SIZE = 12
// Of a file or group, for what hangs outside of its tests: test/time-limit.mjs ends those.
const FILE_LIMIT_MS = 20 * 60_000
const flags = process.argv.slice(2).filter((arg) => arg.startsWith('--'))
const wanted = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))

if (wanted.length === 0) {
  const check = spawnSync(process.execPath, ['scripts/check.mjs'], { stdio: 'inherit' })
  if (check.status !== 0) process.exit(check.status ?? 1)
}

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'longcode-test-'))
const load = (file) => import(pathToFileURL(path.join(root, 'dist', file)).href)
const { startEmbeddedDatabase } = await load('kit/embedded-database.js')
const { openDatabase } = await load('kit/db.js')
const { migrate } = await load('kit/migrate.js')

const server = await startEmbeddedDatabase({ dataDir, note: () => {} })
let status = 1
try {
  await makeTemplate(server.url)
  status = await runTests(wanted.length > 0 ? wanted : inGroups(testFiles()))
} finally {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
process.exit(status)

async function makeTemplate(url) {
  const admin = openDatabase({ url, poolMax: 1, applicationName: 'tests', onError: () => {} })
  await admin.query({ name: '', text: 'create database longcode_template', values: [] })
  await admin.end()
  const template = new URL(url)
  template.pathname = '/longcode_template'
  const options = { url: template.href, poolMax: 1, applicationName: 'tests', onError: () => {} }
  const db = openDatabase(options)
  await migrate(db)
  await db.end()
}

function testFiles() {
  return ['src', 'test'].flatMap(filesBelow).filter((file) => file.endsWith('.test.ts'))
}

function filesBelow(folder) {
  return readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name)
    return statSync(file).isDirectory() ? filesBelow(file) : [file]
  })
}

// Loading the service costs a second or two, so files share processes, a dozen each. What kills and
// starts processes of its own (test/faults) keeps one to itself.
function inGroups(files) {
  const folder = path.join(dataDir, 'groups')
  mkdirSync(folder)
  const alone = files.filter((file) => file.startsWith(path.join('test', 'faults')))
  const together = files.filter((file) => !alone.includes(file))
  const count = Math.ceil(together.length / GROUP_SIZE)
  const groups = Array.from({ length: count }, (_, i) => {
    const members = together.filter((_, place) => place % count === i)
    const group = path.join(folder, `group-${i + 1}.test.mjs`)
    writeFileSync(
      group,
      members.map((file) => `await import(${JSON.stringify(addressOf(file))})\n`).join(''),
    )
    return group
  })
  return [...alone, ...groups]
}

function addressOf(file) {
  return pathToFileURL(path.resolve(file)).href
}

function runTests(files) {
  const loaded = ['--import', 'tsx', '--import', addressOf('test/time-limit.mjs')]
  const runner = ['--test', '--test-concurrency=3', `--test-timeout=${FILE_LIMIT_MS}`, ...flags]
  const child = spawn(process.execPath, [...loaded, ...runner, ...files], {
    stdio: 'inherit',
    env: { ...process.env, TEST_DATABASE_URL: server.url },
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)))
}
