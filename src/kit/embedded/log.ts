// The server's log file. PostgreSQL appends to it as long as it runs, so this file limits its size.

import {
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import path from 'node:path'

const BYTES_MAX = 10 * 1024 * 1024
const CHECK_MS = 10_000
const TAIL_LINES = 10

/** Creates the log if needed. It belongs to the folder's owner, who may start us without root next time. */
export function openLog(home: string): string {
  const file = path.join(home, 'postgres.log')
  closeSync(openSync(file, 'a', 0o640))
  if (process.getuid?.() === 0) chownSync(file, statSync(home).uid, statSync(home).gid)
  return file
}

/**
 * Keeps the log and one older part next to it, each about 10 MB at most. Returns a function that stops this.
 */
export function keepLogShort(file: string): () => void {
  shortenLog(file, BYTES_MAX)
  const timer = setInterval(() => {
    try {
      shortenLog(file, BYTES_MAX)
    } catch {
      // A full disk or a deleted folder: the database itself will report it more clearly.
    }
  }, CHECK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** Copied and truncated instead of renamed, because the server keeps writing to its open file. */
export function shortenLog(file: string, bytesMax: number): void {
  if (logSize(file) <= bytesMax) return
  rmSync(`${file}.1`, { force: true })
  copyFileSync(file, `${file}.1`)
  truncateSync(file)
}

export function logSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** The last lines written after the file had the given size. */
export function readLogTail(file: string, sinceBytes: number): string {
  if (!existsSync(file)) return ''
  const text = readFileSync(file).subarray(sinceBytes).toString('utf8')
  return text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n')
}
