// PostgreSQL's data folder: created once, all or nothing, and checked before it is opened again.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { type Binaries, COPY_DRAFT_PREFIX } from './binaries.js'
import { EmbeddedDatabaseFailure } from './failure.js'
import { CLUSTER, type Location } from './location.js'
import { SERVER_ENV } from './postmaster.js'
import { runShell, spawnAs } from './user.js'

export const SUPERUSER = 'longcode'

const DRAFT_PREFIX = 'postgres-draft-'

const INITDB_OPTIONS = [
  `--username=${SUPERUSER}`,
  '--encoding=UTF8',
  '--locale=C',
  // The socket is in a private folder: anyone who can reach it could read the files too.
  '--auth-local=trust',
  '--auth-host=reject',
  '--no-instructions',
]

/** Created under a temporary name and renamed, so an existing cluster is always complete. */
export async function createCluster({ initdb }: Binaries, location: Location): Promise<void> {
  const draft = mkdtempSync(path.join(location.home, DRAFT_PREFIX))
  let made = draft
  try {
    if (location.runAs) chownSync(draft, location.runAs.uid, location.runAs.gid)
    await runInitdb(initdb, draft, location)
    renameSync(draft, location.cluster)
    made = location.cluster
    syncFolder(location.home)
    if (location.home !== location.dataDir) leadTo(location)
  } catch (error) {
    rmSync(made, { recursive: true, force: true, maxRetries: 5 })
    throw error
  }
}

function leadTo(location: Location): void {
  const link = path.join(location.dataDir, CLUSTER)
  rmSync(link, { recursive: true, force: true }) // at most an empty folder; otherwise it would be in use
  symlinkSync(location.cluster, link)
}

/** Throws one clear sentence if our PostgreSQL cannot open the existing cluster. */
export function checkCluster({ cluster, runAs }: Location, major: string): void {
  const files = readdirSync(cluster)
  if (!files.includes('PG_VERSION') || !files.includes('global')) {
    throw new EmbeddedDatabaseFailure(
      `The folder ${cluster} is not a whole PostgreSQL data folder: move it away, or set LONGCODE_DATA to another folder.`,
    )
  }
  const found = readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim()
  if (found !== major) {
    throw new EmbeddedDatabaseFailure(
      `The data in ${cluster} was written by PostgreSQL ${found}, and this is PostgreSQL ${major}: dump it with version ${found} and load it again, or set LONGCODE_DATA to another folder.`,
    )
  }
  const { uid, mode } = statSync(cluster)
  // A backup restored by root belongs to root and may be readable by others. PostgreSQL accepts neither.
  if (runAs && uid !== runAs.uid) {
    runShell('chown -R "$1" "$2"', [`${runAs.uid}:${runAs.gid}`, cluster], null)
  }
  if ((mode & 0o027) !== 0) chmodSync(cluster, 0o700)
}

/** What an interrupted start left behind. Only under the lock. */
export function removeDrafts(home: string): void {
  for (const name of readdirSync(home)) {
    if (!name.startsWith(DRAFT_PREFIX) && !name.startsWith(COPY_DRAFT_PREFIX)) continue
    rmSync(path.join(home, name), { recursive: true, force: true, maxRetries: 5 })
  }
}

async function runInitdb(initdb: string, draft: string, { runAs }: Location): Promise<void> {
  const child = spawn(initdb, ['-D', draft, ...INITDB_OPTIONS], {
    ...spawnAs(runAs),
    cwd: '/',
    env: SERVER_ENV,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [stderr, [status, signal]] = await Promise.all([text(child.stderr), once(child, 'close')])
  if (status === 0) return
  const lines = stderr.split('\n').filter((line) => line && !/: (removing|hint|warning)/.test(line))
  throw new Error(lines.join('; ') || `initdb ended with ${signal ?? `exit status ${status}`}`)
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  fsyncSync(fd)
  closeSync(fd)
}
