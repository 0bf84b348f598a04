// The p99 of one customer's sends while another customer, with many recent messages, keeps twelve statistics requests
// open, relative to the p99 without them. Both alternate in one run, and the median ratio counts. Target: 1.5 or less.

import { parseArgs } from 'node:util'
import { median, sendLoad } from './accept.js'
import { addMessages, countRows } from './counted-rows.js'
import { type LoadResult, measureLoad } from './load.js'
import { addCustomer, cpuUs, openStage, startServer } from './stage.js'

const REPORTS = 12
const SENDERS = 8
const ROUNDS = 9
const SECONDS = 4
const RECENT = '560000'
const RECENT_MS = 50 * 60_000

export async function run() {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { rows: { type: 'string', default: RECENT } },
  })
  const rows = Number(values.rows)
  const stage = await openStage()
  const busy = await addCustomer(stage.db)
  const now = Date.now()
  await addMessages(stage.db, busy, { rows, fromMs: now - RECENT_MS, untilMs: now })
  await countRows(stage.db, busy, new Date(now))
  const server = await startServer(stage, { LONGCODE_ROLES: 'api', LONGCODE_RATE_LIMIT: '0' })
  const load = { ...sendLoad(stage), port: server.port, connections: SENDERS, seconds: SECONDS }
  const alone: Round[] = []
  const shared: Round[] = []
  const takeTurn = async (): Promise<Round> => {
    const before = cpuUs(server.pid)
    const result = await measureLoad(load)
    return { ...result, cores: (cpuUs(server.pid) - before) / (SECONDS * 1_000_000) }
  }
  const answers = new Map<number, number>()
  await measureLoad(load) // warm-up
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(await takeTurn())
    const end = startReports(server.port, busy.token, answers)
    shared.push(await takeTurn())
    await end()
  }
  await server.stop()
  await stage.close()
  return report(rows, alone, shared, answers)
}

/** Also measures the cores that the service used: one process cannot use more than one. */
type Round = LoadResult & { cores: number }

function report(
  rows: number,
  alone: readonly Round[],
  shared: readonly Round[],
  answers: ReadonlyMap<number, number>,
) {
  const ratios = shared.map(({ p99Ms }, i) => p99Ms / alone[i]!.p99Ms)
  const failures = shared.reduce((sum, one) => sum + one.failures, 0)
  const times = (results: readonly Round[]) =>
    results.map(({ p99Ms }) => p99Ms.toFixed(1)).join(' ')
  const use = (results: readonly Round[]) => {
    const sends = Math.round(median(results.map(({ perSecond }) => perSecond)))
    return `${sends} sends a second, ${median(results.map(({ cores }) => cores)).toFixed(2)} cores of the service`
  }
  const statuses = [...answers].map(([status, count]) => `${count} × ${status}`)
  return {
    lines: [
      `${REPORTS} concurrent reports of a customer with ${rows} recent messages, next to ${SENDERS} senders of another customer`,
      `p99 alone        ${times(alone)} ms`,
      `p99 next to them ${times(shared)} ms, ${failures} failures`,
      `alone            ${use(alone)}`,
      `next to them     ${use(shared)}`,
      `reports          ${statuses.join(', ')}`,
      `ratios           ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}`,
    ],
    ratio: median(ratios),
  }
}

/** Keeps all requests open until it is stopped. */
function startReports(
  port: number,
  token: string,
  answers: Map<number, number>,
): () => Promise<void> {
  let isOver = false
  const headers = { authorization: `Bearer ${token}` }
  const ask = async () => {
    while (!isOver) {
      const { status } = await fetch(`http://127.0.0.1:${port}/v1/stats/messages`, { headers })
      answers.set(status, (answers.get(status) ?? 0) + 1)
    }
  }
  const asking = Promise.all(Array.from({ length: REPORTS }, ask))
  return async () => {
    isOver = true
    await asking
  }
}
