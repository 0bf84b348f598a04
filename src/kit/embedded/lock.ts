// Allows one live start per data folder. The lock file identifies its process exactly (ID and start time), so
// it counts only while that process lives: kill -9 and reboots leave nothing to clean up.

import { spawnSync } from 'node:child_process'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DataFolderBusy } from './failure.js'
import { isAlive } from './running.js'

const LOCK_FILE = 'postgres.lock'

/** Returns the function that unlocks the folder. Throws DataFolderBusy if a live start has it. */
export function lockFolder(folder: string): () => void {
  const file = path.join(folder, LOCK_FILE)
  const own = `${process.pid}\n${findProcessBirth(process.pid)}\n`
  const draft = `${file}.${process.pid}`
  // Linked into place instead of written, so a reader always sees the complete lock.
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
 * When the process started, as text that no other process with this ID shares; null if there is no such
 * process, or only a zombie.
 */
export function findProcessBirth(pid: number): string | null {
  if (!isAlive(pid)) return null
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
    return stdout?.trim() || null
  }
  const stat = readText(`/proc/${pid}/stat`)
  if (stat === null) return null
  // The second field is the program's name in parentheses and may contain spaces and parentheses.
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
  // Moved away first: if another start replaced the stale lock at the same time, its lock is restored.
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
