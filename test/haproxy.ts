// A real HAProxy in front of two PostgreSQL servers, with the settings in ops/: it finds the one that accepts writes.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { freePort } from './free-port.js'
import { succeeds } from './peers/peer-process.js'

const PROGRAM = ['/usr/sbin/haproxy', 'haproxy'].find((name) => succeeds(name, ['-v']))
const SETTINGS = 'ops/high-availability/haproxy-without-patroni.cfg'

/** The skip reason of a test that cannot run, or false. */
export const WITHOUT_HAPROXY =
  PROGRAM === undefined && 'HAProxy is not installed: apt-get install haproxy'

interface Haproxy {
  port: number
  stop: () => Promise<void>
}

/** `sockets` are those of the two servers. */
export async function startHaproxy(sockets: readonly string[]): Promise<Haproxy> {
  const port = await freePort()
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-haproxy-'))
  const [a, b] = sockets
  const settings = readFileSync(SETTINGS, 'utf8')
    .replace('127.0.0.1:5440', `127.0.0.1:${port}`)
    .replace('127.0.0.1:5441', `unix@${a}`)
    .replace('127.0.0.1:5442', `unix@${b}`)
    .replace('timeout check 2s', 'timeout check 60s') // a busy machine is not a dead server
  const file = path.join(folder, 'haproxy.cfg')
  writeFileSync(file, settings)
  const child = spawn(PROGRAM!, ['-db', '-f', file], { stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  return { port, stop }
}
