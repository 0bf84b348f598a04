// Runs one test file in a separate process and stops at the first failure, which is enough. Each worker
// has its own names of databases, so that what an ended process left can be dropped.

import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import pg from 'pg'
import type { TestDatabase } from '../test-database.mjs'
import { createMirror, type Mirror } from './mirror.js'

export type Outcome = 'passed' | 'failed' | 'timed out'

interface TestRun {
  /** Relative to the repository. */
  file: string
  limitMs: number
  env?: Record<string, string>
}

type RunTest = (run: TestRun) => Promise<Outcome>

export interface Worker {
  mirror: Mirror
  run: RunTest
}

export function createWorker(name: string, server: TestDatabase): Worker {
  // A mutant must not leave its API description to the next one.
  const own = { ...server.env, TEST_DATABASE_PREFIX: name, TEST_RUN_FOLDER: '' }
  const mirror = createMirror()
  const run: RunTest = async ({ file, limitMs, env }) => {
    const child = spawn(process.execPath, ['--test-reporter=tap', mirror.placeOf(file)], {
      cwd: mirror.root,
      env: { ...process.env, ...own, ...env },
      detached: true, // a group, to be ended together
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const outcome = await outcomeOf(child, limitMs)
    endGroup(child)
    if (outcome !== 'passed') await dropDatabases(server.url, name)
    return outcome
  }
  return { mirror, run }
}

function outcomeOf(child: ChildProcess, limitMs: number): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve('timed out'), limitMs)
    const settle = (outcome: Outcome) => {
      clearTimeout(timer)
      resolve(outcome)
    }
    createInterface(child.stdout!).on('line', (line) => {
      if (/^\s*not ok /.test(line)) settle('failed')
    })
    child.on('exit', (code) => settle(code === 0 ? 'passed' : 'failed'))
    child.on('error', reject)
  })
}

function endGroup(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, 'SIGKILL')
  } catch {
    // All of them have already ended.
  }
}

async function dropDatabases(databaseUrl: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query(
      'select datname as name from pg_database where starts_with(datname, $1)',
      [`${prefix}_`],
    )
    for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`)
  } finally {
    await client.end()
  }
}
