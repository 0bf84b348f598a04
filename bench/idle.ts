// What processes without work cost the database of a cluster: a coordinator and two workers with 64 shards and eight
// accounts, with no process, one, and three that dispatch, deliver, and schedule. And how soon a message leaves when
// all was quiet: from the request to the carrier's SMSC. Needs a cluster in TEST_CITUS_URL, for its binaries. On a machine with other
// work, run it as `chrt --rr 1 npm run bench -- idle`: everything that it starts then goes first.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../src/kit/postgres/db.js'
import { migrate } from '../src/kit/postgres/migrate.js'
import { startSmsc } from '../src/smsc/smsc.js'
import { type OwnCluster, ownCluster } from '../test/citus/own-cluster.js'
import { processCpuMs } from '../test/citus/processes.js'
import { median } from './accept.js'
import { releaseFolder, watchFolder } from './chaos/processes/watchdog.js'
import { addCustomer, type Customer, type Running, startServer } from './stage.js'

const SHARDS = 64
const ACCOUNTS = 8
/** It is busy with statistics of its tables. */
const NEW_CLUSTER_S = 60
const SETTLE_S = Number(process.env.BENCH_SETTLE_S ?? 20)
const MEASURED_S = Number(process.env.BENCH_SECONDS ?? 45)
const SENDS = 40
const BACKGROUND = 'dispatch,deliver,schedule'
const SKIPPED = 'TEST_CITUS_URL names no cluster whose binaries are on this machine: skipped.'

/** Milliseconds of CPU per second. */
interface Cost {
  nodes: number[]
  processes: number[]
}

export async function run(): Promise<{ lines: string[]; ratio: number } | { skipped: string }> {
  const settings = (process.env.BENCH_POSTGRES ?? '').split(';').filter(Boolean)
  const cluster = await ownCluster({ shards: SHARDS, settings })
  if (!cluster) return { skipped: SKIPPED }
  watchFolder(cluster.folder)
  const carrier = await startCarrier()
  const running: Running[] = []
  try {
    const customers = await prepare(cluster)
    const start = (roles: string) =>
      startServer(
        { databaseUrl: cluster.coordinator.url },
        { ...carrier.env, LONGCODE_ROLES: roles, LONGCODE_REGISTRY: 'manual' },
      )
    while (running.length < 3) running.push(await start(BACKGROUND))
    await sleep(NEW_CLUSTER_S * 1000)
    const three = await measure(cluster, running)
    for (const one of running.splice(1)) await one.stop()
    const one = await measure(cluster, running)
    running.push(await start('api'))
    const apart = await measureSends(running[1]!, customers, carrier)
    for (const one of running.splice(0)) await one.stop()
    const none = await measure(cluster, running)
    return {
      lines: [
        'ms of CPU per second: coordinator, workers | processes',
        `no process       ${describe(none)}`,
        `one process      ${describe(one)}`,
        `three processes  ${describe(three)}`,
        `for one          ${beyond(one, none).toFixed(1)} (target 20)`,
        `for three        ${beyond(three, none).toFixed(1)} (target 40)`,
        `a message after a quiet second, from the request to an api process to the carrier: ` +
          `p50 ${quantile(apart, 0.5)} ms, p90 ${quantile(apart, 0.9)} ms (target 50)`,
      ],
      ratio: beyond(three, none) / beyond(one, none),
    }
  } finally {
    for (const one of running) await one.stop()
    await carrier.stop()
    cluster.close()
    releaseFolder(cluster.folder)
  }
}

async function prepare({ coordinator }: OwnCluster): Promise<Customer[]> {
  const db = openDatabase({
    ...{ url: coordinator.url, poolMax: 1, applicationName: 'bench', onError: () => {} },
  })
  await migrate(db)
  const customers: Customer[] = []
  while (customers.length < ACCOUNTS) customers.push(await addCustomer(db))
  await db.end()
  return customers
}

interface Carrier {
  env: Record<string, string>
  /** When it received the next message. */
  next: () => Promise<number>
  stop: () => Promise<void>
}

async function startCarrier(): Promise<Carrier> {
  let received: (atMs: number) => void = () => {}
  const smsc = await startSmsc({}, { onMessage: () => received(performance.now()) })
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-bench-carriers-'))
  const file = path.join(folder, 'carriers.json')
  const link = { name: 'smsc', kind: 'smpp', host: '127.0.0.1', port: smsc.port, window: 10 }
  writeFileSync(
    file,
    JSON.stringify({ links: [{ ...link, systemId: 'bench', password: 'bench' }] }),
  )
  return {
    env: { LONGCODE_CARRIERS: file, LONGCODE_LOG_LEVEL: 'error' },
    next: () =>
      new Promise((resolve) => {
        received = resolve
      }),
    stop: async () => {
      await smsc.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

async function measure(cluster: OwnCluster, running: readonly Running[]): Promise<Cost> {
  await sleep(SETTLE_S * 1000)
  const read = () => ({
    nodes: [cluster.coordinator, ...cluster.workers].map((node) => node.cpuMs()),
    processes: running.map(({ pid }) => processCpuMs(pid)),
  })
  const before = read()
  const startedMs = performance.now()
  await sleep(MEASURED_S * 1000)
  const after = read()
  const seconds = (performance.now() - startedMs) / 1000
  const perSecond = (key: keyof Cost) => after[key].map((ms, i) => (ms - before[key][i]!) / seconds)
  return { nodes: perSecond('nodes'), processes: perSecond('processes') }
}

/** One at a time, each after a second without any, by different accounts. */
async function measureSends(
  { port }: Running,
  customers: readonly Customer[],
  carrier: Carrier,
): Promise<number[]> {
  const tookMs: number[] = []
  for (let i = 0; i < SENDS; i += 1) {
    const { token, campaignId } = customers[i % customers.length]!
    await sleep(750 + Math.random() * 500)
    const received = carrier.next()
    const startedMs = performance.now()
    const reply = await fetch(`http://127.0.0.1:${port}/v1/message/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ campaign: campaignId, to: '+14155550107', body: `Quiet ${i}` }),
    })
    if (reply.status !== 200) throw new Error(`a send got ${reply.status}: ${await reply.text()}`)
    tookMs.push((await received) - startedMs)
  }
  return tookMs
}

function quantile(values: readonly number[], part: number): string {
  const sorted = [...values].sort((a, b) => a - b)
  return (part === 0.5 ? median(sorted) : sorted[Math.floor(part * (sorted.length - 1))]!).toFixed(
    0,
  )
}

function describe({ nodes, processes }: Cost): string {
  const list = (values: readonly number[]) => values.map((value) => value.toFixed(1)).join(' ')
  return `${list(nodes)} | ${list(processes)}`
}

/** All nodes together, without what an unused cluster costs. */
function beyond(cost: Cost, unused: Cost): number {
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
  return total(cost.nodes) - total(unused.nodes)
}
