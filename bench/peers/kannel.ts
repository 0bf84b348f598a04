// Kannel from Debian, configured for maximum durability: smsbox responds when bearerbox has stored the message, in an
// append-only file or in one file per message. It never calls fsync. It matches Longcode's guarantee for a power
// failure only if the file system syncs every write (chattr +S).

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startKannel } from '../../test/peers/kannel.js'
import type { Owner } from '../../test/peers/peer-process.js'
import { WINDOW } from './carrier.js'
import { SERIAL } from './clients.js'
import { type Contender, FROM, TEXT, TO } from './contender.js'

const STORES = {
  file: { type: 'file', storage: 'append-only file, not synced' },
  'synced file': { type: 'file', storage: 'append-only file, synced by the file system' },
  spool: { type: 'spool', storage: 'one file per message, not synced' },
} as const

export type Store = keyof typeof STORES

/** Whether the file system can sync every write in a folder. */
export function canSync(): boolean {
  const folder = mkdtempSync(FOLDER)
  try {
    syncWrites(folder)
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const FOLDER = path.join(os.tmpdir(), 'longcode-bench-kannel-')

function syncWrites(folder: string): void {
  execFileSync('chattr', ['+S', folder], { stdio: 'ignore' }) // new files in it inherit the flag
}

export async function openKannel(store: Store, carrierPort: number): Promise<Contender> {
  const folder = mkdtempSync(FOLDER)
  if (store === 'synced file') syncWrites(folder)
  let run = await startRun(store, folder, carrierPort)
  return {
    name: `Kannel, ${store}`,
    storage: STORES[store].storage,
    request: REQUEST,
    port: () => run.port,
    pids: async () => run.pids,
    kill: () => run.end(),
    startAgain: async () => {
      run = await startRun(store, folder, carrierPort)
    },
    close: async () => {
      await run.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function startRun(store: Store, folder: string, carrierPort: number) {
  const steps: (() => unknown)[] = []
  const owner = { after: (step: () => unknown) => void steps.push(step) } as Owner
  const { type } = STORES[store]
  const location = type === 'file' ? path.join(folder, 'store') : folder
  const kannel = await startKannel(owner, {
    smscPort: carrierPort,
    systemId: 'bench',
    password: 'bench',
    callPort: 9, // unused
    smsc: [`max-pending-submits = ${WINDOW}`],
    core: [`store-type = ${type}`, `store-location = ${location}`],
    logLevel: 4,
  })
  const end = async () => {
    await Promise.all(steps.reverse().map((step) => step())) // each with kill -9
  }
  const pids = [kannel.bearerbox, kannel.smsbox].map(({ child }) => child.pid!)
  return { port: kannel.sendPort, pids, end }
}

const QUERY = new URLSearchParams({
  username: 'tester',
  password: 'tester',
  from: FROM,
  to: TO,
  text: `${TEXT} ${SERIAL}`,
})

const REQUEST = `GET /cgi-bin/sendsms?${QUERY} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`
