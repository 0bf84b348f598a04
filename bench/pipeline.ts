// Accepted to DELIVERED, all roles in one process with the simulated carrier, over the same bare
// route. While the load goes on, what counts is how many messages become DELIVERED. The two take
// turns, as in accept.ts, and everything has arrived before the next turn.

import type { Database } from '../src/kit/postgres/db.js'
import { sql } from '../src/kit/postgres/sql.js'
import { median, sendLoad } from './accept.js'
import { measureLoad } from './load.js'
import { cpuUs, databaseCpuUs, memoryMb, openStage, startBare, startServer } from './stage.js'

const ROUNDS = 3
const WARM_UP_S = 2
const MEASURED_S = 6

export async function run() {
  const stage = await openStage()
  const load = sendLoad(stage)
  const bare = await startBare()
  const server = await startServer(stage)
  const measureBare = () => measureLoad({ ...load, port: bare.port, seconds: 2 })
  const used = async () => [cpuUs(server.pid), await databaseCpuUs(stage.db)] as const
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
  const count = await countDelivered(stage.db)
  const per = (i: 0 | 1) => Math.round((end[i] - start[i]) / count)
  const memory = memoryMb(server.pid)
  await server.stop()
  await bare.stop()
  await stage.close()
  const ratios = delivered.map(
    (perSecond, i) => (2 * perSecond) / (bares[i]!.perSecond + bares[i + 1]!.perSecond),
  )
  return {
    lines: [
      `bare route  ${bares.map((one) => Math.round(one.perSecond)).join(' ')} a second`,
      `delivered   ${delivered.map(Math.round).join(' ')} a second, ${failures} failures`,
      `afterwards  ${left} messages were not DELIVERED`,
      `service     ${memory} MB, ${per(0)} µs of its CPU and ${per(1)} µs of the database's per message`,
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
