// The embedded database: a real PostgreSQL, started and stopped with Node, with its files in the data folder.
// It is reached through a socket in a private folder, so it needs no password and no port.

import { chownSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Binaries, prepareBinaries, removeCopies } from './binaries.js'
import { checkCluster, createCluster, removeDrafts, SUPERUSER } from './cluster.js'
import { createIfMissing } from './database-queries.js'
import { EmbeddedDatabaseFailure, explainCrash, explainFailure } from './failure.js'
import { chooseLocation, type Location, makeDataDir } from './location.js'
import { lockFolder } from './lock.js'
import { keepLogShort, logSize, openLog, readLogTail } from './log.js'
import {
  endOrphan,
  launchPostmaster,
  PORT,
  type Postmaster,
  SOCKET_DIR_PREFIX,
} from './postmaster.js'
import { findBlockedFolder } from './user.js'

export { DataFolderBusy, EmbeddedDatabaseFailure } from './failure.js'

export interface EmbeddedDatabase {
  /** For `pg`, psql, and other clients on this machine that support sockets. Contains no secret. */
  url: string
  /** Closes open connections, waits until the server has ended, and unlocks the data folder. */
  stop: () => Promise<void>
}

export interface EmbeddedDatabaseOptions {
  dataDir: string
  /** Receives single lines that users should know: data stored elsewhere, a user created. */
  note: (line: string) => void
  /** Server settings that extend or override ours. */
  settings?: Record<string, string>
}

interface Server {
  binaries: Binaries
  location: Location
  socketDir: string
  logFile: string
  note: (line: string) => void
  settings: Record<string, string>
}

export const DATABASE = 'longcode'

// A socket path may have 103 bytes, and the names below this folder need 31 of them.
const SOCKET_BASE_CHARS_MAX = 70
const POLL_MS = 10
const SLOW_START_MS = 5_000
const RESTART_DELAY_MS = 1_000
// After kill -9 of the server, processes that still use its shared memory end within about a second. Or a
// server was being started when its Node was killed. Then it can be found now.
const isLockedByAnother = (log: string): boolean =>
  log.includes('shared memory block') ||
  log.split('\n').some((line) => line.includes('lock file ') && line.includes(' already exists'))
const LEFTOVER_ATTEMPTS = 100
const LEFTOVER_DELAY_MS = 100

/** Throws EmbeddedDatabaseFailure with a sentence for the user, or DataFolderBusy on a second live start. */
export async function startEmbeddedDatabase(
  options: EmbeddedDatabaseOptions,
): Promise<EmbeddedDatabase> {
  const dataDir = path.resolve(options.dataDir)
  const cleanUps: (() => void)[] = []
  const cleanUp = () => {
    for (const step of cleanUps.splice(0).reverse()) step()
  }
  try {
    const prepared = await prepareServer(dataDir, options.note, cleanUps)
    const server = { ...prepared, settings: options.settings ?? {} }
    const end = await keepServing(server)
    let ending: Promise<void> | null = null
    return {
      url: urlOf(server.socketDir, DATABASE),
      stop: () => {
        ending ??= end().finally(cleanUp)
        return ending
      },
    }
  } catch (error) {
    cleanUp()
    throw explainFailure(error, dataDir)
  }
}

async function prepareServer(
  dataDir: string,
  note: (line: string) => void,
  cleanUps: (() => void)[],
): Promise<Omit<Server, 'settings'>> {
  if (process.platform === 'win32') {
    throw new EmbeddedDatabaseFailure(
      'The embedded database does not run on Windows itself: start inside WSL, or set DATABASE_URL.',
    )
  }
  const folder = makeDataDir(dataDir)
  cleanUps.push(lockFolder(folder))
  const location = chooseLocation(folder, note)
  if (location.home !== folder) {
    cleanUps.push(() => removeIfEmpty(location.home)) // if this start failed
    // A copied data folder may lead to the same location, hence a lock there too.
    cleanUps.push(lockFolder(location.home))
  }
  const binaries = await prepareCluster(location, note)
  await endOrphan(location)

  const socketDir = makeSocketDir(location)
  cleanUps.push(() => rmSync(socketDir, { recursive: true, force: true }))
  const logFile = openLog(location.home)
  cleanUps.push(keepLogShort(logFile))
  return { binaries, location, socketDir, logFile, note }
}

async function prepareCluster(location: Location, note: (line: string) => void): Promise<Binaries> {
  removeDrafts(location.home)
  try {
    const binaries = prepareBinaries(location.home, location.runAs, note)
    if (location.isFresh) await createCluster(binaries, location)
    else checkCluster(location, binaries.major)
    return binaries
  } catch (error) {
    // A failed first start leaves nothing behind: on a full disk, a copy would be in the way.
    if (location.isFresh) removeCopies(location.home)
    throw error
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It contains a database, as expected.
  }
}

/** Starts the server, and restarts it when it dies. The address stays the same, so pools recover. */
async function keepServing(server: Server): Promise<() => Promise<void>> {
  let isStopping = false
  let postmaster = await bringUp(server)

  const serve = async (): Promise<void> => {
    for (;;) {
      const how = await postmaster.ended
      if (isStopping) return
      server.note(`The embedded database ended unexpectedly (${how}); starting it again.`)
      postmaster = await bringUpAgain(server, postmaster, () => isStopping)
      if (isStopping) await postmaster.end()
    }
  }
  const serving = serve()
  return async () => {
    isStopping = true
    await postmaster.end()
    await serving
  }
}

// Retries without limit: the likely reason is a full disk, which is cleared sooner or later.
async function bringUpAgain(
  server: Server,
  dead: Postmaster,
  isStopping: () => boolean,
): Promise<Postmaster> {
  let isNoted = false
  while (!isStopping()) {
    try {
      return await bringUp(server)
    } catch (error) {
      if (!isNoted) server.note(explainFailure(error, server.location.dataDir).message)
      isNoted = true
      await sleep(RESTART_DELAY_MS)
    }
  }
  return dead
}

async function bringUp(server: Server): Promise<Postmaster> {
  const { binaries, location, socketDir, logFile, settings } = server
  for (let attempts = 1; ; attempts += 1) {
    const logBytes = logSize(logFile)
    const postmaster = launchPostmaster(binaries, location, socketDir, logFile, settings)
    if (await tryServe(postmaster, server)) return postmaster

    const tail = readLogTail(logFile, logBytes)
    if (!isLockedByAnother(tail) || attempts === LEFTOVER_ATTEMPTS) {
      throw explainCrash(await postmaster.ended, location.dataDir, logFile, tail)
    }
    await sleep(LEFTOVER_DELAY_MS)
    await endOrphan(location, socketDir)
  }
}

/** False if the server ended before it accepted a connection. */
async function tryServe(postmaster: Postmaster, server: Server): Promise<boolean> {
  try {
    const client = await connectWhenReady(postmaster, server)
    if (!client) return false
    await createIfMissing(client, DATABASE).finally(() => client.end())
    return true
  } catch (error) {
    await postmaster.end()
    throw error
  }
}

async function connectWhenReady(
  postmaster: Postmaster,
  { socketDir, note }: Server,
): Promise<pg.Client | null> {
  for (let waitedMs = 0; postmaster.isRunning(); waitedMs += POLL_MS) {
    const client = new pg.Client({ connectionString: urlOf(socketDir, 'postgres') })
    client.on('error', () => {}) // a lost connection also fails the query that needed it
    try {
      await client.connect()
      return client
    } catch (error) {
      if (!isNotYet(error)) throw error
    }
    if (waitedMs === SLOW_START_MS) {
      note(
        'The database is still getting ready: it was not stopped cleanly and replays its journal.',
      )
    }
    await sleep(POLL_MS)
  }
  return null
}

function isNotYet(error: unknown): boolean {
  const { code } = error as { code?: string }
  // No socket yet, no listener yet, "starting up", or disconnected without an error.
  return !code || ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P03'].includes(code)
}

function makeSocketDir({ home, runAs }: Location): string {
  const base = [os.tmpdir(), '/tmp', home].find(
    (dir) => dir.length <= SOCKET_BASE_CHARS_MAX && !findBlockedFolder(dir, runAs),
  )
  if (!base)
    throw new Error(`${runAs?.name ?? 'this user'} can enter no folder for temporary files`)
  const dir = mkdtempSync(path.join(base, SOCKET_DIR_PREFIX)) // accessible only to its owner
  if (runAs) chownSync(dir, runAs.uid, runAs.gid)
  return dir
}

export function urlOf(socketDir: string, database: string): string {
  // Port and sslmode are explicit. Otherwise PGPORT and PGSSLMODE from the user's shell would apply.
  const host = encodeURIComponent(socketDir)
  return `postgres://${SUPERUSER}@${host}:${PORT}/${database}?sslmode=disable`
}
