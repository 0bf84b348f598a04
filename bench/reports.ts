// Database CPU per report, with ten thousand messages and with a million, or with `--rows 10000000` (12 GB of disk).
// Of these, 5.6% are of the last hour and 10% wait in the queue, with as many webhooks. Target: 50 ms at any number.

import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { addDeliveries, addMessages, countRows } from './counted-rows.js'
import { spent, usedByDatabase } from './growth/used-cpu.js'
import { openStage, type Stage, startServer } from './stage.js'

const SMALL = 10_000
const REQUESTS = 20
/** Data that the service caches for some seconds is requested less often. */
const KEPT_REQUESTS = 4
const KEPT_MS = 5_500
const MINUTE_MS = 60_000
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
  const small = await measureWith(SMALL)
  const large = await measureWith(rows)
  const most = Math.max(...large.map(({ ms }) => ms))
  return {
    lines: [
      `database CPU per request, with ${SMALL} → ${rows} messages, 5.6% from the last hour, 10% queued (target: 50 ms)`,
      ...large.map(
        ({ name, ms }, i) => `${name.padEnd(24)} ${small[i]!.ms.toFixed(1)} → ${ms.toFixed(1)} ms`,
      ),
    ],
    ratio: most / 50,
  }
}

async function measureWith(rows: number): Promise<Cost[]> {
  const stage = await openStage()
  await fill(stage, rows)
  const costs = await measure(stage)
  await stage.close()
  return costs
}

interface Cost {
  name: string
  ms: number
}

export async function measure(stage: Stage): Promise<Cost[]> {
  const server = await startServer(stage, {
    ...{ LONGCODE_ROLES: 'api', LONGCODE_RATE_LIMIT: '0', LONGCODE_OPERATOR_TOKEN: OPERATOR },
  })
  const results: Cost[] = []
  for (const report of reportsOf(stage)) {
    const token = report.isOperators ? OPERATOR : stage.token
    const ask = () => get(server.port, report.path, token)
    for (let i = 0; i < 8; i += 1) await ask() // warm-up: plans and pages
    const count = report.isKept ? KEPT_REQUESTS : REQUESTS
    let usedUs = 0
    for (let i = 0; i < count; i += 1) {
      if (report.isKept) await sleep(KEPT_MS)
      // Measured around each request, because idle connections end and their CPU time is lost.
      const before = await usedByDatabase(stage.db)
      await ask()
      usedUs += spent(before, await usedByDatabase(stage.db))
    }
    results.push({ name: report.name, ms: usedUs / count / 1000 })
    console.log(`${report.name} ${(usedUs / count / 1000).toFixed(1)} ms`)
  }
  await server.stop()
  return results
}

async function get(port: number, path: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
}

/** Of ten million: 560,000 in the last hour, a million queued with as many webhooks, and the rest over ninety days. */
export async function fill(stage: Stage, rows: number): Promise<void> {
  const { db } = stage
  const now = Date.now()
  const recent = Math.round(rows * 0.056)
  const queued = Math.round(rows * 0.1)
  const lastHour = { fromMs: now - HOUR_MS, untilMs: now - MINUTE_MS }
  await addMessages(db, stage, {
    ...{ rows: rows - recent - queued, fromMs: now - 90 * DAY_MS, untilMs: now - HOUR_MS },
  })
  await addMessages(db, stage, { rows: recent, ...lastHour })
  await addMessages(db, stage, { rows: queued, ...lastHour, isQueued: true })
  await addDeliveries(db, stage, queued, new Date(now))
  await countRows(db, stage, new Date(now))
}
