// The PostgreSQL server process: starts it, finds one that a killed Node left behind, and stops it.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './binaries.js'
import { DataFolderBusy } from './failure.js'
import type { Location } from './location.js'
import { findProcessBirth } from './lock.js'
import { runShell, spawnAs } from './user.js'

export interface Postmaster {
  isRunning: () => boolean
  /** Resolves when the process has ended, with a description. Never rejects. */
  ended: Promise<string>
  /** Fast shutdown: open connections are closed, and everything committed is kept. */
  end: () => Promise<void>
}

export const PORT = 5432 // only names the socket file: the server listens on no network port

export const SOCKET_DIR_PREFIX = 'longcode-'
const SOCKET_DIR = new RegExp(`^/.*/${SOCKET_DIR_PREFIX}\\w{6}$`)

const POLL_MS = 10
// A fast shutdown writes a checkpoint, which may take long on a slow disk. After this time, the server is
// stopped immediately. It then replays its journal at the next start and still loses nothing.
const FAST_SHUTDOWN_MS = 30_000

// An explicit environment: PG* variables and the locale of the user who starts us must not leak in.
export const SERVER_ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }

const SETTINGS = {
  listen_addresses: '',
  port: String(PORT),
  // Because of the private folder, only the database's user and root can use the socket.
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '256MB',
  // DETAIL lines quote values of rows, and phone numbers must not be in a log.
  log_error_verbosity: 'terse',
}

export function launchPostmaster(
  { postgres }: Binaries,
  location: Location,
  socketDir: string,
  logFile: string,
  others: Record<string, string> = {},
): Postmaster {
  const settings = { ...SETTINGS, ...others, unix_socket_directories: socketDir }
  const log = openSync(logFile, 'a')
  const child = spawn(
    postgres,
    ['-D', location.cluster, ...Object.entries(settings).flatMap(([k, v]) => ['-c', `${k}=${v}`])],
    {
      ...spawnAs(location.runAs),
      cwd: '/',
      env: SERVER_ENV,
      // In its own process group, so Ctrl-C reaches only Node, which still needs the database to finish.
      detached: true,
      stdio: ['ignore', log, log],
    },
  )
  closeSync(log)
  const ended = whenEnded(child)
  const watchdog = child.pid === undefined ? null : launchWatchdog(child.pid, location, socketDir)
  void ended.then(() => watchdog?.kill('SIGKILL')) // `ended` never fails, and neither does kill
  child.unref()

  const isRunning = () => child.pid !== undefined && child.exitCode === null && !child.signalCode
  return {
    isRunning,
    ended,
    end: async () => {
      if (isRunning()) await endProcess(child.pid!, () => !isRunning())
    },
  }
}

/**
 * Stops the server that a killed Node left on this cluster, and disarms a stale postmaster.pid. Also removes
 * that server's socket folder, unless it is the one in use here.
 */
export async function endOrphan({ cluster, runAs }: Location, ownSocketDir = ''): Promise<void> {
  const file = path.join(cluster, 'postmaster.pid')
  const [firstLine, , , , socketDir = ''] = tryRead(file)?.split('\n') ?? []
  const pid = Number(firstLine)
  const birth = findProcessBirth(pid)
  if (birth !== null && isPostgresOn(pid, cluster)) {
    await endProcess(pid, () => findProcessBirth(pid) !== birth)
  }
  // Removed with the rights of the database's user, who could have written that line.
  if (SOCKET_DIR.test(socketDir) && socketDir !== ownSocketDir) {
    runShell('rm -rf "$1"', [socketDir], runAs)
  }
  const left = tryRead(file)
  if (left === null) return
  // By now, the ID may belong to any process or to a zombie, and either would keep PostgreSQL from starting.
  // PostgreSQL ignores the ID of its parent, which is ours, and continues to check the shared memory named
  // below it. Removing the file would remove that check too.
  writeFileSync(file, left.replace(/^\d+/, String(process.pid)))
}

async function endProcess(pid: number, isGone: () => boolean): Promise<void> {
  for (let waitedMs = 0; !isGone(); waitedMs += POLL_MS) {
    if (waitedMs === 0) signal(pid, 'SIGINT')
    if (waitedMs === FAST_SHUTDOWN_MS) signal(pid, 'SIGQUIT')
    await sleep(POLL_MS)
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return
    throw new DataFolderBusy(
      `PostgreSQL is still running on this data folder as another user (process ${pid}) and cannot be stopped: ${(error as Error).message}.`,
    )
  }
}

// Never trust the ID alone: after a reboot it may belong to any process.
function isPostgresOn(pid: number, cluster: string): boolean {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
    })
    return stdout.includes(`postgres -D ${cluster}`)
  }
  try {
    const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    if (path.basename(program) !== 'postgres') return false
    // The server's working directory is its cluster, even after the folder was moved.
    return args.includes(cluster) || readlinkSync(`/proc/${pid}/cwd`) === cluster
  } catch {
    return false // gone meanwhile, or a stranger's
  }
}

function tryRead(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

async function whenEnded(child: ChildProcess): Promise<string> {
  try {
    const [code, signalName] = await once(child, 'exit')
    return signalName ? `ended by ${signalName}` : `exit status ${code}`
  } catch (error) {
    return (error as Error).message // it could not be started
  }
}

// Detects the end of Node by the end of its input, then does what Node would have done: stops the server
// and cleans up. It retries, because a server that has just started has not written its ID yet. It stops
// after a limit, because the ID could be reused.
const WATCHDOG = `
  read -r _
  told= seconds=0
  while kill -0 "$2" && [ $seconds -lt 60 ]; do
    now=
    [ "$told" ] || read -r now <"$1/postmaster.pid"
    [ "$now" = "$2" ] && kill -INT "$2" && told=yes
    sleep 1
    seconds=$((seconds + 1))
  done
  rm -rf "$3"`

function launchWatchdog(
  pid: number,
  { cluster, runAs }: Location,
  socketDir: string,
): ChildProcess {
  const args = ['longcode-watchdog', cluster, String(pid), socketDir]
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, ...args], {
    ...spawnAs(runAs),
    cwd: '/',
    env: SERVER_ENV,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watchdog.on('error', () => {}) // without it, the next start stops the orphan
  watchdog.stdin?.on('error', () => {})
  ;(watchdog.stdin as unknown as { unref: () => void } | null)?.unref()
  watchdog.unref()
  return watchdog
}
