// What tests need to run, however they are run: one PostgreSQL for all of them with the template that
// each test clones, and the list of test files. It uses the compiled program.

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = path.resolve(import.meta.dirname, '..')
const load = (file) => import(pathToFileURL(path.join(ROOT, 'dist', file)).href)

/** `dataDir` is a folder for temporary files of this run, and goes with the server. */
export async function startTestDatabase() {
  const { startEmbeddedDatabase } = await load('kit/embedded/database.js')
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'longcode-test-'))
  const { url, stop } = await startEmbeddedDatabase({ dataDir, note: () => {} })
  await makeTemplate(url)
  await makeHasty(url)
  return {
    url,
    dataDir,
    stop: async () => {
      await stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function makeTemplate(url) {
  const { openDatabase } = await load('kit/postgres/db.js')
  const { migrate } = await load('kit/postgres/migrate.js')
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

// Nothing in it outlives the run, so nothing waits for the disk: a test makes and drops a database, and
// that is most of what it would wait for. What tests kill are our processes, never this server; those
// that ask what survives on a disk start one of their own.
async function makeHasty(url) {
  const { openDatabase } = await load('kit/postgres/db.js')
  const db = openDatabase({ url, poolMax: 1, applicationName: 'tests', onError: () => {} })
  for (const setting of ['fsync', 'full_page_writes']) {
    await db.query({ name: '', text: `alter system set ${setting} = off`, values: [] })
  }
  await db.query({ name: '', text: 'select pg_reload_conf()', values: [] })
  await db.end()
}

/** Relative to the repository. */
export function testFiles() {
  return ['src', 'test', 'scripts', 'bench']
    .flatMap(filesBelow)
    .filter((file) => file.endsWith('.test.ts'))
}

export function filesBelow(folder) {
  return readdirSync(path.join(ROOT, folder)).flatMap((name) => {
    const file = path.join(folder, name)
    return statSync(path.join(ROOT, file)).isDirectory() ? filesBelow(file) : [file]
  })
}
