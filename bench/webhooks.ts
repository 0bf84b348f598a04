// Webhooks: deliveries per second, relative to a bare loop of POSTs to the same receiver in the same run, and the
// effect of ten dead endpoints and a slow one on a healthy endpoint.

import { type ChildProcess, fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Agent } from 'undici'
import { appendPieces } from '../src/events/append-queries.js'
import { newId } from '../src/kit/ids.js'
import { plainArray } from '../src/kit/postgres/pg-array.js'
import { nameOf, sql } from '../src/kit/postgres/sql.js'
import { cpuUs, databaseCpuUs, openStage, type Stage, startServer } from './stage.js'

/** The bare loop and the service alternate, so other programs hardly affect the median ratio. */
const ROUNDS = 5
const DELIVERIES = 24_000
const WEBHOOKS = 4
/** Warm-up of both. */
const WARM_UP = 12_000
const BARE_REQUESTS = 24_000
const BARE_CONNECTIONS = 64
const BODY_BYTES = 900 // of a usual event
const DEAD = 10
const SENDS = 400
const SEND_EVERY_MS = 20
const SLOW_MS = 3_000

interface Tally {
  count: number
  seconds: number
  /** Times from the event to its arrival, sorted. */
  latenciesMs: number[]
}

export async function run(): Promise<{ lines: string[]; ratio: number }> {
  const receiver = await startReceiver()
  const stage = await openStage()
  try {
    const bares = [await measureBare(receiver.okUrl)]
    const rounds = []
    for (let i = 0; i < ROUNDS; i += 1) {
      const measured = await measureDeliveries(stage, receiver)
      bares.push(await measureBare(receiver.okUrl))
      const bare = (bares[i]! + bares[i + 1]!) / 2
      rounds.push({ ...measured, bare, ratio: measured.perSecond / bare })
    }
    rounds.sort((a, b) => a.ratio - b.ratio)
    const { ratio, serviceUs, databaseUs } = rounds[Math.floor(ROUNDS / 2)]!
    const alone = await measureNeighbour(stage, receiver, 0)
    const withDead = await measureNeighbour(stage, receiver, DEAD)
    return {
      ratio,
      lines: [
        ...rounds.map(
          (round) =>
            `bare loop of POSTs ${Math.round(round.bare)}/s, deliveries ${Math.round(round.perSecond)}/s: ${round.ratio.toFixed(2)} (target 0.30)`,
        ),
        `each ${serviceUs} µs service CPU and ${databaseUs} µs database CPU`,
        `healthy endpoint alone: median ${alone.p50.toFixed(1)} ms, p99 ${alone.p99.toFixed(1)} ms`,
        `next to ${DEAD} dead and a slow one: median ${withDead.p50.toFixed(1)} ms, p99 ${withDead.p99.toFixed(1)} ms, ${(withDead.p99 / alone.p99).toFixed(2)} × alone (target at most 1.50)`,
      ],
    }
  } finally {
    receiver.stop()
    await stage.close()
  }
}

/** A backlog of new events, delivered by a warm process that was paused while they happened. */
async function measureDeliveries(stage: Stage, receiver: Receiver) {
  const { db } = stage
  for (let i = 0; i < WEBHOOKS; i += 1) await addWebhook(stage, `${receiver.okUrl}/${i}`)
  await addEvents(stage, WARM_UP / WEBHOOKS)
  await receiver.reset()
  const server = await startServer(stage, { LONGCODE_ROLES: 'deliver' })
  await receiver.awaitCount(WARM_UP)

  const before = await whileAsleep(server.pid, async () => {
    for (let made = 0; made < DELIVERIES; made += 1_000 * WEBHOOKS) await addEvents(stage, 1_000)
    await db.query(sql`vacuum analyze`)
    await receiver.reset()
    return [cpuUs(server.pid), await databaseCpuUs(db)] as const
  })
  const tally = await receiver.awaitCount(DELIVERIES)
  const after = [cpuUs(server.pid), await databaseCpuUs(db)] as const
  await server.stop()
  await removeWebhooks(stage)
  return {
    perSecond: tally.count / tally.seconds,
    serviceUs: Math.round((after[0] - before[0]) / DELIVERIES),
    databaseUs: Math.round((after[1] - before[1]) / DELIVERIES),
  }
}

async function whileAsleep<T>(pid: number, work: () => Promise<T>): Promise<T> {
  process.kill(pid, 'SIGSTOP')
  try {
    return await work()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

async function measureNeighbour(stage: Stage, receiver: Receiver, dead: number) {
  await addWebhook(stage, receiver.okUrl)
  for (let i = 0; i < dead; i += 1) await addWebhook(stage, `${receiver.deadUrl}/${i}`)
  if (dead > 0) await addWebhook(stage, receiver.slowUrl)
  const server = await startServer(stage)
  await sendMessages(stage, server.port, 50) // warm
  await sleep(1_000)
  await receiver.reset()
  await sendMessages(stage, server.port, SENDS)
  const { latenciesMs } = await receiver.awaitCount(SENDS * 2)
  await server.stop()
  await removeWebhooks(stage)
  const at = (share: number) => latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

async function sendMessages(stage: Stage, port: number, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const reply = await fetch(`http://127.0.0.1:${port}/v1/message/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ campaign: stage.campaignId, to: '+14155550109', body: 'Hello' }),
    })
    if (!reply.ok) throw new Error(await reply.text())
    await reply.arrayBuffer()
    await sleep(SEND_EVERY_MS)
  }
}

export async function addWebhook({ db, accountId, campaignId }: Stage, url: string): Promise<void> {
  const now = new Date()
  const id = newId('whk', now)
  await db.query(sql`
    insert into webhooks (account_id, id, campaign_id, url, signature, secret, created_at, updated_at)
    values (${accountId}, ${id}, ${campaignId}, ${url}, 'bench', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      ${now}, ${now})`)
  await db.query(sql`
    insert into event_subscriptions (account_id, subscriber_id, campaign_id, event_types)
    values (${accountId}, ${id}, ${campaignId}, '{message.status}')`)
}

async function removeWebhooks({ db }: Stage): Promise<void> {
  const deliveries = ['delivery_batches', 'event_deliveries', 'event_arrivals', 'webhook_attempts']
  for (const table of ['webhooks', 'event_subscriptions', ...deliveries]) {
    await db.query({ name: '', text: `truncate ${table}`, values: [] })
  }
}

const ADD_EVENTS = `
  with source as (
    select * from unnest($3::text[], $4::text[]) as given (id, message_id)
    cross join (select 'message.status' as event_type, $5::text as campaign_id,
      '+14152000000' as number, 1::smallint as sequence, 'SENT' as status,
      'QUEUED' as previous_status, null::integer as error_code, null::text as error_message,
      null::jsonb as data) same
  ), ${appendPieces({ name: 'source' })}
  select count(*)::int as deliveries from fanned_out`

/** Messages that were sent, each with one event. */
async function addEvents({ db, accountId, campaignId }: Stage, count: number): Promise<void> {
  const now = new Date()
  const messageIds = Array.from({ length: count }, () => newId('msg', now))
  await db.query(sql`
    insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body,
      metadata, num_segments, price_micros, status, sent_at, created_at, updated_at)
    select ${accountId}, id, ${campaignId}, 'SMS', 'OUTBOUND', '+14152000000', '+14155550109',
      'open', 'Your table is ready.', '{"order": "1042"}', 1, 7900, 'READ', ${now}, ${now}, ${now}
    from unnest(${messageIds}::text[]) as id`)
  const eventIds = messageIds.map(() => newId('evt', now))
  await db.query({
    name: nameOf(ADD_EVENTS),
    text: ADD_EVENTS,
    values: [accountId, now, plainArray(eventIds), plainArray(messageIds), campaignId],
  })
}

/** The same requests as fast as the client can make them, without a service behind them. */
async function measureBare(url: string): Promise<number> {
  const child = fork(fileURLToPath(import.meta.url), ['bare', url])
  const [perSecond] = await messageOf<number>(child)
  return perSecond!
}

async function bareLoop(url: string): Promise<number> {
  const agent = new Agent({ connections: BARE_CONNECTIONS })
  const { origin, pathname } = new URL(url)
  const body = JSON.stringify({ createdAt: new Date().toISOString(), text: 'x'.repeat(BODY_BYTES) })
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'bare',
    'x-webhook-signature': 'bench',
    'webhook-id': 'evt_01km3v9w8m0000pqv3t5x7z9bd',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  }
  const post = async (count: number): Promise<void> => {
    let left = count
    const worker = async (): Promise<void> => {
      while (left-- > 0) {
        const reply = await agent.request({ origin, path: pathname, method: 'POST', headers, body })
        await reply.body.dump()
      }
    }
    await Promise.all(Array.from({ length: BARE_CONNECTIONS }, worker))
  }
  await post(WARM_UP)
  const startedAt = performance.now()
  await post(BARE_REQUESTS)
  return BARE_REQUESTS / ((performance.now() - startedAt) / 1000)
}

interface Receiver {
  okUrl: string
  slowUrl: string
  deadUrl: string
  reset: () => Promise<void>
  awaitCount: (count: number) => Promise<Tally>
  stop: () => void
}

export async function startReceiver(): Promise<Receiver> {
  const child = fork(fileURLToPath(import.meta.url), ['receive'])
  const [ok, slow, dead] = await messageOf<number>(child)
  const ask = async <T>(question: object): Promise<T> => {
    const answer = messageOf<T>(child)
    child.send(question)
    return (await answer)[0]!
  }
  return {
    okUrl: `http://127.0.0.1:${ok}/hook`,
    slowUrl: `http://127.0.0.1:${slow}/hook`,
    deadUrl: `http://127.0.0.1:${dead}/hook`,
    reset: () => ask({ want: 'reset' }),
    // Polling must be cheap, so only the last response includes the latencies.
    awaitCount: async (count) => {
      for (let attempts = 0; attempts < 1_200; attempts += 1) {
        if ((await ask<number>({ want: 'count' })) >= count) return ask<Tally>({ want: 'tally' })
        await sleep(100)
      }
      throw new Error('the deliveries did not arrive')
    },
    stop: () => child.kill('SIGKILL'),
  }
}

function messageOf<T>(child: ChildProcess): Promise<T[]> {
  return new Promise((resolve) => child.once('message', (message) => resolve(message as T[])))
}

/** The receiving process: one port that responds, one that is slow, and one that never responds. */
async function receive(): Promise<void> {
  let count = 0
  let firstAt = 0
  let lastAt = 0
  let latencies: number[] = []
  const ok = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      lastAt = performance.now()
      if (count === 0) firstAt = lastAt
      count += 1
      latencies.push(Date.now() - Date.parse(/"createdAt":"([^"]+)"/.exec(text)?.[1] ?? ''))
      response.end('ok')
    })
  })
  const slow = createServer((_, response) => setTimeout(() => response.end('ok'), SLOW_MS))
  const dead = createServer(() => {})
  const ports: number[] = []
  for (const server of [ok, slow, dead]) {
    server.listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    ports.push((server.address() as AddressInfo).port)
  }
  process.send!(ports)
  process.on('message', ({ want }: { want: 'count' | 'tally' | 'reset' }) => {
    if (want === 'reset') {
      count = 0
      latencies = []
    }
    if (want !== 'tally') return process.send!([count])
    latencies.sort((a, b) => a - b)
    return process.send!([
      { count, seconds: (lastAt - firstAt) / 1000, latenciesMs: latencies } satisfies Tally,
    ])
  })
}

if (process.argv[2] === 'receive' && process.send) await receive()
if (process.argv[2] === 'bare' && process.send) {
  process.send([await bareLoop(process.argv[3]!)], () => process.exit(0))
}
