// The p99 of one customer's sends while another customer, with many recent messages, keeps twelve statistics requests
// open, over the p99 without them. Both take turns in one run, and the middle ratio counts. Target: 1.5 or less.

import { parseArgs } from 'node:util'
import { idFloor } from '../src/kit/ids.js'
import { sql } from '../src/kit/postgres/sql.js'
import { median, sendLoad } from './accept.js'
import { type LoadResult, measureLoad } from './load.js'
import { addCustomer, type Customer, openStage, type Stage, startServer } from './stage.js'

const REPORTS = 12
const SENDERS = 8
const ROUNDS = 5
const SECONDS = 4
const RECENT = '560000'
const PORTION = 1_000
const SPREAD_MS = 50 * 60_000

export async function run() {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { rows: { type: 'string', default: RECENT } },
  })
  const stage = await openStage()
  const busy = await addCustomer(stage.db)
  await addRecent(stage, busy, Number(values.rows))
  const server = await startServer(stage, { LONGCODE_ROLES: 'api', LONGCODE_RATE_LIMIT: '0' })
  const load = { ...sendLoad(stage), port: server.port, connections: SENDERS, seconds: SECONDS }
  const alone: LoadResult[] = []
  const shared: LoadResult[] = []
  const answers = new Map<number, number>()
  await measureLoad(load) // compilers and caches get warm
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(await measureLoad(load))
    const end = startReports(server.port, busy.token, answers)
    shared.push(await measureLoad(load))
    await end()
  }
  await server.stop()
  await stage.close()
  return report(Number(values.rows), alone, shared, answers)
}

function report(
  rows: number,
  alone: readonly LoadResult[],
  shared: readonly LoadResult[],
  answers: ReadonlyMap<number, number>,
) {
  const ratios = shared.map(({ p99Ms }, i) => p99Ms / alone[i]!.p99Ms)
  const failures = shared.reduce((sum, one) => sum + one.failures, 0)
  const times = (results: readonly LoadResult[]) =>
    results.map(({ p99Ms }) => p99Ms.toFixed(1)).join(' ')
  const statuses = [...answers].map(([status, count]) => `${count} × ${status}`)
  return {
    lines: [
      `${REPORTS} concurrent reports of a customer with ${rows} recent messages, next to ${SENDERS} senders of another customer`,
      `p99 alone        ${times(alone)} ms`,
      `p99 next to them ${times(shared)} ms, ${failures} failures`,
      `reports          ${statuses.join(', ')}`,
      `ratios           ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}`,
    ],
    ratio: median(ratios),
  }
}

/** Keeps all of them open until it is told to end. */
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

/** Delivered messages of the last hour. */
async function addRecent({ db }: Stage, customer: Customer, rows: number): Promise<void> {
  const portions = Math.ceil(rows / PORTION)
  for (let i = 0; i < portions; i += 1) {
    const createdAt = new Date(Date.now() - SPREAD_MS + (SPREAD_MS * i) / portions)
    const head = idFloor('msg', createdAt).slice(0, 14)
    await db.patient.query(sql`
      insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body, num_segments,
        price_micros, status, sequence, attempts, sent_at, created_at, updated_at)
      select ${customer.accountId}, ${head} || lpad((${i * PORTION}::int + n)::text, 16, '0'), ${customer.campaignId}, 'SMS',
        'OUTBOUND', '+14155550000', '+14155550107', 'open', 'Your table is ready', 1, 7900, 'DELIVERED', 2, 1,
        ${createdAt}, ${createdAt}, ${createdAt}::timestamptz + n * interval '5 ms'
      from generate_series(1, ${PORTION}::int) n`)
  }
  await db.patient.query({ name: '', text: 'vacuum analyze messages', values: [] })
}
