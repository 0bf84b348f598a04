// Opening a thread in an inbox of a million conversations (`--rows` sets another number): the requests that the console
// sends, at the same time, for random threads. The result is the slowest of twenty (p95) over the target of 100 ms.

import { parseArgs } from 'node:util'
import { idFloor } from '../src/kit/ids.js'
import { sql } from '../src/kit/postgres/sql.js'
import { openStage, type Running, type Stage, startServer } from './stage.js'

const TARGET_MS = 100
const OPENED = 500
const WARM_UP = 50
const PORTION = 50_000
const DAY_MS = 24 * 3_600_000

export async function run() {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { rows: { type: 'string', default: '1000000' } },
  })
  const rows = Number(values.rows)
  const stage = await openStage()
  await fill(stage, rows)
  const server = await startServer(stage, { LONGCODE_ROLES: 'api', LONGCODE_RATE_LIMIT: '0' })
  const threads = await timesOf(OPENED, () => openThread(server, stage, rows))
  const views = await timesOf(OPENED / 5, () => openView(server, stage))
  await server.stop()
  await stage.close()
  return {
    lines: [
      `${rows} conversations of one account, each with a send and a reply, half of them waiting`,
      `opening a thread (6 requests at once)      ${describe(threads)}`,
      `opening the view "waiting" with its counts ${describe(views)}`,
    ],
    ratio: percentile(threads, 95) / TARGET_MS,
  }
}

/** A send to each recipient, and a reply that came a day later. */
async function fill(stage: Stage, rows: number): Promise<void> {
  for (let first = 0; first < rows; first += PORTION) {
    const at = new Date(Date.now() - 60 * DAY_MS + (first / rows) * 50 * DAY_MS)
    await addMessages(stage, { first, at, direction: 'OUTBOUND' })
    await addMessages(stage, { first, at: new Date(at.getTime() + DAY_MS), direction: 'INBOUND' })
  }
  await stage.db.patient.query(sql`
    insert into conversations (account_id, campaign_id, recipient, status, is_unread, updated_at, position, is_waiting)
    select account_id, campaign_id, peer, 'OPEN', right(peer, 1) < '3', created_at, id, right(peer, 1) < '5'
    from messages where account_id = ${stage.accountId} and direction = 'INBOUND'`)
  await stage.db.patient.query({ name: '', text: 'vacuum analyze', values: [] })
}

async function addMessages(
  { db, accountId, campaignId }: Stage,
  { first, at, direction }: { first: number; at: Date; direction: 'OUTBOUND' | 'INBOUND' },
): Promise<void> {
  const head = idFloor('msg', at).slice(0, 14) + (direction === 'INBOUND' ? '1' : '0')
  await db.patient.query(sql`
    insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body, num_segments,
      price_micros, status, sequence, attempts, created_at, updated_at)
    select ${accountId}, ${head} || lpad(n::text, 15, '0'), ${campaignId}, 'SMS', ${direction}, '+14155550000',
      '+1212' || lpad((${first}::int + n)::text, 7, '0'), 'open', 'Your table is ready', 1, 7900, 'DELIVERED', 2, 1, ${at}, ${at}
    from generate_series(1, ${PORTION}::int) n`)
}

/** What console/src/pages/conversations requests for one thread. */
function openThread(server: Running, stage: Stage, rows: number): Promise<unknown> {
  const digits = `1212${String(1 + Math.floor(Math.random() * rows)).padStart(7, '0')}`
  const { campaignId } = stage
  const conversation = `/v1/campaign/${campaignId}/conversations/${digits}`
  return getAll(server, stage, [
    conversation,
    `${conversation}/notes?limit=100`,
    `/v1/message/search?campaign=${campaignId}&number=%2B${digits}&limit=50`,
    `/v1/campaign/${campaignId}/optouts/${digits}`,
    `/v1/conversation/list?number=%2B${digits}&limit=50`,
    `/v1/contact/list?numbers=%2B${digits}`,
  ])
}

function openView(server: Running, stage: Stage): Promise<unknown> {
  return getAll(server, stage, ['/v1/inbox/list?view=waiting&limit=50', '/v1/inbox/counts'])
}

function getAll({ port }: Running, { token }: Stage, paths: readonly string[]): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` }
  return Promise.all(
    paths.map(async (path) => {
      const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
      const text = await reply.text()
      if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${text}`)
    }),
  )
}

/** Milliseconds of each attempt, in ascending order. */
async function timesOf(count: number, attempt: () => Promise<unknown>): Promise<number[]> {
  for (let i = 0; i < WARM_UP; i += 1) await attempt()
  const times: number[] = []
  for (let i = 0; i < count; i += 1) {
    const startedAt = performance.now()
    await attempt()
    times.push(performance.now() - startedAt)
  }
  return times.sort((a, b) => a - b)
}

const percentile = (sorted: readonly number[], percent: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))]!

const describe = (times: readonly number[]) =>
  `p50 ${percentile(times, 50).toFixed(1)} ms, p95 ${percentile(times, 95).toFixed(1)} ms, p99 ${percentile(times, 99).toFixed(1)} ms`
