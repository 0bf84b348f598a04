// Accepted to DELIVERED, all roles in one process with the simulated carrier, over the same bare
// route. The load is sent for a while; what counts is how many messages were DELIVERED meanwhile.

import type { Database } from '../src/kit/db.js'
import { sql } from '../src/kit/sql.js'
import { measureBare, sendLoad } from './accept.js'
import { measureLoad } from './load.js'
import { memoryMb, openStage, startServer } from './stage.js'

const WARM_UP_S = 4
const MEASURED_S = 12

export async function run() {
  const stage = await openStage()
  const load = sendLoad(stage)
  const before = await measureBare(load)
  const server = await startServer(stage)
  const loading = measureLoad({
    ...load,
    port: server.port,
    seconds: WARM_UP_S + MEASURED_S + 1,
    warmUpSeconds: 0,
  })
  await pause(WARM_UP_S)
  const started = performance.now()
  const first = await countDelivered(stage.db)
  await pause(MEASURED_S)
  const last = await countDelivered(stage.db)
  const perSecond = (last - first) / ((performance.now() - started) / 1000)
  const accepted = await loading
  const memory = memoryMb(server.pid)
  const left = await drain(stage.db)
  await server.stop()
  const after = await measureBare(load)
  await stage.close()
  return {
    lines: [
      `bare route  ${Math.round(before)}/s before, ${Math.round(after)}/s after`,
      `delivered   ${Math.round(perSecond)}/s (accepted ${Math.round(accepted.perSecond)}/s, ${accepted.failures} failures)`,
      `afterwards  ${left} messages were not DELIVERED`,
      `service     ${memory} MB`,
    ],
    ratio: perSecond / ((before + after) / 2),
  }
}

async function countDelivered(db: Database): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from messages where status = 'DELIVERED'`)
  return row!.count
}

/** Waits until everything has arrived, and says what has not after a while. */
async function drain(db: Database): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    const [row] = await db.query<{ count: number }>(sql`
      select count(*)::int as count from messages where status <> 'DELIVERED'`)
    if (row!.count === 0 || tries === 60) return row!.count
    await pause(0.5)
  }
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
