// From accepted to DELIVERED with all roles in one process, relative to the same bare route: with the simulated
// carrier, and over SMPP to our SMSC in a separate process. The result is how many messages become DELIVERED while the
// load continues. The three alternate, and everything has arrived before the next round.

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
  const bare = await startBare()
  const simulated = await openWay()
  const smpp = await openSmppWay()
  for (const way of [simulated, smpp]) await warmUp(way)
  const bares = [await measureBare(simulated, bare)]
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const way of [simulated, smpp]) {
      await takeTurn(way)
      bares.push(await measureBare(simulated, bare))
    }
  }
  const near = (i: number) => (bares[i]!.perSecond + bares[i + 1]!.perSecond) / 2
  const ratiosOf = ({ delivered }: Way, place: 0 | 1) =>
    delivered.map((perSecond, round) => perSecond / near(2 * round + place))
  const [own, theirs] = [ratiosOf(simulated, 0), ratiosOf(smpp, 1)]
  const share = median(theirs.map((ratio, i) => ratio / own[i]!))
  const lines = [
    `bare route  ${bares.map((one) => Math.round(one.perSecond)).join(' ')} a second`,
    ...(await linesOf(simulated, own)),
    'over SMPP to our SMSC',
    ...(await linesOf(smpp, theirs)).map((line) => `  ${line}`),
    `  relative to the simulator ${share.toFixed(2)} (target 0.60)`,
  ]
  for (const way of [simulated, smpp]) await way.close()
  await bare.stop()
  return { lines, ratio: median(own) }
}

interface Used {
  serviceUs: number
  databaseUs: number
  messages: number
}

/** A service with its own database, and the results of its turns. */
interface Way {
  stage: Stage
  server: Running
  /** CPU time and deliveries before the first round that counts. */
  before: Used
  delivered: number[]
  failures: number
  left: number
  close: () => Promise<void>
}

async function openWay(env: Record<string, string> = {}): Promise<Way> {
  const stage = await openStage()
  const server = await startServer(stage, env)
  const close = async () => {
    await server.stop()
    await stage.close()
  }
  const before = await usedBy({ stage, server })
  return { stage, server, before, delivered: [], failures: 0, left: 0, close }
}

async function openSmppWay(): Promise<Way> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-bench-carriers-'))
  const file = path.join(folder, 'carriers.json')
  const smsc = await startPeer('smscWithReceipts')
  const link = { name: 'smsc', kind: 'smpp', host: '127.0.0.1', port: smsc.port, window: WINDOW }
  writeFileSync(
    file,
    JSON.stringify({ links: [{ ...link, systemId: 'bench', password: 'bench' }] }),
  )
  const way = await openWay({ LONGCODE_CARRIERS: file, LONGCODE_LOG_LEVEL: 'error' })
  const close = async () => {
    await way.close()
    smsc.stop()
    rmSync(folder, { recursive: true })
  }
  return { ...way, close }
}

function measureBare({ stage }: Way, bare: Running) {
  return measureLoad({ ...sendLoad(stage), port: bare.port, seconds: 2 })
}

async function takeTurn(way: Way): Promise<void> {
  const { stage, server } = way
  const seconds = WARM_UP_S + MEASURED_S + 0.5
  const load = { ...sendLoad(stage), port: server.port, seconds, warmUpSeconds: 0 }
  const loading = measureLoad(load)
  await pause(WARM_UP_S)
  way.delivered.push(await deliveredPerSecond(stage.db))
  way.failures += (await loading).failures
  way.left = await drain(stage.db)
}

/** Warm-up, so the startup of a process does not count as the cost of a message. */
async function warmUp(way: Way): Promise<void> {
  const load = { ...sendLoad(way.stage), port: way.server.port, seconds: WARM_UP_S }
  way.failures += (await measureLoad(load)).failures
  way.left = await drain(way.stage.db)
  way.before = await usedBy(way)
}

async function usedBy({ stage, server }: Pick<Way, 'stage' | 'server'>): Promise<Used> {
  return {
    serviceUs: cpuUs(server.pid),
    databaseUs: await databaseCpuUs(stage.db),
    messages: await countDelivered(stage.db),
  }
}

async function linesOf({ stage, server, ...way }: Way, ratios: readonly number[]) {
  const used = await usedBy({ stage, server })
  const per = (key: 'serviceUs' | 'databaseUs') =>
    Math.round((used[key] - way.before[key]) / (used.messages - way.before.messages))
  return [
    `delivered   ${way.delivered.map(Math.round).join(' ')} a second, ${way.failures} failures`,
    `afterwards  ${way.left} messages were not DELIVERED`,
    `service     ${memoryMb(server.pid)} MB, ${per('serviceUs')} µs service CPU and ${per('databaseUs')} µs database CPU per message`,
    `ratios      ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}`,
  ]
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

/** Waits until everything has arrived, and after a while returns the number of missing messages. */
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
