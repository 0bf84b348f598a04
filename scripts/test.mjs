// Runs the tests: starts one PostgreSQL for all of them (or uses TEST_DATABASE_URL), creates the template that each
// test file clones, and starts Node's test runner. `npm test -- FILE…` runs some tests. `--times` runs them one at
// a time and prints which use the most CPU time. `--citus` runs them on the cluster of TEST_CITUS_URL
// (scripts/test-citus.mjs). `--rerun-failed` runs up to three failed files or one failed process again, alone, and
// reports what passes then as flaky (docs/decisions/0117). Other flags go to the runner.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { reportUnseen } from './check-seen.mjs'
import { compileTests } from './compile-tests.mjs'
import { cpuSeconds, startMeter } from './cpu-time.mjs'
import { startTestDatabase, testFiles, UnusableServer } from './test-database.mjs'

const root = path.resolve(import.meta.dirname, '..')
process.chdir(root)
process.umask(0o022) // PostgreSQL and PgBouncer run as other users and read files that tests create
// A process costs 4 to 5 s of CPU time before its tests are as fast as they get (docs/decisions/0134), and a file of a large
// group costs memory: these take up to 800 MB.
const GROUP_SIZE = 40
const UNIT_GROUP_SIZE = 60
const BROWSER_GROUP_SIZE = 11
const FAULT_GROUP_SIZE = 5
// Of a run, in which those are begun that mostly wait.
const WAITING_SHARE = 0.5
const TSX = `import { register } from ${JSON.stringify(addressOf('node_modules/tsx/dist/esm/api/index.mjs'))}\nregister()\n`
// Of a file or group, for what hangs outside of its tests: test/time-limit.mjs ends those.
const FILE_LIMIT_MS = 60 * 60_000
// A service that is started for a test is garbage soon after: less often looked for, most of it is never copied.
const MEMORY = ['--min-semi-space-size=32', '--max-semi-space-size=64']
// More than there are processors to the smallest machine: tests wait a quarter of their time, for leases and receipts,
// and the rest of it either for Node or for its database.
const AT_ONCE = 8
const TREND = path.join('node_modules', '.cache', 'longcode-test-runs.json')
const TREND_RUNS = 5
const isTimed = process.argv.includes('--times')
const isOnCitus = process.argv.includes('--citus')
const isRerun = process.argv.includes('--rerun-failed')
const RERUN_FILES_MAX = 3
const OWN_FLAGS = ['--times', '--citus', '--rerun-failed']
const flags = process.argv
  .slice(2)
  .filter((arg) => arg.startsWith('--') && !OWN_FLAGS.includes(arg))
const wanted = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))

const isWhole = wanted.length === 0

if (isTimed && !existsSync('/proc/self/stat')) {
  console.error('--times reads the processes of Linux, and there is none of that here.')
  process.exit(1)
}

const meter = startMeter()
let compiled
const membersOf = new Map()
const checked = isWhole ? runCheck() : 0
const server = await startTestDatabase({ isOnCitus }).catch((error) => {
  console.error(error instanceof UnusableServer ? error.message : error)
  process.exit(1)
})
let status = 1
try {
  compiled = compileTests(root, path.join(server.dataDir, 'compiled'))
  mkdirSync(path.join(server.dataDir, 'groups'))
  status = await checked
  if (status === 0) {
    status = await runTests(wanted.length > 0 ? chosenOf(wanted) : inGroups(filesOfAll()))
  }
  if (status !== 0 && isRerun) status = await rerunFailed(status)
  if (status === 0 && isWhole) await checkSeen()
} finally {
  await server.stop()
}
if (status === 0 && isWhole) status = runOnCitus()
console.log(`\nTests: ${meter.read()}${status === 0 && isWhole ? trend() : ''}`)
process.exit(status)

/** The CPU time of the last complete runs on this machine, so growth is noticed. */
function trend() {
  const before = existsSync(TREND) ? JSON.parse(readFileSync(TREND, 'utf8')) : []
  mkdirSync(path.dirname(TREND), { recursive: true })
  writeFileSync(TREND, JSON.stringify([...before, cpuSeconds()].slice(-TREND_RUNS)))
  return before.length > 0 ? ` (complete runs before: ${before.join(', ')} s)` : ''
}

/** In parallel with the start of the database: neither keeps all processors busy. */
function runCheck() {
  const check = spawn(process.execPath, ['scripts/check.mjs'], { stdio: 'inherit' })
  return new Promise((resolve) => check.on('exit', (code) => resolve(code ?? 1)))
}

/** Only after all tests have passed: what a failed one has not seen is no news. */
async function checkSeen() {
  const { REFUSALS } = await import(addressOf('dist/kit/contract/refusal.js'))
  const { OLD_NAMES } = await import(addressOf('dist/http/health/metrics-text.js'))
  reportUnseen(server.dataDir, { refusals: Object.keys(REFUSALS), oldNames: OLD_NAMES })
}

/** What is about a cluster is left to runOnCitus. */
function filesOfAll() {
  return testFiles().filter((file) => !file.startsWith(path.join('test', 'citus', path.sep)))
}

/** One line where no cluster is given. */
function runOnCitus() {
  const run = spawnSync(process.execPath, ['scripts/test-citus.mjs', 'test/citus'], {
    stdio: 'inherit',
  })
  return run.status ?? 1
}

/** Single files alone, the files of folders in groups. */
function chosenOf(names) {
  if (isOnCitus) return inGroups(names)
  const folders = names.filter((name) => statSync(name, { throwIfNoEntry: false })?.isDirectory())
  const isIn = (file) => folders.some((folder) => file.startsWith(path.join(folder, path.sep)))
  const inFolders = folders.length > 0 ? testFiles().filter(isIn) : []
  const alone = names.filter((name) => !folders.includes(name))
  return [
    ...alone.filter((name) => !isOfConsole(name)).map(compiled),
    ...inGroups([...alone.filter(isOfConsole), ...inFolders]),
  ]
}

// Loading the service costs a second or two, and starting a browser another, so files share processes; those that
// need little of it (src) are apart from those that need all, and those that mostly wait (test/faults) from those that
// work. All are loaded before the first test runs, which may stop the clock.
function inGroups(files) {
  const isIn = (folder) => (file) => file.startsWith(path.join('test', folder, path.sep))
  const faults = files.filter(isIn('faults'))
  const browser = files.filter(isIn('browser'))
  const console = files.filter(isOfConsole)
  const units = files.filter((file) => file.startsWith(path.join('src', path.sep)))
  const others = files.filter(
    (file) => ![faults, browser, console, units].some((own) => own.includes(file)),
  )
  return inOrder(
    [...grouped('fault', faults, FAULT_GROUP_SIZE), ...grouped('console', console, GROUP_SIZE)],
    [
      ...grouped('group', others, GROUP_SIZE),
      ...grouped('browser', browser, BROWSER_GROUP_SIZE),
      ...grouped('unit', units, UNIT_GROUP_SIZE),
    ],
  )
}

/**
 * The first mostly wait, and the second work meanwhile: begun last, the first would leave the machine idle. The second
 * go from the longest to the shortest, so that the last ones end together.
 */
function inOrder(waiting, working) {
  const placed = (groups, share) => groups.map((group, i) => [(share * i) / groups.length, group])
  const order = [...placed(waiting, WAITING_SHARE), ...placed(working, 1)]
  return order.sort(([one], [other]) => one - other).map(([, group], i) => written(group, i))
}

function grouped(name, files, size) {
  const count = Math.ceil(files.length / size)
  return Array.from({ length: count }, (_, i) => {
    const members = files.filter((_, place) => place % count === i)
    return { name: `${name}-${i + 1}`, members }
  })
}

/** Each group is a file that imports its members. The runner begins them in the order of their names. */
function written({ name, members }, place) {
  const file = `${String(place + 1).padStart(3, '0')}-${name}.test.mjs`
  const group = path.join(server.dataDir, 'groups', file)
  const loader = members.some(isOfConsole) ? TSX : ''
  writeFileSync(group, loader + members.map(importOf).join(''))
  membersOf.set(path.relative(root, group), members)
  return group
}

/** The console is written for its bundler: its files are loaded as they are. */
function isOfConsole(file) {
  return file.startsWith(path.join('console', path.sep))
}

function importOf(file) {
  if (isOfConsole(file)) return `await import(${JSON.stringify(addressOf(file))})\n`
  return `import ${JSON.stringify(addressOf(compiled(file)))}\n`
}

function addressOf(file) {
  return pathToFileURL(path.resolve(file)).href
}

function runTests(files, atOnce = AT_ONCE) {
  const preloads = ['test/light-runner.mjs', 'test/time-limit.mjs', 'test/statement-watch.mjs']
  const loaded = [
    '--enable-source-maps',
    ...MEMORY,
    ...preloads.flatMap((file) => ['--import', addressOf(file)]),
  ]
  const times = ['--test-concurrency=1', `--test-reporter=${addressOf('scripts/test-times.mjs')}`]
  const pace = isTimed ? times : [`--test-concurrency=${atOnce}`]
  const runner = ['--test', ...pace, ...retelling(), `--test-timeout=${FILE_LIMIT_MS}`, ...flags]
  const child = spawn(process.execPath, [...loaded, ...runner, ...files], {
    stdio: 'inherit',
    env: { ...process.env, ...server.env },
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  return new Promise((resolve) =>
    child.on('exit', (code) => {
      retell()
      resolve(code ?? 1)
    }),
  )
}

/** A test that passes alone has a race or a time limit that a busy machine exceeds: a bug, but not of this change. */
async function rerunFailed(status) {
  const files = failedFiles()
  if (files.length === 0) return status
  console.log(`\nFailed files run again, alone: ${files.join(' ')}\n`)
  rmSync(failuresFile())
  const again = await runTests(chosenOf(files), 1)
  if (again === 0) console.log(`\nFlaky, please find the cause: ${files.join(' ')}\n`)
  return again
}

/** None if more failed than a slow machine explains: more than three files, or more than one process as a whole. */
function failedFiles() {
  const failures = existsSync(failuresFile()) ? readFileSync(failuresFile(), 'utf8') : ''
  const files = new Set([...failures.matchAll(/^✖ .*\((.+):\d+\)$/gm)].map(([, file]) => file))
  const groups = [...files].filter((file) => membersOf.has(file))
  if (files.size > RERUN_FILES_MAX || groups.length > 1) return []
  const single = [...files].flatMap((file) => membersOf.get(file) ?? file)
  return single.every((file) => testFiles().includes(file)) ? [...new Set(single)] : []
}

/** Failures are also stored in a file. On a terminal, the usual output repeats them anyway. */
function retelling() {
  if (isTimed || process.stdout.isTTY || flags.some((flag) => flag.startsWith('--test-reporter'))) {
    return []
  }
  return [
    ...['--test-reporter=tap', '--test-reporter-destination=stdout'],
    `--test-reporter=${addressOf('scripts/test-failures.mjs')}`,
    `--test-reporter-destination=${failuresFile()}`,
  ]
}

function retell() {
  const failures = existsSync(failuresFile()) ? readFileSync(failuresFile(), 'utf8') : ''
  if (failures) process.stdout.write(`\nFailed:\n\n${failures}`)
}

function failuresFile() {
  return path.join(server.dataDir, 'failures.txt')
}
