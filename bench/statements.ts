// `npm run bench -- statements [--only SCENARIO] [--webhook]`: where the database's time and its write-ahead log go.
// For each statement: executions, planning time, execution time, and log per message; for each relation: log and how
// many updates stayed on their page. Times are elapsed times inside PostgreSQL with pg_stat_statements loaded, so they
// are larger than CPU time on a busy machine. Compare them with each other, not with other benchmarks.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Database } from '../src/kit/postgres/db.js'
import { sql } from '../src/kit/postgres/sql.js'
import { sendLoad } from './accept.js'
import { drain, startSmsc } from './cost.js'
import { measureLoad } from './load.js'
import { databaseCpuUs, openStage, type Stage, startServer } from './stage.js'

const SECONDS = 8
const WARM_UP_S = 3
const SHOWN_US = 0.15
const SHOWN_WAL = 8
const NAME_CHARS = 96

const SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
}

const SCENARIOS = [
  { name: 'accept', env: { LONGCODE_ROLES: 'api' }, isSmpp: false, isDelivered: false },
  { name: 'simulator', env: {}, isSmpp: false, isDelivered: true },
  { name: 'smpp', env: {}, isSmpp: true, isDelivered: true },
]

export async function run(): Promise<{ lines: string[]; ratio: number }> {
  const at = process.argv.indexOf('--only')
  const only = at === -1 ? null : process.argv[at + 1]
  const lines: string[] = []
  let ratio = 0
  for (const scenario of SCENARIOS) {
    if (only && scenario.name !== only) continue
    const measured = await measure(scenario)
    lines.push(scenario.name, ...measured.lines)
    ratio = measured.totalUs
  }
  return { lines, ratio }
}

async function measure({ env, isSmpp, isDelivered }: (typeof SCENARIOS)[number]) {
  const stage = await openStage({ settings: SETTINGS })
  const smsc = isSmpp ? await startSmsc() : null
  const server = await startServer(stage, { ...env, ...smsc?.env })
  const receiver = process.argv.includes('--webhook') ? await addWebhook(stage, server.port) : null
  const load = { ...sendLoad(stage), port: server.port, warmUpSeconds: 0 }
  const send = async (seconds: number) => {
    await measureLoad({ ...load, seconds })
    if (isDelivered) await drain(stage.db)
    if (receiver) await untilDelivered(stage.db)
  }
  try {
    for (const name of ['pg_stat_statements', 'pg_walinspect']) {
      await stage.db.patient.query(statement(`create extension ${name}`))
    }
    await send(WARM_UP_S)
    const before = await countMessages(stage.db)
    await stage.db.query(statement('select pg_stat_statements_reset()'))
    const start = await takeStock(stage.db)
    await send(SECONDS)
    const end = await takeStock(stage.db)
    const count = (await countMessages(stage.db)) - before
    return await report(stage.db, { start, end, count })
  } finally {
    await server.stop()
    receiver?.close()
    await stage.close()
    smsc?.stop()
  }
}

const statement = (text: string) => ({ name: '', text, values: [] })

interface Stock {
  lsn: string
  cpuUs: number
}

async function takeStock(db: Database): Promise<Stock> {
  const [row] = await db.query<{ lsn: string }>(
    statement('select pg_current_wal_insert_lsn()::text as lsn'),
  )
  return { lsn: row!.lsn, cpuUs: await databaseCpuUs(db) }
}

async function report(
  db: Database,
  { start, end, count }: { start: Stock; end: Stock; count: number },
) {
  const statements = await db.query<Record<string, number> & { text: string }>(
    statement(`
    select regexp_replace(query, '\\s+', ' ', 'g') as text, calls::float8 as calls, plans::float8 as plans,
      total_plan_time * 1000 as plan, total_exec_time * 1000 as exec, wal_bytes::float8 as wal,
      wal_records::float8 as records, wal_fpi::float8 as images
    from pg_stat_statements order by total_plan_time + total_exec_time desc`),
  )
  const per = (value: number) => value / count
  const sum = (key: string) => statements.reduce((total, one) => total + Number(one[key]), 0)
  const line = (one: Record<string, number>, text: string) =>
    `${[one.calls, one.plans, one.plan, one.exec, one.wal, one.records, one.images]
      .map((value, i) =>
        per(value!)
          .toFixed(i === 4 ? 0 : i < 2 || i === 6 ? 4 : 2)
          .padStart(9),
      )
      .join('')}  ${text}`
  const shown = statements.filter(
    (one) => per(one.plan! + one.exec!) >= SHOWN_US || per(one.wal!) >= SHOWN_WAL,
  )
  const keys = ['calls', 'plans', 'plan', 'exec', 'wal', 'records', 'images']
  const all = Object.fromEntries(keys.map((key) => [key, sum(key)]))
  const cpuUs = per(end.cpuUs - start.cpuUs)
  const lines = [
    `${count} messages, ${cpuUs.toFixed(1)} µs database CPU each`,
    'per message: executions, plans, plan µs, exec µs, WAL bytes, WAL records, page images',
    ...shown.map((one) => line(one, shorten(one.text))),
    line(all, 'all'),
    ...(await walLines(db, start, end, count)),
    ...(await tableLines(db, count)),
  ]
  return { lines, totalUs: cpuUs }
}

function shorten(text: string): string {
  const isAccept = text.includes('shared as materialized') && text.includes('counted')
  return (isAccept ? '[accept] ' : '') + text.slice(0, NAME_CHARS)
}

async function walLines(db: Database, start: Stock, end: Stock, count: number): Promise<string[]> {
  const values = [start.lsn, end.lsn]
  const kinds = await db.patient.query<{ name: string; records: number; bytes: number }>({
    name: '',
    text: `select "resource_manager/record_type" as name, count::float8 as records, combined_size::float8 as bytes
      from pg_get_wal_stats($1, $2, true) where combined_size > 0 order by combined_size desc`,
    values,
  })
  const relations = await db.patient.query<{ name: string; records: number; bytes: number }>({
    name: '',
    text: `select coalesce(c.relname, b.relfilenode::text) || ' ' || b.resource_manager || ' ' || b.record_type as name,
        count(*)::float8 as records,
        sum(b.block_data_length + coalesce(b.block_fpi_length, 0))::float8 as bytes
      from pg_get_wal_block_info($1, $2) b left join pg_class c on pg_relation_filenode(c.oid) = b.relfilenode
      group by 1 order by 3 desc`,
    values,
  })
  const show = (rows: typeof kinds) =>
    rows
      .filter(({ bytes, records }) => bytes / count >= SHOWN_WAL || records / count > 0.5)
      .map(
        ({ name, records, bytes }) =>
          `  ${(bytes / count).toFixed(0).padStart(6)} B ${(records / count).toFixed(2).padStart(6)} × ${name}`,
      )
  return ['WAL by kind', ...show(kinds), 'WAL by relation: data and images', ...show(relations)]
}

async function tableLines(db: Database, count: number): Promise<string[]> {
  const rows = await db.query<Record<'name' | 'ins' | 'upd' | 'hot' | 'del', string>>(
    statement(`
    select relname as name, n_tup_ins as ins, n_tup_upd as upd, n_tup_hot_upd as hot, n_tup_del as del
    from pg_stat_user_tables where n_tup_ins + n_tup_upd + n_tup_del > 100 order by n_tup_ins + n_tup_upd desc`),
  )
  return [
    'rows since the start of the database: inserts, updates (HOT), deletes, and messages measured',
    ...rows.map(({ name, ins, upd, hot, del }) => `  ${name} ${ins} ${upd} (${hot}) ${del}`),
    `  ${count}`,
  ]
}

async function countMessages(db: Database): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*)::int as count from messages`)
  return row!.count
}

async function untilDelivered(db: Database): Promise<void> {
  for (let left = 1; left > 0; ) {
    const [row] = await db.query<{ left: number }>(sql`
      select (select count(*) from event_deliveries where state = 'pending')::int
        + (select count(*) from delivery_batches)::int as left`)
    left = row!.left
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

async function addWebhook({ campaignId, token }: Stage, port: number) {
  const receiver = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.end('ok'))
  })
  receiver.listen(0, '127.0.0.1')
  await new Promise((resolve) => receiver.once('listening', resolve))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  const response = await fetch(`http://127.0.0.1:${port}/v1/campaign/${campaignId}/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, eventTypes: ['message.status'] }),
  })
  if (!response.ok) throw new Error(await response.text())
  return receiver
}
