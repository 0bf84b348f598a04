// Finds the embedded database of a service running on this machine, so the command line can work alongside
// it. PostgreSQL itself records where it listens and whether it is ready.

import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DATABASE, urlOf } from './database.js'
import { CLUSTER } from './location.js'

// The lines of postmaster.pid: process, folder, start, port, socket folder, address, memory, status.
const PID_LINE = 0
const SOCKET_LINE = 4
const STATUS_LINE = 7

/** Its address, or null if none runs on this data folder or this user may not read it. */
export function findRunningDatabase(dataDir: string): string | null {
  const file = path.join(path.resolve(dataDir), CLUSTER, 'postmaster.pid')
  const lines = tryRead(file)?.split('\n') ?? []
  const socketDir = lines[SOCKET_LINE]
  const isReady = lines[STATUS_LINE]?.trim() === 'ready'
  if (!socketDir || !isReady || !isAlive(Number(lines[PID_LINE]))) return null
  return urlOf(socketDir, DATABASE)
}

/** Whether the data folder has one, running or not. */
export function hasEmbeddedDatabase(dataDir: string): boolean {
  return existsSync(path.join(path.resolve(dataDir), CLUSTER))
}

/** Also true for a process of another user. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function tryRead(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null // missing, or not readable: then its socket is not usable either
  }
}
