// `npm run chaos -- soak`: one node with all roles and the simulated carrier at half its capacity, for minutes. Memory
// after garbage collection and latency must stay flat. Both are reported as slopes.

import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sendLoad } from '../../accept.js'
import { measureLoad } from '../../load.js'
import { memoryMb, openStage, startServer } from '../../stage.js'
import type { ChaosOptions } from '../options.js'
import type { Running } from '../running.js'
import { tableOf } from '../table.js'
import { lineOf } from './overload.js'
import { type Interval, startPaced } from './paced-load.js'
import { growthOf, median } from './slope.js'

const CAPACITY_SECONDS = 10
const INTERVAL_SECONDS = 10
const CONNECTIONS_MAX = 500
/** Time for a garbage collection and for returning its pages. */
const COLLECT_MS = 300
/** The warm-up, which is not evaluated. */
const SETTLED_FROM = 0.3
/** Allowed growth over the evaluated time, relative to its start. */
const GROWTH_MAX = 0.25
/** Allowed ratio of the median p99 of the second half to that of the first. Below NOISE_MS it is noise. */
const DRIFT_MAX = 2.5
const NOISE_MS = 100

export async function runSoak(
  { minutes }: Pick<ChaosOptions, 'minutes'>,
  running: Running,
): Promise<boolean> {
  const stage = await openStage()
  running.closers.push(() => stage.close())
  const collect = fileURLToPath(new URL('collect.mjs', import.meta.url))
  const server = await startServer(stage, {}, ['--expose-gc', '--import', collect])
  running.closers.push(() => server.stop())
  const load = { ...sendLoad(stage), port: server.port }
  console.log('measuring the capacity of one node with all roles …')
  await measureLoad({ ...load, seconds: 4 })
  const { perSecond } = await measureLoad({ ...load, seconds: CAPACITY_SECONDS })
  const pace = Math.max(1, Math.round(perSecond / 2))
  console.log(`${Math.round(perSecond)} a second; now ${pace} a second for ${minutes} min …`)
  const memory: number[] = []
  const paced = startPaced(
    {
      port: server.port,
      token: stage.token,
      body: load.bodies[0]!,
      perSecond: pace,
      seconds: Math.round(minutes * 60),
      connectionsMax: CONNECTIONS_MAX,
      intervalSeconds: INTERVAL_SECONDS,
    },
    async (interval) => {
      process.kill(server.pid, 'SIGUSR2')
      await sleep(COLLECT_MS)
      memory.push(memoryMb(server.pid))
      console.log(lineOf(interval, memory.at(-1)!))
    },
  )
  running.closers.push(async () => paced.stop())
  const intervals = await paced.done
  await sleep(2 * COLLECT_MS)
  return report(perSecond, pace, intervals, memory)
}

function report(
  capacity: number,
  pace: number,
  all: readonly Interval[],
  memory: readonly number[],
): boolean {
  const from = Math.floor(all.length * SETTLED_FROM)
  const intervals = all.slice(from)
  const settled = memory.slice(from)
  const growth = growthOf(settled)
  const half = intervals.length >> 1
  const p99 = (part: readonly Interval[]) => median(part.map(({ p99Ms }) => p99Ms))
  const [early, late] = [p99(intervals.slice(0, half)), p99(intervals.slice(half))]
  const sum = (key: 'accepted' | 'refused' | 'failures' | 'unsent') =>
    all.reduce((total, interval) => total + interval[key], 0)
  const perMinute = ((settled.at(-1)! - settled[0]!) * 60) / (settled.length * INTERVAL_SECONDS)
  console.log('')
  for (const line of tableOf([
    ['capacity, sends per second', Math.round(capacity)],
    ['offered per second', pace],
    ['accepted', sum('accepted')],
    ['refused, failed, unsent', `${sum('refused')}, ${sum('failures')}, ${sum('unsent')}`],
    ['memory after GC, first to last', `${settled[0]} to ${settled.at(-1)} MB`],
    ['  per minute', `${perMinute.toFixed(1)} MB`],
    ['  slope over the run', `${(growth * 100).toFixed(0)}%`],
    ['p99 of the first half, of the second', `${early.toFixed(0)}, ${late.toFixed(0)} ms`],
  ])) {
    console.log(line)
  }
  const wrong = [
    growth > GROWTH_MAX && `memory grows by over ${GROWTH_MAX * 100}%`,
    late > NOISE_MS && late > early * DRIFT_MAX && `p99 drifts by over ${DRIFT_MAX}`,
    sum('failures') > 0 && 'responses other than 200 and 503 with Retry-After',
  ].filter((one) => one !== false)
  console.log(`\nsoak: ${wrong.join('; ') || 'flat'}`)
  return wrong.length === 0
}
