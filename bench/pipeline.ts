// Accepted to DELIVERED, all roles in one process, over the same bare route: with the simulated carrier, then
// over SMPP to our own SMSC in a process of its own. While the load goes on, what counts is how many messages
// become DELIVERED. The two take turns, as in accept.ts, and everything has arrived before the next turn.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Database } from '../src/kit/postgres/db.js'
import { sql } from '../src/kit/postgres/sql.js'
import { median, sendLoad } from './accept.js'
import { measureLoad } from './load.js'
import { startPeer } from './smpp-peer.js'
import {
  cpuUs,
  databaseCpuUs,
  memoryMb,
  openStage,
  type Running,
  type Stage,
  startBare,
  startServer,
} from './stage.js'

const ROUNDS = 3
const WARM_UP_S = 2
const MEASURED_S = 6
const WINDOW = 500

interface Measured {
  lines: string[]
  ratio: number
}

export async function run(): Promise<Measured> {
  const stage = await openStage()
  const bare = await startBare()
  const server = await startServer(stage)
  const simulated = await measure(stage, server, bare)
  await server.stop()
  const overSmpp = await measureSmpp(stage, bare)
  await bare.stop()
  await stage.close()
  const share = overSmpp.ratio / simulated.ratio
  return {
    lines: [
      ...simulated.lines,
      'over SMPP to our SMSC',
      ...overSmpp.lines.map((line) => `  ${line}`),
      `  of the simulator's ${share.toFixed(2)} (target 0.60)`,
    ],
    ratio: simulated.ratio,
  }
}

async function measureSmpp(stage: Stage, bare: Running): Promise<Measured> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-bench-carriers-'))
  const file = path.join(folder, 'carriers.json')
  const smsc = await startPeer('smscWithReceipts')
  const link = { name: 'smsc', kind: 'smpp', host: '127.0.0.1', port: smsc.port, window: WINDOW }
  writeFileSync(
    file,
    JSON.stringify({ links: [{ ...link, systemId: 'bench', password: 'bench' }] }),
  )
  const server = await startServer(stage, { LONGCODE_CARRIERS: file })
  const measured = await measure(stage, server, bare)
  await server.stop()
  smsc.stop()
  rmSync(folder, { recursive: true })
  return measured
}

async function measure(stage: Stage, server: Running, bare: Running): Promise<Measured> {
  const load = sendLoad(stage)
  const measureBare = () => measureLoad({ ...load, port: bare.port, seconds: 2 })
  const used = async () => [cpuUs(server.pid), await databaseCpuUs(stage.db)] as const
  const countBefore = await countDelivered(stage.db)
  const start = await used()
  const bares = [await measureBare()]
  const delivered: number[] = []
  let failures = 0
  let left = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const seconds = WARM_UP_S + MEASURED_S + 0.5
    const loading = measureLoad({ ...load, port: server.port, seconds, warmUpSeconds: 0 })
    await pause(WARM_UP_S)
    delivered.push(await deliveredPerSecond(stage.db))
    failures += (await loading).failures
    left = await drain(stage.db)
    bares.push(await measureBare())
  }
  const end = await used()
  const count = (await countDelivered(stage.db)) - countBefore
  const per = (i: 0 | 1) => Math.round((end[i] - start[i]) / count)
  const ratios = delivered.map(
    (perSecond, i) => (2 * perSecond) / (bares[i]!.perSecond + bares[i + 1]!.perSecond),
  )
  return {
    lines: [
      `bare route  ${bares.map((one) => Math.round(one.perSecond)).join(' ')} a second`,
      `delivered   ${delivered.map(Math.round).join(' ')} a second, ${failures} failures`,
      `afterwards  ${left} messages were not DELIVERED`,
      `service     ${memoryMb(server.pid)} MB, ${per(0)} µs of its CPU and ${per(1)} µs of the database's per message`,
      `ratios      ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}`,
    ],
    ratio: median(ratios),
  }
}

async function deliveredPerSecond(db: Database): Promise<number> {
  const started = performance.now()
  const first = await countDelivered(db)
  await pause(MEASURED_S)
  const last = await countDelivered(db)
  return (last - first) / ((performance.now() - started) / 1000)
}

async function countDelivered(db: Database): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from messages where status = 'DELIVERED'`)
  return row!.count
}

/** Waits until everything has arrived, and says what has not after a while. */
async function drain(db: Database): Promise<number> {
  for (let attempts = 0; ; attempts += 1) {
    const [row] = await db.query<{ count: number }>(sql`
      select count(*)::int as count from messages where status <> 'DELIVERED'`)
    if (row!.count === 0 || attempts === 60) return row!.count
    await pause(0.5)
  }
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
