// The database's CPU for every report, with ten thousand messages and with many: a million, or as many as
// `-- reports --rows N` says. Of the many, a quarter is of the last hour and a fifth waits in the queue.
// Target: 50 ms at any number.

import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { idFloor } from '../src/kit/ids.js'
import type { Database } from '../src/kit/postgres/db.js'
import { sql } from '../src/kit/postgres/sql.js'
import { sumAccount } from '../src/messages/usage/sum-usage.js'
import { databaseCpuUs, openStage, type Stage, startServer } from './stage.js'

const SMALL = 10_000
const PORTION = 1_000
const REQUESTS = 20
/** What is kept for some seconds in the service is asked for less often. */
const KEPT_REQUESTS = 4
const KEPT_MS = 5_500
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const OPERATOR = 'opr_bench_0123456789abcdefghijklmnopqrstuvwxyz'

interface Report {
  name: string
  path: string
  isOperators?: boolean
  isKept?: boolean
}

function reportsOf({ campaignId }: Stage): Report[] {
  const before = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
  return [
    { name: 'stats, a day by hour', path: '/v1/stats/messages' },
    { name: 'stats, 31 days by hour', path: `/v1/stats/messages?from=${before(30.9)}&by=carrier` },
    {
      name: 'stats, 90 days by day',
      path: `/v1/stats/messages?bucket=day&from=${before(90)}&by=campaign`,
    },
    { name: 'usage', path: '/v1/account/usage' },
    { name: 'limits', path: `/v1/campaign/${campaignId}/limits` },
    { name: 'balances', path: '/v1/account/balances' },
    { name: 'conversations', path: '/v1/conversation/list' },
    { name: 'handsets', path: '/sandbox/handset' },
    { name: 'a handset', path: '/sandbox/handset/14155550107' },
    { name: 'operator health', path: '/operator/v1/health', isOperators: true, isKept: true },
    { name: '/metrics', path: '/metrics', isOperators: true, isKept: true },
  ]
}

export async function run() {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { rows: { type: 'string', default: '1000000' } },
  })
  const rows = Number(values.rows)
  const small = await measure(SMALL)
  const large = await measure(rows)
  const most = Math.max(...large.map(({ ms }) => ms))
  return {
    lines: [
      `CPU of the database for a request, with ${SMALL} → ${rows} messages, a quarter of the last hour, a fifth in the queue (target: 50 ms)`,
      ...large.map(
        ({ name, ms }, i) => `${name.padEnd(24)} ${small[i]!.ms.toFixed(1)} → ${ms.toFixed(1)} ms`,
      ),
    ],
    ratio: most / 50,
  }
}

async function measure(rows: number): Promise<{ name: string; ms: number }[]> {
  const stage = await openStage()
  await fill(stage, rows)
  const server = await startServer(stage, {
    ...{ LONGCODE_ROLES: 'api', LONGCODE_RATE_LIMIT: '0', LONGCODE_OPERATOR_TOKEN: OPERATOR },
  })
  const results: { name: string; ms: number }[] = []
  for (const report of reportsOf(stage)) {
    const token = report.isOperators ? OPERATOR : stage.token
    const ask = () => get(server.port, report.path, token)
    for (let i = 0; i < 8; i += 1) await ask() // plans are made, pages are read
    const count = report.isKept ? KEPT_REQUESTS : REQUESTS
    let usedUs = 0
    for (let i = 0; i < count; i += 1) {
      if (report.isKept) await sleep(KEPT_MS)
      // Around each request: connections that are idle for long end, and their CPU is not counted any more.
      const before = await databaseCpuUs(stage.db)
      await ask()
      usedUs += Math.max(0, (await databaseCpuUs(stage.db)) - before)
    }
    results.push({ name: report.name, ms: usedUs / count / 1000 })
    console.log(`${rows} messages: ${report.name} ${(usedUs / count / 1000).toFixed(1)} ms`)
  }
  await server.stop()
  await stage.close()
  return results
}

async function get(port: number, path: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
}

/** Over ninety days, then the last hour, then what waits. */
async function fill(stage: Stage, rows: number): Promise<void> {
  const { db } = stage
  const now = Date.now()
  const portions = Math.ceil(rows / PORTION)
  for (let i = 0; i < portions; i += 1) {
    const part = i / portions
    const isRecent = part >= 0.55
    const isQueued = part >= 0.8
    const at = isRecent
      ? now - HOUR_MS + (HOUR_MS - 60_000) * ((part - 0.55) / 0.45)
      : now - 90 * DAY_MS + 89.9 * DAY_MS * (part / 0.55)
    await addPortion(db, stage, i, new Date(at), isQueued)
  }
  await db.query(sql`
    insert into lanes (account_id, campaign_id, route, next_due_at)
    select ${stage.accountId}, ${stage.campaignId}, route, now() from unnest(array['att-sms', 'tmo', 'open']) route`)
  await db.query(sql`
    insert into usage_progress (account_id, begun_at, summed_until) values (${stage.accountId}, now(), 'epoch')`)
  const end = new Date(Math.ceil(now / HOUR_MS) * HOUR_MS)
  await sumAccount(db.patient, stage.accountId, end, new Date(now + 2 * DAY_MS))
  await db.patient.query({ name: '', text: 'vacuum analyze', values: [] })
}

async function addPortion(
  db: Database,
  { accountId, campaignId }: Stage,
  portion: number,
  createdAt: Date,
  isQueued: boolean,
): Promise<void> {
  const head = idFloor('msg', createdAt).slice(0, 14)
  const dueAt = isQueued ? createdAt : null
  await db.patient.query(sql`
    insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body, num_segments,
      price_micros, status, error_code, sequence, attempts, due_at, sent_at, created_at, updated_at)
    select ${accountId}, ${head} || lpad((${portion * PORTION}::int + n)::text, 16, '0'), ${campaignId}, 'SMS',
      'OUTBOUND', '+14155550000', '+1415555' || lpad((n * 7 % 5000)::text, 4, '0'),
      (array['att-sms', 'tmo', 'open'])[1 + n % 3], 'Your table is ready', 1, 7900,
      case when ${isQueued}::boolean then 'QUEUED' when n % 50 = 0 then 'FAILED' else 'DELIVERED' end,
      case when not ${isQueued}::boolean and n % 50 = 0 then 1350 end, 2, 1, ${dueAt}, ${createdAt}, ${createdAt},
      ${createdAt}::timestamptz + (n * n % 9000 + 300) * interval '1 ms'
    from generate_series(1, ${PORTION}::int) n`)
}
