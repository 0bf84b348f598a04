// Durable sends a second over a bare Fastify route that writes nothing, measured right before and
// after. One account, one campaign, 64 connections, commit before every reply, `LONGCODE_ROLES=api`.

import { sql } from '../src/kit/sql.js'
import { type Load, measureLoad } from './load.js'
import {
  cpuUs,
  databaseCpuUs,
  memoryMb,
  openStage,
  type Stage,
  startBare,
  startServer,
} from './stage.js'

const CONNECTIONS = 64

export async function run() {
  const stage = await openStage()
  const load = sendLoad(stage)
  const before = await measureBare(load)
  const server = await startServer(stage, { LONGCODE_ROLES: 'api' })
  const used = async () => [cpuUs(server.pid), await databaseCpuUs(stage.db)] as const
  const start = await used()
  const accept = await measureLoad({ ...load, port: server.port, seconds: 8, warmUpSeconds: 3 })
  const end = await used()
  const [row] = await stage.db.query<{ count: number }>(sql`
    select count(*)::int as count from messages`)
  const per = (i: 0 | 1) => Math.round((end[i] - start[i]) / row!.count)
  const memory = memoryMb(server.pid)
  await server.stop()
  const after = await measureBare(load)
  await stage.close()
  const bare = (before + after) / 2
  return {
    lines: [
      `bare route    ${Math.round(before)}/s before, ${Math.round(after)}/s after`,
      `durable sends ${Math.round(accept.perSecond)}/s, p50 ${accept.p50Ms.toFixed(1)} ms, p99 ${accept.p99Ms.toFixed(1)} ms, ${accept.failures} failures`,
      `service       ${memory} MB, ${per(0)} µs of its CPU and ${per(1)} µs of the database's per send`,
    ],
    ratio: accept.perSecond / bare,
  }
}

export function sendLoad(stage: Stage): Load {
  const body = JSON.stringify({
    campaign: stage.campaignId,
    to: '+14155550107',
    body: 'Your table is ready',
    metadata: { order: '1042' },
  })
  return {
    port: 0,
    path: '/v1/message/send',
    token: stage.token,
    bodies: [body],
    connections: CONNECTIONS,
    seconds: 5,
    warmUpSeconds: 2,
  }
}

export async function measureBare(load: Load): Promise<number> {
  const bare = await startBare()
  const { perSecond } = await measureLoad({ ...load, port: bare.port })
  await bare.stop()
  return perSecond
}
