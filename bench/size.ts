// The disk space of a message: bytes per table and of the write-ahead log, for sends with keys that became DELIVERED
// and were reported to one webhook. All roles in one process, at full speed. Two rounds: after the first, all tables
// are vacuumed, as autovacuum does every minute, and the growth in the second round counts. So the space of deleted
// rows is reused as in normal operation, and the rows of the second round are stored as written. (Tables are not
// truncated, because on a busy day there is always a row at the end.)

import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import type { Database } from '../src/kit/postgres/db.js'
import { sql } from '../src/kit/postgres/sql.js'
import { openStage, type Stage, startServer } from './stage.js'

/** Another number may be given, as in `npm run bench -- size 100000`. */
const MESSAGES = Number(process.argv[3] ?? 24_000)
const CONNECTIONS = 64
/** SENT and DELIVERED, each sent to the one webhook. */
const EVENTS = 2
const TARGET_KB = 3.5
/** Tables below this size per message are omitted from the list but counted in the sum. */
const SHOWN_BYTES = 5

export async function run(): Promise<{ lines: string[]; ratio: number }> {
  const stage = await openStage()
  const receiver = await startReceiver()
  const server = await startServer(stage)
  try {
    const post = poster(stage, server.port)
    await post(`/v1/campaign/${stage.campaignId}/webhooks`, {
      url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
      eventTypes: ['message.status'],
    })
    const empty = await takeStock(stage.db)
    await runRound(stage, post, 1)
    const first = await takeStock(stage.db)
    await stage.db.patient.query({ name: '', text: 'vacuum (truncate false)', values: [] })
    const before = await takeStock(stage.db)
    const seconds = await runRound(stage, post, 2)
    const after = await takeStock(stage.db)
    return report({ empty, first, before, after }, seconds)
  } finally {
    await server.stop()
    receiver.close()
    await stage.close()
  }
}

/** Waits until everything has arrived. Returns the number of seconds. */
async function runRound(stage: Stage, post: Post, nth: number): Promise<number> {
  const startedAt = performance.now()
  await sendAll(stage, post)
  await untilDelivered(stage.db, nth * MESSAGES)
  const seconds = (performance.now() - startedAt) / 1000
  await sleep(1_000) // for writes after the last delivery
  return seconds
}

interface Size {
  heap: number
  index: number
  toast: number
}

interface Stock {
  wal: number
  tables: Map<string, Size>
}

async function takeStock(db: Database): Promise<Stock> {
  const [row] = await db.query<{ wal: string }>(sql`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as wal`)
  // A partition counts as a part of its table. The free space map and the like belong to the heap.
  const rows = await db.query<{ name: string } & Record<keyof Size, string>>(sql`
    select coalesce(pg_partition_root(c.oid), c.oid::regclass)::text as name,
      sum(pg_table_size(c.oid) - toast.bytes)::text as heap,
      sum(pg_indexes_size(c.oid))::text as index, sum(toast.bytes)::text as toast
    from pg_class c cross join lateral (
      select coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0) as bytes) toast
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    group by 1`)
  const tables = rows.map(({ name, heap, index, toast }) => {
    const size: Size = { heap: Number(heap), index: Number(index), toast: Number(toast) }
    return [name, size] as const
  })
  return { wal: Number(row!.wal), tables: new Map(tables) }
}

type Post = (path: string, body: object, headers?: Record<string, string>) => Promise<void>

function poster({ token }: Stage, port: number): Post {
  const agent = new Agent({ connections: CONNECTIONS })
  const origin = `http://127.0.0.1:${port}`
  return async (path, body, headers = {}) => {
    const reply = await agent.request({
      origin,
      path,
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    })
    if (reply.statusCode >= 300) throw new Error(await reply.body.text())
    await reply.body.dump()
  }
}

/** Each with its own key and different recipients, as in production. */
async function sendAll({ campaignId }: Stage, post: Post): Promise<void> {
  let sent = 0
  const worker = async (): Promise<void> => {
    while (sent < MESSAGES) {
      const nth = sent++
      const to = `+1628200${String(nth % 10_000).padStart(4, '0')}` // not a magic number
      const body = 'Your table is ready'
      const message = { campaign: campaignId, to, body, metadata: { order: String(nth) } }
      await post('/v1/message/send', message, { 'idempotency-key': randomUUID() })
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
}

async function untilDelivered(db: Database, messages: number): Promise<void> {
  for (let attempts = 0; attempts < 240; attempts += 1) {
    const [row] = await db.query<{ messages: number; deliveries: number }>(sql`
      select (select count(*)::int from messages where status = 'DELIVERED') as messages,
        (select count(*)::int from event_arrivals) as deliveries`)
    if (row!.messages === messages && row!.deliveries === messages * EVENTS) return
    await sleep(500)
  }
  throw new Error('the messages or their webhooks did not arrive')
}

async function startReceiver(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.end('ok'))
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return server
}

function growthOf(before: Stock, after: Stock): ({ name: string } & Size)[] {
  return [...after.tables].map(([name, size]) => {
    const was = before.tables.get(name) ?? { heap: 0, index: 0, toast: 0 }
    const per = (part: keyof Size) => (size[part] - was[part]) / MESSAGES
    return { name, heap: per('heap'), index: per('index'), toast: per('toast') }
  })
}

function report(
  { empty, first, before, after }: Record<'empty' | 'first' | 'before' | 'after', Stock>,
  seconds: number,
): { lines: string[]; ratio: number } {
  const grown = growthOf(before, after)
  const totalOf = ({ heap, index, toast }: Size) => heap + index + toast
  const sumOf = (sizes: Size[]) => sizes.reduce((sum, size) => sum + totalOf(size), 0)
  grown.sort((a, b) => totalOf(b) - totalOf(a))
  const sum = (part: keyof Size) => grown.reduce((total, one) => total + one[part], 0)
  const all = { name: 'all', heap: sum('heap'), index: sum('index'), toast: sum('toast') }
  const shown = grown.filter((one) => totalOf(one) >= SHOWN_BYTES)
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(20) : cell.padStart(8)))
      .join('')
      .trimEnd()
  const whole = (bytes: number) => bytes.toFixed(0)
  const perMessage = (bytes: number) => (bytes / 1000).toFixed(2)
  return {
    ratio: totalOf(all) / 1000,
    lines: [
      `${MESSAGES} keyed messages, ${EVENTS} webhooks each, in ${seconds.toFixed(0)} s; bytes per message`,
      line(['table', 'heap', 'index', 'toast', 'all']),
      ...[...shown, all].map((one) =>
        line([one.name, ...[one.heap, one.index, one.toast, totalOf(one)].map(whole)]),
      ),
      `delivery queue ${(totalOf(after.tables.get('event_deliveries')!) / 1e6).toFixed(1)} MB, reused`,
      `into an empty database ${perMessage(sumOf(growthOf(empty, first)))} kB per message, including unvacuumed rows`,
      `write-ahead log ${perMessage((after.wal - before.wal) / MESSAGES)} kB per message`,
      `kB per message ${perMessage(totalOf(all))} (target ${TARGET_KB.toFixed(2)})`,
    ],
  }
}
