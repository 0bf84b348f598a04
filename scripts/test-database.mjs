// What tests need, however they are run: one PostgreSQL for all of them with the template that each test clones,
// and the list of test files. It uses the compiled program.

import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { closeTemplate, findNodes, joinNodes } from './citus-servers.mjs'

const ROOT = path.resolve(import.meta.dirname, '..')
const load = (file) => import(pathToFileURL(path.join(ROOT, 'dist', file)).href)

// Tests make a thousand databases and drop them. Where memory has room for that, no disk is used: it takes
// three quarters of the time.
const MEMORY = '/dev/shm'
const ROOM_BYTES = { files: 3 * 1024 ** 3, free: 6 * 1024 ** 3 }

// Nothing in it outlives the run, so nothing waits for the disk: a test makes and drops a database, and
// that is most of what it would wait for. What tests kill are our processes, never this server; those
// that check what survives on a disk start their own server. Many files are tested at once, and some start several services.
// Each new and each dropped database reads through all buffers three times: fewer of them cost less.
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  shared_buffers: '64MB',
}

/** The message is the one line that is shown. */
export class UnusableServer extends Error {}

/**
 * On the server that TEST_DATABASE_URL names, else on an embedded one, or on the cluster of TEST_CITUS_URL. `env` is
 * for the processes of tests; `dataDir` is a folder for temporary files of this run, and goes with it.
 */
export async function startTestDatabase({ isOnCitus = false } = {}) {
  const folder = folderForData()
  sweep(folder)
  const dataDir = mkdtempSync(path.join(folder, `longcode-test-${process.pid}-`))
  const { nodes, prefix, stop } = await findServers(isOnCitus, dataDir)
  const [url, ...workers] = nodes
  const template = `${prefix}_template`
  await makeTemplate(nodes, template)
  return {
    url,
    template: databaseUrl(url, template),
    env: {
      TEST_DATABASE_URL: url,
      TEST_DATABASE_TEMPLATE: template,
      TEST_DATABASE_PREFIX: prefix,
      TEST_RUN_FOLDER: dataDir,
      ...(isOnCitus && { TEST_CITUS_WORKERS: workers.join(' ') }),
    },
    dataDir,
    stop: async () => {
      await stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** More than one only with Citus: the first is the coordinator. */
async function findServers(isOnCitus, dataDir) {
  if (isOnCitus)
    return useServer('TEST_CITUS_URL', (db, url) => findNodes((text) => ask(db, text), url))
  if (process.env.TEST_DATABASE_URL) return useServer('TEST_DATABASE_URL', (_, url) => [url])
  const { url, stop } = await startOwn(dataDir)
  return { nodes: [url], prefix: 'test', stop }
}

function folderForData() {
  if (process.env.TMPDIR || !existsSync(MEMORY)) return os.tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  const hasRoom = bavail * bsize > ROOM_BYTES.files && os.freemem() > ROOM_BYTES.free
  return hasRoom ? MEMORY : os.tmpdir()
}

/** What a run that was killed has left would stay in memory. */
function sweep(folder) {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^longcode-test-(\d+)-/.exec(name) ?? []
    if (!pid || isRunning(Number(pid))) continue
    rmSync(path.join(folder, name), { recursive: true, force: true })
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

async function startOwn(dataDir) {
  const { startEmbeddedDatabase } = await load('kit/embedded/database.js')
  return startEmbeddedDatabase({ dataDir, note: () => {}, settings: SETTINGS })
}

/** An existing server: uses our own names and leaves nothing behind. */
async function useServer(setting, findAll) {
  const url = new URL(process.env[setting])
  if (url.pathname.length < 2) url.pathname = '/postgres'
  const nodes = await withDatabase(url.href, async (db) => {
    await checkServer(db)
    return findAll(db, url.href)
  }).catch((error) => {
    const { code, message } = error.cause ?? error
    throw new UnusableServer(
      `Tests cannot use the PostgreSQL at ${setting} (${url.host}): ${message || code}.`,
    )
  })
  const prefix = `longcode_test_${randomBytes(4).toString('hex')}`
  const stop = () => onEach(nodes, (db) => dropAll(db, prefix))
  return { nodes, prefix, stop }
}

async function checkServer(db) {
  const [{ version, isSuperuser }] = await ask(
    db,
    `select current_setting('server_version_num')::int as version,
      current_setting('is_superuser') = 'on' as "isSuperuser"`,
  )
  if (version < 150_000) {
    throw new Error(`it is version ${Math.floor(version / 10_000)}, and 15 or later is needed`)
  }
  if (!isSuperuser) {
    throw new Error(
      'its user is no superuser, and tests make databases and roles and cut others off',
    )
  }
}

async function dropAll(db, prefix) {
  const names = await ask(db, `select datname from pg_database where datname ~ '^${prefix}_'`)
  for (const { datname } of names) await ask(db, `drop database if exists ${datname} with (force)`)
}

async function makeTemplate(nodes, name) {
  const { migrate } = await load('kit/postgres/migrate.js')
  await onEach(nodes, (db) => ask(db, `create database ${name} template template0 encoding 'UTF8'`))
  const urls = nodes.map((url) => databaseUrl(url, name))
  const isOnCitus = nodes.length > 1
  if (isOnCitus)
    await joinNodes((url, text) => withDatabase(url, (db) => ask(db, text)), urls, name)
  await withDatabase(urls[0], migrate)
  if (isOnCitus) await onEach(nodes, (db) => closeTemplate((text) => ask(db, text), name))
}

function onEach(urls, work) {
  return Promise.all(urls.map((url) => withDatabase(url, work)))
}

async function withDatabase(url, work) {
  const { openDatabase } = await load('kit/postgres/db.js')
  const db = openDatabase({ url, poolMax: 1, applicationName: 'tests', onError: () => {} })
  try {
    return await work(db)
  } finally {
    await db.end()
  }
}

function ask(db, text) {
  return db.query({ name: '', text, values: [] })
}

function databaseUrl(serverUrl, name) {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Relative to the repository. */
export function testFiles() {
  return ['src', 'test', 'scripts', 'bench', 'console/src']
    .flatMap(filesBelow)
    .filter((file) => file.endsWith('.test.ts'))
}

export function filesBelow(folder) {
  return readdirSync(path.join(ROOT, folder)).flatMap((name) => {
    const file = path.join(folder, name)
    return statSync(path.join(ROOT, file)).isDirectory() ? filesBelow(file) : [file]
  })
}
