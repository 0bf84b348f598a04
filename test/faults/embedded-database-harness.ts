// Starts the embedded database for its tests: in this process or another, as this user or another, and in folders that
// a test may damage. Stops and removes everything afterwards.

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline'
import { after, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../src/kit/embedded/database.js'
import { findProcessBirth } from '../../src/kit/embedded/lock.js'
import { HERE, makeTempDir, openedTo, type User } from './project-copies.js'

interface ChildStart {
  dataDir: string
  as?: User | null
  project?: string
  onStarted?: string
  onNote?: string
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

/** A separate Node process, since some tests kill it or run it as another user. */
export function spawnChild(t: TestContext, start: ChildStart): ChildProcess {
  const { project: base, node } = start.as ? openedTo(start.as) : HERE
  const compiled = path.join(start.project ?? base, 'dist', 'kit', 'embedded', 'database.js')
  const script = `
    import { startEmbeddedDatabase } from ${JSON.stringify(compiled)}
    import pg from 'pg'
    const report = (what) => console.log(JSON.stringify(what))
    process.stdin.resume()
    const { url, stop } = await startEmbeddedDatabase({
      dataDir: ${JSON.stringify(start.dataDir)},
      note: (note) => {
        report({ note })
        ${start.onNote ?? ''}
      },
    }).catch((error) => {
      report({ failure: error.constructor.name + ': ' + error.message })
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
    report({ url })
    ${start.onStarted ?? ''}`
  const child = spawn(node, ['--input-type=module', '--eval', script], {
    ...start.as,
    cwd: start.as ? base : (start.project ?? base),
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  atEnd(t, async () => {
    await killAndWait(child)
    await waitForServers(start.dataDir)
  })
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
    atEnd(t, () => waitForEnd(serverPid)) // its data may be in another folder
    atEnd(t, () => killAndWait(child))
    return { process: child, url, serverPid, notes, stop, kill: () => killAndWait(child) }
  }
  throw new Error('the child ended without a report')
}

const CLEAN_UPS = new WeakMap<TestContext, (() => unknown)[]>()

/** Like t.after, but in reverse order: a server ends before its folder is removed. */
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

/** Waits until no server uses this folder: a server whose folder is gone would keep running for a minute. */
export async function waitForServers(dataDir: string): Promise<void> {
  const cluster = path.join(dataDir, 'postgres')
  while (listProcesses().some((line) => line.includes(`postgres -D ${cluster} `))) await sleep(50)
}

/** A data folder as an earlier start left it. Copied, because creating one takes most of a second. */
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
  const line = listProcesses().find((l) => l.includes(`longcode-watchdog ${cluster} `))
  assert.ok(line, 'no watchdog is running')
  return Number.parseInt(line, 10)
}

function listProcesses(): string[] {
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,command='], { encoding: 'utf8' })
  return lines.split('\n')
}

export function isAlive(pid: number): boolean {
  return findProcessBirth(pid) !== null
}
