// Longcode as run by `npm start`: all roles in one process, and PostgreSQL syncs every commit before the response.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { sql } from '../../src/kit/postgres/sql.js'
import { openStage, type Stage, startServer } from '../stage.js'
import { WINDOW } from './carrier.js'
import { SERIAL } from './clients.js'
import { type Contender, childrenOf, parentOf, TEXT, TO } from './contender.js'

export async function openLongcode(carrierPort: number): Promise<Contender> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-bench-carriers-'))
  const file = path.join(folder, 'carriers.json')
  const link = { name: 'smsc', kind: 'smpp', host: '127.0.0.1', port: carrierPort, window: WINDOW }
  writeFileSync(
    file,
    JSON.stringify({ links: [{ ...link, systemId: 'bench', password: 'bench' }] }),
  )
  const stage = await openStage()
  const start = () => startServer(stage, { LONGCODE_CARRIERS: file, LONGCODE_LOG_LEVEL: 'silent' })
  let server = await start()
  const databasePids = async () => {
    const postmaster = parentOf(await backendPid(stage))
    return [postmaster, ...childrenOf(postmaster)]
  }
  return {
    name: 'Longcode',
    storage: 'PostgreSQL, synced',
    request: requestOf(stage),
    port: () => server.port,
    pids: async () => [server.pid, ...(await databasePids())],
    kill: async () => {
      for (const pid of [server.pid, ...(await databasePids())]) killHard(pid)
    },
    startAgain: async () => {
      await untilConnected(stage)
      server = await start()
    },
    close: async () => {
      await server.stop()
      await stage.close()
      rmSync(folder, { recursive: true })
    },
  }
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The backend ended in the meantime.
  }
}

async function backendPid({ db }: Stage): Promise<number> {
  const [row] = await db.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  return row!.pid
}

/** The code that started the database also restarts it after a kill. */
async function untilConnected(stage: Stage): Promise<void> {
  for (let attempts = 0; attempts < 300; attempts += 1) {
    const isUp = await backendPid(stage).then(
      () => true,
      () => false,
    )
    if (isUp) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the database did not come back')
}

function requestOf({ campaignId, token }: Stage): string {
  const body = JSON.stringify({ campaign: campaignId, to: TO, body: `${TEXT} ${SERIAL}` })
  return (
    `POST /v1/message/send HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  )
}
