// `npm run chaos -- overload`: measures what one API node can store, and then offers it twice as much from independent
// clients. Accepted sends must stay fast, the rest must be refused immediately, memory must not grow, and /healthz must
// respond all the time.

import { sendLoad } from '../../accept.js'
import { type LoadResult, measureLoad } from '../../load.js'
import { memoryMb, openStage, startServer } from '../../stage.js'
import type { Running } from '../running.js'
import { tableOf } from '../table.js'
import { HealthWatch } from './health-watch.js'
import { type Interval, startPaced } from './paced-load.js'

const CAPACITY_SECONDS = 8
const OVERLOAD_SECONDS = 20
const TIMES = 2
/** More than may wait in the service, so the service refuses some. */
const CONNECTIONS_MORE = 1_000
const WAITING_MIN = 20
const P99_MS_MAX = 5_000
const HEALTH_MS_MAX = 5_000
/** Each open connection takes some memory, whether its send waits or is refused. */
const GROWTH_MB_MAX = 100
const CONNECTION_MB = 0.05

export async function runOverload(running: Running): Promise<boolean> {
  const stage = await openStage()
  running.closers.push(() => stage.close())
  console.log('measuring the capacity of one API node …')
  const first = await startServer(stage, { LONGCODE_ROLES: 'api' })
  running.closers.push(() => first.stop())
  const measured = { ...sendLoad(stage), port: first.port }
  await measureLoad({ ...measured, seconds: 4 }) // warm-up
  const capacity = await measureLoad({ ...measured, seconds: CAPACITY_SECONDS })
  await first.stop()
  running.closers.pop()
  // As recommended in operations.md: what the node stores in a second.
  const waitingMax = Math.max(WAITING_MIN, Math.round(capacity.perSecond))
  const env = { LONGCODE_ROLES: 'api', LONGCODE_SENDS_WAITING: String(waitingMax) }
  const server = await startServer(stage, env)
  running.closers.push(() => server.stop())
  const load = { ...measured, port: server.port }
  await measureLoad({ ...load, seconds: 4 })
  const memoryBefore = memoryMb(server.pid)
  const connectionsMax = waitingMax + CONNECTIONS_MORE
  const perSecond = Math.round(capacity.perSecond * TIMES)
  console.log(`offering ${perSecond} sends a second for ${OVERLOAD_SECONDS} s …`)
  const health = new HealthWatch(server.port)
  let memoryMost = memoryBefore
  const paced = startPaced(
    {
      port: server.port,
      token: stage.token,
      body: load.bodies[0]!,
      perSecond,
      seconds: OVERLOAD_SECONDS,
      connectionsMax,
      intervalSeconds: 2,
    },
    (interval) => {
      memoryMost = Math.max(memoryMost, memoryMb(server.pid))
      console.log(lineOf(interval, memoryMb(server.pid)))
    },
  )
  running.closers.push(async () => paced.stop())
  const intervals = await paced.done
  await health.end()
  const after = await measureLoad({ ...load, seconds: 3 })
  const memoryAfter = memoryMb(server.pid)
  const growthMax = Math.round(GROWTH_MB_MAX + connectionsMax * CONNECTION_MB)
  const memory = { before: memoryBefore, most: memoryMost, after: memoryAfter, growthMax }
  return report({ capacity, after, intervals, health, memory })
}

interface Seen {
  capacity: LoadResult
  after: LoadResult
  intervals: readonly Interval[]
  health: HealthWatch
  memory: { before: number; most: number; after: number; growthMax: number }
}

export function lineOf(interval: Interval, memory: number): string {
  const { atSeconds, accepted, refused, p50Ms, p99Ms } = interval
  return `${String(atSeconds).padStart(5)} s  ${accepted} accepted, ${refused} refused, p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms, ${memory} MB`
}

function report({ capacity, after, intervals, health, memory }: Seen): boolean {
  const sum = (key: 'offered' | 'accepted' | 'refused' | 'failures' | 'unsent') =>
    intervals.reduce((total, interval) => total + interval[key], 0)
  const median = (key: 'p50Ms' | 'p99Ms') =>
    intervals.map((interval) => interval[key]).sort((a, b) => a - b)[intervals.length >> 1] ?? 0
  const p99Ms = Math.max(...intervals.map((interval) => interval.p99Ms))
  const answered = sum('accepted') + sum('refused')
  const perSecond = (count: number) => Math.round(count / OVERLOAD_SECONDS)
  const ms = (value: number) => `${value.toFixed(0)} ms`
  console.log('')
  for (const line of tableOf([
    ['capacity, sends per second', Math.round(capacity.perSecond)],
    ['  p50, p99', `${ms(capacity.p50Ms)}, ${ms(capacity.p99Ms)}`],
    ['offered per second', perSecond(sum('offered'))],
    ['  without a free connection', perSecond(sum('unsent'))],
    ['accepted per second', perSecond(sum('accepted'))],
    ['  p50, p99 (median interval)', `${ms(median('p50Ms'))}, ${ms(median('p99Ms'))}`],
    ['  p99 of the slowest interval', ms(p99Ms)],
    ['refused with 503 and Retry-After', `${((100 * sum('refused')) / answered).toFixed(0)}%`],
    ['other failures', sum('failures')],
    ['memory before, maximum, after', `${memory.before}, ${memory.most}, ${memory.after} MB`],
    ['/healthz requests, unanswered', `${health.asked}, ${health.unanswered}`],
    ['/healthz slowest', ms(health.slowestMs)],
    ['sends per second afterwards', Math.round(after.perSecond)],
  ])) {
    console.log(line)
  }
  const wrong = [
    median('p99Ms') > P99_MS_MAX && `p99 over ${P99_MS_MAX} ms`,
    sum('refused') === 0 && 'nothing was refused, so this was not an overload',
    sum('failures') > 0 && 'responses other than 200 and 503 with Retry-After',
    health.unanswered > 0 && '/healthz did not respond',
    health.slowestMs > HEALTH_MS_MAX && `/healthz took over ${HEALTH_MS_MAX} ms`,
    memory.most - memory.before > memory.growthMax && `memory grew by over ${memory.growthMax} MB`,
    after.failures > 0 && 'sends failed afterwards',
  ].filter((one) => one !== false)
  console.log(`\noverload: ${wrong.join('; ') || 'held'}`)
  return wrong.length === 0
}
