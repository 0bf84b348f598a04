// Runs the tests on a Citus cluster. TEST_CITUS_URL names a database of its coordinator with registered workers, as
// a superuser that can also log in on the workers. Runs flows, faults, the API, and test/citus. `npm run test:citus
// -- FILE or FOLDER…` runs some. The file that stops a worker runs last, alone. Tests create their own databases on
// all nodes and remove them. Without a cluster, the script prints that and succeeds.

import { spawn } from 'node:child_process'
import path from 'node:path'
import { testFiles } from './test-database.mjs'

const FOLDERS = ['test/flows', 'test/faults', 'test/api', 'test/citus']

// What does not run there, and why.
const LEFT_OUT = {
  'test/faults/embedded-database.test.ts': 'starts the PostgreSQL that comes along',
  'test/faults/failover.test.ts': 'starts its own primary and standby, without Citus',
  'test/faults/haproxy.test.ts': 'starts its own primary and standby, without Citus',
  'test/flows/every-event.test.ts':
    'makes writes fail with triggers, which distributed tables cannot have',
  'test/flows/webhook-backlog.test.ts':
    'reads what its own connection has read, which workers count for theirs',
}

// It stops a worker, which all tests share.
const ALONE = ['test/citus/hung-worker.test.ts']

process.chdir(path.resolve(import.meta.dirname, '..'))
if (!process.env.TEST_CITUS_URL) {
  console.log('TEST_CITUS_URL names no cluster (docs/scale.md says how to build one): skipped.')
  process.exit(0)
}

const flags = process.argv.slice(2).filter((arg) => arg.startsWith('--'))
const wanted = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))
let isInterrupted = false
const files = filesIn(wanted.length > 0 ? wanted : FOLDERS)
const code = await run(files.filter((file) => !ALONE.includes(file)))
const codeAlone = await run(files.filter((file) => ALONE.includes(file)))
process.exit(code || codeAlone)

function run(some) {
  if (some.length === 0 || isInterrupted) return 0
  const child = spawn(process.execPath, ['scripts/test.mjs', '--citus', ...flags, ...some], {
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      isInterrupted = true
      child.kill(signal)
    })
  }
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)))
}

/** Single files, and all files of folders except excluded ones. */
function filesIn(names) {
  const isIn = (file) => names.some((name) => file === name || file.startsWith(`${name}/`))
  return testFiles().filter((file) => isIn(file) && (names.includes(file) || !isLeftOut(file)))
}

function isLeftOut(file) {
  const reason = LEFT_OUT[file]
  if (reason) console.log(`${file} is left out: it ${reason}.`)
  return reason !== undefined
}
