// A real PgBouncer in transaction mode in front of the test PostgreSQL: it assigns each of its few connections to
// a client for one transaction. It refuses to run as root.

import { spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { chooseRunAs, spawnAs } from '../src/kit/embedded/user.js'
import { cloneDatabase, eventually, type TestDatabase } from './harness.js'
import { succeeds } from './peers/peer-process.js'

const PROGRAM = ['/usr/sbin/pgbouncer', 'pgbouncer'].find((name) => succeeds(name, ['--version']))
const PORT = 6432 // part of the socket's name, in a private folder
const SERVER_CONNECTIONS = 5

/** The skip reason of a test that cannot run, or false. */
export const WITHOUT_PGBOUNCER =
  PROGRAM === undefined && 'PgBouncer is not installed: apt-get install pgbouncer'

export interface PooledDatabase extends TestDatabase {
  /** Bypasses the pooler. */
  directUrl: string
}

/** A separate migrated database behind a separate pooler. Dropping it ends both. */
export async function pooledDatabase(settings = ''): Promise<PooledDatabase> {
  const { url: directUrl, drop: dropClone } = await cloneDatabase()
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-pgbouncer-'))
  const runAs = chooseRunAs([], () => {})
  if (runAs) chownSync(folder, runAs.uid, runAs.gid)
  chmodSync(folder, 0o755)
  const file = path.join(folder, 'pgbouncer.ini')
  writeFileSync(file, configOf(directUrl, folder, settings))
  const child = spawn(PROGRAM!, [file], {
    ...spawnAs(runAs),
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const drop = async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
    await dropClone()
  }
  const { username, pathname } = new URL(directUrl)
  const url = `postgres://${username}@${encodeURIComponent(folder)}:${PORT}${pathname}`
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer has ended: ${output}`)
    return isReachable(url)
  }, 'PgBouncer')
  return { url, directUrl, drop }
}

function configOf(directUrl: string, folder: string, settings: string): string {
  const { username, password, hostname, port, pathname } = new URL(directUrl)
  const server = [
    `host=${decodeURIComponent(hostname)}`,
    `port=${port || 5432}`,
    `user=${decodeURIComponent(username)}`,
    ...(password === '' ? [] : [`password=${decodeURIComponent(password)}`]),
  ]
  return `[databases]
${pathname.slice(1)} = ${server.join(' ')}
[pgbouncer]
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
auth_type = any
unix_socket_dir = ${folder}
listen_port = ${PORT}
${settings}
`
}

async function isReachable(url: string): Promise<boolean> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    client.end().catch(() => {})
  }
}
