// What the peer benchmark measures: a gateway that accepts messages over HTTP and submits them to the carrier.

import { readdirSync, readFileSync } from 'node:fs'

export interface Contender {
  name: string
  /** How it stores messages before the response. */
  storage: string
  /** A whole HTTP request that sends a message, with SERIAL where clients count. */
  request: string
  port: () => number
  /** The PIDs of all its processes. */
  pids: () => Promise<number[]>
  /** kill -9 of all its processes at once. */
  kill: () => Promise<void>
  /** Starts it again after `kill`, with the stored messages. */
  startAgain: () => Promise<void>
  close: () => Promise<void>
}

/** The same message for all. */
export const TEXT = 'Hi Sam, your table is ready. Reply STOP to opt out'
export const FROM = '+14152000000'
export const TO = '+14155550107'

/** Memory in MB. Pages shared between processes count once. */
export function memoryMb(pids: readonly number[]): number {
  const kb = pids.map((pid) => {
    const [, size = '0'] = /^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`)) ?? []
    return Number(size)
  })
  return Math.round(kb.reduce((sum, one) => sum + one, 0) / 1024)
}

export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent)
}

export function parentOf(pid: number): number {
  return Number(read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ')[1] ?? 0)
}

/** Reads /proc, where the process may have ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
