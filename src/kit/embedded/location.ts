// Where the embedded database stores its files, and which user it runs as. Normally that is the data folder.
// As root, the database's user must also be able to enter it.

import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import path from 'node:path'
import { EmbeddedDatabaseFailure } from './failure.js'
import { chooseRunAs, findBlockedFolder, type RunAs, type SystemUser } from './user.js'

export interface Location {
  /** The folder in LONGCODE_DATA. */
  dataDir: string
  /** The folder with cluster, log, and lock. Differs from dataDir only when running as root. */
  home: string
  /** PostgreSQL's data folder. A link of this name in dataDir leads to a home elsewhere. */
  cluster: string
  runAs: RunAs
  isFresh: boolean
}

export const CLUSTER = 'postgres'

// Survives reboots, and every user can enter it.
const ELSEWHERE = '/var/lib/longcode'

/**
 * Creates the data folder. New folders belong to the owner of the parent folder, even if root creates them.
 */
export function makeDataDir(dataDir: string): string {
  const first = mkdirSync(dataDir, { recursive: true, mode: 0o755 })
  if (first && process.getuid?.() === 0) {
    const { uid, gid } = statSync(path.dirname(first))
    for (let dir = dataDir; dir.length >= first.length; dir = path.dirname(dir)) {
      chownSync(dir, uid, gid)
      chmodSync(dir, 0o755) // whatever the umask of root says: the database's user has to get in
    }
  }
  return realpathSync(dataDir)
}

/** Call it under the lock of dataDir. Creates no cluster; `isFresh` tells whether one must be created. */
export function chooseLocation(dataDir: string, note: (line: string) => void): Location {
  const cluster = findCluster(dataDir)
  const stats = tryStat(cluster)
  const runAs = chooseRunAs([...(stats ? [stats.uid] : []), statSync(dataDir).uid], note)
  const home = path.dirname(cluster)
  const isFresh = stats === null || isEmptyFolder(cluster, stats, runAs)

  if (runAs) letPass(dataDir, runAs)
  const blocked = runAs && findBlockedFolder(home, runAs)
  if (!runAs || !blocked) {
    if (home !== dataDir) note(`The database of ${dataDir} is kept in ${home}.`)
    return { dataDir, home, cluster, runAs, isFresh }
  }
  if (!isFresh) {
    throw new EmbeddedDatabaseFailure(
      `The database in ${cluster} runs as user ${runAs.name}, who cannot enter ${blocked} any more: allow it with \`chmod o+x ${blocked}\`.`,
    )
  }
  return placeElsewhere(dataDir, runAs, blocked, note)
}

// The data folder itself, if only root has access: it may also let the database's user pass. No other folder
// or permission is changed.
function letPass(dataDir: string, { gid }: SystemUser): void {
  const { uid, mode } = statSync(dataDir)
  if (uid !== 0 || (mode & 0o077) !== 0) return
  chownSync(dataDir, uid, gid)
  chmodSync(dataDir, (mode & 0o777) | 0o010)
}

function findCluster(dataDir: string): string {
  const cluster = path.join(dataDir, CLUSTER)
  if (!lstatSync(cluster, { throwIfNoEntry: false })?.isSymbolicLink()) return cluster
  const target = path.resolve(dataDir, readlinkSync(cluster))
  if (tryStat(target)) return target
  throw new EmbeddedDatabaseFailure(
    `${cluster} leads to ${target}, which is not there: put it back, or delete the link to start with an empty database.`,
  )
}

function isEmptyFolder(cluster: string, stats: Stats, runAs: RunAs): boolean {
  if (!runAs && stats.uid !== process.getuid?.()) {
    throw new EmbeddedDatabaseFailure(
      `The database in ${cluster} belongs to another user (id ${stats.uid}): start as that user or as root, or set LONGCODE_DATA to another folder.`,
    )
  }
  return readdirSync(cluster).length === 0
}

function placeElsewhere(
  dataDir: string,
  runAs: RunAs,
  blocked: string,
  note: (line: string) => void,
): Location {
  mkdirSync(ELSEWHERE, { recursive: true, mode: 0o755 })
  // Not named after the path alone: a user who deletes the data folder expects an empty database.
  const home = mkdtempSync(path.join(ELSEWHERE, `${path.basename(path.dirname(dataDir))}-`))
  chmodSync(ELSEWHERE, 0o755)
  chmodSync(home, 0o755)
  note(
    `PostgreSQL runs as user ${runAs?.name}, who cannot enter ${blocked}: the database of ${dataDir} is kept in ${home}.`,
  )
  return { dataDir, home, cluster: path.join(home, CLUSTER), runAs, isFresh: true }
}

function tryStat(file: string): Stats | null {
  return statSync(file, { throwIfNoEntry: false }) ?? null
}
