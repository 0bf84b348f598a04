// Durable sends per second, relative to a bare Fastify route that writes nothing. One account, one campaign, 64
// connections, commit before every reply, `LONGCODE_ROLES=api`. The speed of the machine drifts within seconds, so the
// two alternate. Each round has its ratio, and the median counts.

import { sql } from '../src/kit/postgres/sql.js'
import { type Load, type LoadResult, measureLoad } from './load.js'
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
const ROUNDS = 5

export async function run() {
  const stage = await openStage()
  const load = sendLoad(stage)
  const bare = await startBare()
  const server = await startServer(stage, { LONGCODE_ROLES: 'api' })
  const measureBare = () => measureLoad({ ...load, port: bare.port, seconds: 2 })
  const measureSends = () => measureLoad({ ...load, port: server.port, seconds: 4 })
  await measureSends() // warm-up
  const used = async () => [cpuUs(server.pid), await databaseCpuUs(stage.db)] as const
  const countBefore = await countMessages(stage)
  const start = await used()
  const bares = [await measureBare()]
  const sends: LoadResult[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    sends.push(await measureSends())
    bares.push(await measureBare())
  }
  const end = await used()
  const count = (await countMessages(stage)) - countBefore
  const per = (i: 0 | 1) => Math.round((end[i] - start[i]) / count)
  const memory = memoryMb(server.pid)
  await server.stop()
  await bare.stop()
  await stage.close()
  const ratios = sends.map(
    ({ perSecond }, i) => (2 * perSecond) / (bares[i]!.perSecond + bares[i + 1]!.perSecond),
  )
  const rates = (results: LoadResult[]) => results.map((one) => Math.round(one.perSecond)).join(' ')
  const failures = sends.reduce((sum, one) => sum + one.failures, 0)
  const latency = (key: 'p50Ms' | 'p99Ms') => median(sends.map((one) => one[key])).toFixed(1)
  return {
    lines: [
      `bare route    ${rates(bares)} a second`,
      `durable sends ${rates(sends)} a second, ${failures} failures`,
      `latency       p50 ${latency('p50Ms')} ms, p99 ${latency('p99Ms')} ms`,
      `service       ${memory} MB, ${per(0)} µs service CPU and ${per(1)} µs database CPU per send`,
      `ratios        ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}`,
    ],
    ratio: median(ratios),
  }
}

async function countMessages({ db }: Stage): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from messages`)
  return row!.count
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
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
    warmUpSeconds: 1,
  }
}
