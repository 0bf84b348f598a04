// The running PostgreSQL server: launching it, finding one that a killed Node left behind, ending it.

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
  /** Resolves when the process has ended, with words for how. Never rejects. */
  ended: Promise<string>
  /** Fast shutdown: open connections are cut, everything committed is kept. */
  end: () => Promise<void>
}

export const PORT = 5432 // names the socket file only: the server listens on no network port

export const SOCKET_DIR_PREFIX = 'longcode-'
const SOCKET_DIR = new RegExp(`^/.*/${SOCKET_DIR_PREFIX}\\w{6}$`)

const POLL_MS = 10
// A fast shutdown writes a checkpoint, which a slow disk may take long for. After this time the server
// is made to stop at once; it then replays its journal at the next start, and still loses nothing.
const FAST_SHUTDOWN_MS = 30_000

// An explicit environment: PG* variables and the locale of whoever starts us must not leak in.
export const SERVER_ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }

const SETTINGS = {
  listen_addresses: '',
  port: String(PORT),
  // With the private folder around it, the socket is open to the database's user and root alone.
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '256MB',
  // DETAIL lines quote the values of rows; phone numbers have no place in a log.
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
      // Its own process group: Ctrl-C reaches Node alone, which still needs the database to finish.
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
 * Ends the server that a killed Node left on this cluster, and disarms a stale postmaster.pid. The
 * socket folder of that server goes too, unless it is the one in use here.
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
  // Its id may by now be anybody's, or that of a dead process that nobody has collected, and either
  // would keep PostgreSQL from starting. It ignores the id of its parent, that is ours, and goes on to
  // check the shared memory named further down; removing the file would remove that check too.
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

// Never trust the id alone: after a reboot it may be anybody's.
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
    // The server works inside its cluster, which still holds after the folder was moved.
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
    return (error as Error).message // it could not be started at all
  }
}

// Notices the end of Node, however sudden, by the end of its own input, and then does what Node would
// have done: shut the server down and tidy up. It asks again, for a server that was only just started
// has not written its id yet. Bounded, since the id could become somebody else's.
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
  watchdog.on('error', () => {}) // without it, the next start ends the orphan
  watchdog.stdin?.on('error', () => {})
  ;(watchdog.stdin as unknown as { unref: () => void } | null)?.unref()
  watchdog.unref()
  return watchdog
}
