// Runs the tests on the PostgreSQL versions installed here in addition to the embedded one. Each runs as a
// temporary server in a temporary folder, reached through a socket there. `npm run test:versions -- 15 FILE…` runs
// one version and some test files. Versions that are not installed are skipped with a message.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

const VERSION_MIN = 15
// Where packages put servers: Debian and Ubuntu, the RPMs of postgresql.org, Homebrew.
const PLACES = [
  ['/usr/lib/postgresql', /^\d+$/],
  ['/usr', /^pgsql-\d+$/],
  ['/opt/homebrew/opt', /^postgresql@\d+$/],
  ['/usr/local/opt', /^postgresql@\d+$/],
]
const USER = 'longcode'
const READY_MS_MAX = 60_000

process.chdir(path.resolve(import.meta.dirname, '..'))
const { chooseRunAs, spawnAs } = await import(pathToFileURL('dist/kit/embedded/user.js').href)
const wanted = process.argv.slice(2).filter((arg) => /^\d+$/.test(arg))
const passedOn = process.argv.slice(2).filter((arg) => !/^\d+$/.test(arg))

const installed = findServers().filter(({ major }) => major >= VERSION_MIN)
const chosen = installed.filter(({ major }) => !wanted[0] || wanted.includes(String(major)))
for (const major of wanted.filter(
  (name) => !chosen.some((found) => String(found.major) === name),
)) {
  console.log(`PostgreSQL ${major} is not installed here: skipped.`)
}
if (installed.length === 0) {
  console.log(
    `No PostgreSQL ${VERSION_MIN} or later is installed here (Debian: apt-get install postgresql): skipped.`,
  )
}
for (const { major, bin } of chosen) {
  console.log(`Tests on PostgreSQL ${major} (${bin}):`)
  const status = await testOn(bin)
  console.log(`Tests on PostgreSQL ${major}: ${status === 0 ? 'passed' : 'FAILED'}.`)
  if (status !== 0) process.exitCode = 1
}

function findServers() {
  const bins = PLACES.flatMap(([place, pattern]) =>
    existsSync(place)
      ? readdirSync(place)
          .filter((name) => pattern.test(name))
          .map((name) => path.join(place, name, 'bin'))
      : [],
  )
  return bins
    .filter((bin) => existsSync(path.join(bin, 'postgres')) && existsSync(path.join(bin, 'initdb')))
    .map((bin) => ({ bin, major: majorOf(bin) }))
    .sort((a, b) => a.major - b.major)
}

function majorOf(bin) {
  const { stdout } = spawnSync(path.join(bin, 'postgres'), ['--version'], { encoding: 'utf8' })
  return Number(/\d+/.exec(stdout)?.[0])
}

async function testOn(bin) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-version-')) // open to its owner alone
  let server = null
  try {
    server = await startServer(bin, folder)
    const url = `postgres://${USER}@${encodeURIComponent(folder)}:5432/postgres?sslmode=disable`
    return await runTests(url)
  } finally {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startServer(bin, folder) {
  const user = chooseRunAs([], (line) => console.log(line)) // PostgreSQL does not run as root
  const cluster = path.join(folder, 'cluster')
  mkdirSync(cluster, { mode: 0o700 })
  if (user) for (const dir of [folder, cluster]) chownSync(dir, user.uid, user.gid)
  const as = { ...spawnAs(user), cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] }
  const made = spawnSync(
    path.join(bin, 'initdb'),
    ['-D', cluster, '-U', USER, '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    as,
  )
  if (made.status !== 0) throw new Error(`initdb of ${bin} failed`)
  // Nothing here outlives the run, so nothing needs to reach the disk.
  const settings = [`unix_socket_directories=${folder}`, 'listen_addresses=', 'fsync=off']
  const child = spawn(
    path.join(bin, 'postgres'),
    ['-D', cluster, ...settings.flatMap((setting) => ['-c', setting])],
    { ...as, stdio: ['ignore', 'ignore', 'ignore'], detached: true },
  )
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGINT') // ends open sessions
    await ended
  }
  for (let waitedMs = 0; !existsSync(path.join(folder, '.s.PGSQL.5432')); waitedMs += 100) {
    if (child.exitCode !== null || waitedMs > READY_MS_MAX) {
      await stop()
      throw new Error(`the server of ${bin} does not start`)
    }
    await sleep(100)
  }
  return { stop }
}

async function runTests(url) {
  const child = spawn(process.execPath, ['scripts/test.mjs', ...passedOn], {
    stdio: 'inherit',
    env: { ...process.env, TEST_DATABASE_URL: url },
  })
  // An interrupt reaches the child, too; the server is stopped when the child has ended.
  const pass = (signal) => child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, pass)
  const [code] = await once(child, 'exit')
  for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, pass)
  return code ?? 1
}
