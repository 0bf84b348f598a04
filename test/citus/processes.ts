// The processes of a PostgreSQL on this machine: to stop them, and to read their CPU time.

import { readdirSync, readFileSync } from 'node:fs'

const TICK_MS = 10

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has already ended.
  }
}

export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(fieldsOf(pid)?.[1]) === parent)
}

/** Of a server and its processes, also those that ended. */
export function serverCpuMs(postmaster: number): number {
  const sum = (pid: number, from: number, to: number) =>
    (fieldsOf(pid) ?? []).slice(from, to).reduce((total, ticks) => total + Number(ticks), 0)
  const running = childrenOf(postmaster).map((pid) => sum(pid, 11, 15))
  return TICK_MS * running.reduce((total, one) => total + one, sum(postmaster, 11, 15))
}

/** CPU time of one process, without its children. */
export function processCpuMs(pid: number): number {
  const [user = 0, system = 0] = (fieldsOf(pid) ?? []).slice(11, 13).map(Number)
  return TICK_MS * (user + system)
}

/** The fields of /proc/PID/stat after the name. */
function fieldsOf(pid: number): string[] | null {
  try {
    const [, rest = ''] = /\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return rest.split(' ')
  } catch {
    return null
  }
}
