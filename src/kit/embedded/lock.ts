// One live start per data folder. The lock is a file that names its process so exactly (id and moment
// of birth) that it counts only while that very process lives: kill -9 and reboots leave nothing to clear.

import { spawnSync } from 'node:child_process'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DataFolderBusy } from './failure.js'

const LOCK_FILE = 'postgres.lock'

/** Returns the function that gives the folder free. Throws DataFolderBusy when a live start has it. */
export function lockFolder(folder: string): () => void {
  const file = path.join(folder, LOCK_FILE)
  const own = `${process.pid}\n${findProcessBirth(process.pid)}\n`
  const draft = `${file}.${process.pid}`
  // Linked in place, not written in place: whoever reads the lock reads all of it.
  try {
    writeFileSync(draft, own, { mode: 0o644 })
    while (!tryLink(draft, file)) removeStaleLock(file, folder)
  } finally {
    rmSync(draft, { force: true })
  }
  return () => {
    if (readText(file) === own) rmSync(file, { force: true })
  }
}

/**
 * When the process was born, as text that no other process with this id shares; null when there is no
 * such process, or only the remains of one that nobody has collected.
 */
export function findProcessBirth(pid: number): string | null {
  if (!isSignallable(pid)) return null
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
    return stdout?.trim() || null
  }
  const stat = readText(`/proc/${pid}/stat`)
  if (stat === null) return null
  // The second field is the program's name in brackets and may itself hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z') return null
  const boot = readText('/proc/sys/kernel/random/boot_id')?.trim()
  return `${boot} ${fields[19]}`
}

function removeStaleLock(file: string, folder: string): void {
  const found = readText(file)
  if (found === null) return
  const [pid, birth] = found.split('\n')
  if (birth && findProcessBirth(Number(pid)) === birth) {
    throw new DataFolderBusy(
      `The data folder ${folder} is in use by another start of Longcode (process ${pid}): stop that one, or set LONGCODE_DATA to another folder.`,
    )
  }
  // Moved aside first: if another start replaced the stale lock in this moment, its lock goes back.
  const aside = `${file}.${process.pid}.stale`
  try {
    renameSync(file, aside)
  } catch (error) {
    if (isCode(error, 'ENOENT')) return
    throw error
  }
  if (readText(aside) !== found) tryLink(aside, file)
  rmSync(aside, { force: true })
}

function tryLink(source: string, target: string): boolean {
  try {
    linkSync(source, target)
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  }
}

function isSignallable(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isCode(error, 'EPERM') // alive, and somebody else's
  }
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ESRCH')) return null
    throw error
  }
}

function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code
}
