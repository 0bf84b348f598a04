// A link over a provider's HTTP API, to a simulated provider in a separate process. First, messages submitted per
// second while batches are accepted, relative to a bare loop of the same POSTs. Then callbacks per second, each
// acknowledged when its receipt is durable, relative to the bare route. The result is the median of the submit ratios.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { sql } from '../src/kit/postgres/sql.js'
import { median, sendLoad } from './accept.js'
import { measureLoad } from './load.js'
import { CONCURRENCY, measureBarePosts, type ProviderPeer, startProvider } from './provider-peer.js'
import {
  cpuUs,
  databaseCpuUs,
  openStage,
  type Running,
  type Stage,
  startBare,
  startServer,
} from './stage.js'

const ROUNDS = 3
const BATCHES = 4
const BATCH_SIZE = 1_000
const MESSAGES = BATCHES * BATCH_SIZE
const SUBMITS_TARGET = 500
const CALLS_TARGET = 1_000

/** CPU time for one, in microseconds. */
interface Used {
  service: number
  database: number
}

interface Round {
  barePosts: number
  bareRoute: number
  submits: number
  submitUs: Used
  calls: number
  callUs: Used
  failures: number
  left: number
}

export async function run() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-bench-carriers-'))
  const peer = await startProvider()
  const stage = await openStage()
  const bare = await startBare()
  const server = await startServer(stage, settingsOf(folder, peer))
  const rounds: Round[] = []
  await takeRound({ stage, server, bare, peer }) // warm-up
  for (let i = 0; i < ROUNDS; i += 1) rounds.push(await takeRound({ stage, server, bare, peer }))
  await server.stop()
  await bare.stop()
  await stage.close()
  peer.stop()
  rmSync(folder, { recursive: true })
  return resultOf(rounds)
}

function settingsOf(folder: string, { url, publicKey }: ProviderPeer): Record<string, string> {
  const file = path.join(folder, 'carriers.json')
  const link = { name: 'upstream', kind: 'telnyx', url, publicKey, concurrency: CONCURRENCY }
  writeFileSync(file, JSON.stringify({ links: [{ ...link, apiKey: 'KEY' }] }))
  return {
    LONGCODE_CARRIERS: file,
    LONGCODE_PUBLIC_URL: 'https://bench.test',
    LONGCODE_LOG_LEVEL: 'error',
  }
}

async function takeRound(on: {
  stage: Stage
  server: Running
  bare: Running
  peer: ProviderPeer
}): Promise<Round> {
  const { stage, server, bare, peer } = on
  const barePosts = await measureBarePosts(peer.url)
  const { perSecond: bareRoute } = await measureLoad({
    ...{ ...sendLoad(stage), port: bare.port, seconds: 2 },
  })
  const used = meterOf(stage, server)
  const goal = (await peer.taken()) + MESSAGES
  await used()
  const started = performance.now()
  for (let i = 0; i < BATCHES; i += 1) await sendBatch(stage, server)
  while ((await peer.taken()) < goal) await pause(0.02)
  const submits = MESSAGES / ((performance.now() - started) / 1000)
  await drain(stage, 'SENT')
  const submitUs = await used()
  const calls = await peer.callBack(server.port)
  const left = await drain(stage, 'DELIVERED')
  const callUs = await used()
  return {
    ...{ barePosts, bareRoute, submits, submitUs, callUs, left },
    calls: calls.count / calls.seconds,
    failures: calls.failures,
  }
}

/** Returns the cost per message since the last call. */
function meterOf({ db }: Stage, { pid }: Running): () => Promise<Used> {
  let last = { service: 0, database: 0 }
  return async () => {
    const now = { service: cpuUs(pid), database: await databaseCpuUs(db) }
    const service = (now.service - last.service) / MESSAGES
    const database = (now.database - last.database) / MESSAGES
    last = now
    return { service, database }
  }
}

type Figure = Exclude<keyof Round, 'submitUs' | 'callUs'>

function resultOf(rounds: readonly Round[]) {
  const all = (key: Figure) => rounds.map((round) => Math.round(round[key])).join(' ')
  const sum = (key: Figure) => rounds.reduce((total, round) => total + round[key], 0)
  const submits = rounds.map((round) => round.submits / round.barePosts)
  const calls = rounds.map((round) => round.calls / round.bareRoute)
  const ratios = (of: readonly number[]) => of.map((ratio) => ratio.toFixed(2)).join(' ')
  return {
    lines: [
      `bare POSTs  ${all('barePosts')} a second, ${CONCURRENCY} concurrent`,
      `submits     ${all('submits')} a second through one link, ${CONCURRENCY} concurrent (target ${SUBMITS_TARGET})`,
      `ratios      ${ratios(submits)}`,
      `each        ${wordsOf(rounds.map(({ submitUs }) => submitUs))}, including acceptance`,
      `bare route  ${all('bareRoute')} a second`,
      `callbacks   ${all('calls')} a second, each acknowledged once its receipt is durable (target ${CALLS_TARGET})`,
      `ratios      ${ratios(calls)}`,
      `each        ${wordsOf(rounds.map(({ callUs }) => callUs))}`,
      `afterwards  ${sum('left')} messages were not DELIVERED, ${sum('failures')} failures`,
    ],
    ratio: median(submits),
  }
}

/** What two cores could do if nothing else ran, and the CPU time it used. */
function wordsOf(used: readonly Used[]): string {
  const service = median(used.map((one) => one.service))
  const database = median(used.map((one) => one.database))
  const perSecond = Math.round(1_000_000 / Math.max(service, (service + database) / 2))
  return `${Math.round(service)} µs service CPU and ${Math.round(database)} µs database CPU: ${perSecond} a second on two cores`
}

async function sendBatch({ token, campaignId: campaign }: Stage, { port }: Running): Promise<void> {
  const messages = Array.from({ length: BATCH_SIZE }, (_, i) => ({
    ...{ campaign, to: '+14155550107', body: `Your table ${i} is ready` },
  }))
  const reply = await fetch(`http://127.0.0.1:${port}/v1/message/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages }),
  })
  if (!reply.ok) throw new Error(`a batch was refused: ${reply.status} ${await reply.text()}`)
}

/** Waits until everything has arrived, and after a while returns the number of missing messages. */
async function drain({ db }: Stage, status: 'SENT' | 'DELIVERED'): Promise<number> {
  for (let attempts = 0; ; attempts += 1) {
    const [row] = await db.query<{ count: number }>(sql`
      select count(*)::int as count from messages where status not in (${status}, 'DELIVERED')`)
    if (row!.count === 0 || attempts === 240) return row!.count
    await pause(0.5)
  }
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
