// Runs the tests: starts one PostgreSQL for all of them, or takes the one that TEST_DATABASE_URL names, makes
// the template that each test file clones, and hands over to node's test runner. `npm test -- FILE…` runs some
// of them; flags go to the runner.

import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { startTestDatabase, testFiles, UnusableServer } from './test-database.mjs'

const root = path.resolve(import.meta.dirname, '..')
process.chdir(root)
const GROUP_SIZE = 18
// Of a file or group, for what hangs outside of its tests: test/time-limit.mjs ends those.
const FILE_LIMIT_MS = 60 * 60_000
const flags = process.argv.slice(2).filter((arg) => arg.startsWith('--'))
const wanted = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))

if (wanted.length === 0) {
  const check = spawnSync(process.execPath, ['scripts/check.mjs'], { stdio: 'inherit' })
  if (check.status !== 0) process.exit(check.status ?? 1)
}

const server = await startTestDatabase().catch((error) => {
  console.error(error instanceof UnusableServer ? error.message : error)
  process.exit(1)
})
let status = 1
try {
  status = await runTests(wanted.length > 0 ? chosenOf(wanted) : inGroups(testFiles()))
} finally {
  await server.stop()
}
process.exit(status)

/** Files by themselves, the files of folders in groups. */
function chosenOf(names) {
  const folders = names.filter((name) => statSync(name, { throwIfNoEntry: false })?.isDirectory())
  const isIn = (file) => folders.some((folder) => file.startsWith(path.join(folder, path.sep)))
  const together = folders.length > 0 ? inGroups(testFiles().filter(isIn)) : []
  return [...names.filter((name) => !folders.includes(name)), ...together]
}

// Loading the service costs a second or two, so files share processes. What kills and starts processes
// of its own (test/faults, test/browser) keeps one to itself. All are loaded before the first test runs, which may stop
// the clock.
function inGroups(files) {
  const folder = path.join(server.dataDir, 'groups')
  mkdirSync(folder)
  const alone = files.filter((file) => /^test.(?:faults|browser)./.test(file))
  const together = files.filter((file) => !alone.includes(file))
  const count = Math.ceil(together.length / GROUP_SIZE)
  const groups = Array.from({ length: count }, (_, i) => {
    const members = together.filter((_, place) => place % count === i)
    const group = path.join(folder, `group-${i + 1}.test.mjs`)
    writeFileSync(
      group,
      members.map((file) => `import ${JSON.stringify(addressOf(file))}\n`).join(''),
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
    env: { ...process.env, ...server.env },
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)))
}
