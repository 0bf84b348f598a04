// Real traffic moves every metric of the dashboards, the alerts, and the service levels. The files name the metrics, so
// a new one there needs its line here.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { LinkMeters } from '../../src/carriers/link-meter.js'
import { sql } from '../../src/kit/postgres/sql.js'
import type { CarrierListener } from '../../src/messages/carrier-port.js'
import { OPERATOR_TOKEN, type OperatedService, operatedService } from '../api/operator-service.js'
import { fakeCarrier } from '../fake-carrier.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually } from '../harness.js'
import { ATT, idOf, VZW } from '../sending.js'
import { loseAnswer } from './lost-answer.js'
import { createWebhook, happen, webhookReceiver } from './webhook-receiver.js'

type Scrape = Map<string, number>

interface Scrapes {
  /** A busy service: what it counted, with a broken ledger. */
  working: Scrape
  /** The same a moment later. */
  later: Scrape
  /** A service whose queues nobody works on. */
  idle: Scrape
  /** The same while all of its connections were in use. */
  exhausted: Scrape
  /** The one without a carrier link. */
  linkless: Scrape
  /** One with an SMPP link whose carrier does not respond, while a message is on the wire. */
  waiting: Scrape
  /** The same with the message lost and the link paused. */
  paused: Scrape
  /** How many requests got 429. */
  limited: number
}

type Expected = number | ((value: number, scrapes: Scrapes) => boolean)
type Moved = [of: Exclude<keyof Scrapes, 'limited'>, labels: string, expected: Expected]

const isPositive = (value: number) => value > 0
const http = (method: string, route: string, status: number) =>
  `{method="${method}",route="${route}",status="${status}"}`

/** Measured in the background. */
const AT_QUOTA = 'longcode_accounts_at_quota{quota="webhooks"}'
const POOL_IDLE = 'longcode_database_pool{pool="all",state="idle"}'

const MOVES: Record<string, Moved[]> = {
  longcode_messages_accepted_total: [
    ['working', '', 2],
    ['idle', '', 3],
  ],
  longcode_accept_duration_seconds: [
    ['working', '_count', 2],
    ['working', '_bucket{le="+Inf"}', 2],
    ['working', '_sum', isPositive],
  ],
  longcode_http_requests_total: [
    ['working', http('POST', '/v1/message/send', 200), 2],
    ['working', http('POST', '/v1/message/send', 400), 1],
    ['working', http('GET', '/v1/message/:id', 404), 1],
    ['working', http('GET', '/v1/brand/list', 500), 1],
    ['idle', http('GET', '/v1/account', 401), 1],
    ['idle', http('GET', '/v1/account', 429), (value, { limited }) => value === limited],
  ],
  longcode_queue_waiting: [
    ['idle', '{route="att-sms"}', 2],
    ['idle', '{route="open"}', 1],
  ],
  longcode_queue_oldest_seconds: [
    ['idle', '{route="att-sms"}', (value) => value >= 299],
    ['idle', '{route="open"}', (value) => value >= 299],
  ],
  longcode_lane_waiting: [['idle', 'route="att-sms"', 2]],
  longcode_lane_oldest_seconds: [['idle', 'route="att-sms"', (value) => value >= 299]],
  longcode_time_to_carrier_seconds: [
    ['working', '_count{limited="false"}', 1],
    ['working', '_bucket{limited="false",le="+Inf"}', 1],
    ['working', '_count{limited="true"}', 1],
  ],
  longcode_time_to_webhook_seconds: [
    ['working', '_count', 3],
    ['working', '_bucket{le="+Inf"}', 3],
  ],
  longcode_carrier_connections: [['waiting', '{link="local",state="bound"}', 1]],
  longcode_carrier_window_used: [['waiting', '{link="local"}', 1]],
  longcode_carrier_window_size: [['waiting', '{link="local"}', 10]],
  longcode_carrier_rate: [['waiting', '{link="local"}', 50]],
  longcode_carrier_rate_contract: [['waiting', '{link="local"}', 50]],
  longcode_carrier_link_paused: [
    ['waiting', '{link="local"}', 0],
    ['paused', '{link="local"}', 1],
  ],
  longcode_carrier_unsettled: [
    ['waiting', '', 0],
    ['paused', '', 1],
  ],
  longcode_carrier_receipts_unmatched: [
    ['waiting', '', 0],
    ['paused', '', 1],
  ],
  longcode_ledger_dollars: [
    ['working', '{ledger="wallet"}', isPositive],
    ['working', '{ledger="funding"}', (value) => value < 0],
    ['working', '{ledger="fees"}', isPositive],
    ['working', '{ledger="numbers"}', isPositive],
    ['working', '{ledger="messages"}', isPositive],
  ],
  longcode_accounts_empty: [
    ['working', '', 0],
    ['later', '', 0],
  ],
  longcode_accounts_near_quota: [['working', '{quota="webhooks"}', 0]],
  longcode_accounts_at_quota: [['working', '{quota="webhooks"}', 0]],
  longcode_account_spent_dollars: [['working', 'account="acc_', isPositive]],
  longcode_account_balance_dollars: [['working', 'account="acc_', isPositive]],
  longcode_carrier_answers_total: [
    ['working', '{link="simulator",answer="sent",code=""}', 1],
    ['working', '{link="simulator",answer="failed",code="1350"}', 1],
  ],
  longcode_carrier_receipts_total: [
    ['working', '{link="simulator",status="DELIVERED",code=""}', 1],
  ],
  longcode_carrier_inbound_total: [['working', '{link="fake"}', 1]],
  longcode_carrier_submit_duration_seconds: [
    // One batch, or two.
    ['working', '_count{link="simulator"}', (value) => value === 1 || value === 2],
    ['working', '_sum{link="simulator"}', isPositive],
  ],
  longcode_forwardings_age_seconds: [
    ['working', '', isPositive],
    ['later', '', isPositive],
  ],
  longcode_webhook_attempts_total: [
    ['working', '{outcome="success",status="200"}', 1],
    ['working', '{outcome="failure",status="500"}', isPositive], // it is retried
    ['working', '{outcome="gone",status="410"}', 1],
  ],
  longcode_webhook_queue_waiting: [['idle', '', 1]],
  longcode_webhook_queue_pending: [['idle', '', 2]],
  longcode_webhook_queue_oldest_seconds: [['idle', '', (value) => value >= 299]],
  longcode_webhooks_disabled: [
    ['working', '', 1],
    ['idle', '', 2],
  ],
  longcode_ledger_drift: [['working', '', 2]],
  longcode_ledger_drift_age_seconds: [
    [
      'later',
      '',
      (value, { working }) => value > working.get('longcode_ledger_drift_age_seconds')!,
    ],
  ],
  longcode_carrier_up: [
    ['working', '', 1],
    ['linkless', '', 0],
  ],
  longcode_carrier_link_up: [['working', '{link="simulator"}', 1]],
  longcode_database_up: [
    ['idle', '', 1],
    ['exhausted', '', 0],
  ],
  longcode_database_workers_unreachable: [['idle', '', 0]], // moves on a cluster: test/citus/worker-loss.test.ts
  longcode_database_pool: [
    ['exhausted', '{pool="all",state="busy"}', 4],
    ['exhausted', '{pool="all",state="idle"}', 0],
    ['exhausted', '{pool="all",state="waiting"}', isPositive],
    ['exhausted', '{pool="all",state="max"}', 4],
    ['idle', '{pool="all",state="waiting"}', 0],
    ['idle', '{pool="all",state="idle"}', isPositive],
    // Together no more than there are.
    ['idle', '{pool="all",state="busy"}', (busy, { idle }) => busy + idle.get(POOL_IDLE)! <= 4],
  ],
  process_cpu_seconds_total: [
    ['later', '', (value, { working }) => value > working.get('process_cpu_seconds_total')!],
  ],
  process_resident_memory_bytes: [['working', '', (value) => value > 10_000_000]],
  nodejs_eventloop_delay_p99_seconds: [['working', '', isPositive]],
}

/** Needs a fault, a provider, or a cluster: tests that read the metric there. */
const MOVED_ELSEWHERE: Record<string, string> = {
  longcode_sends_refused_total: 'test/faults/overload.test.ts',
  longcode_provider_numbers_stuck: 'test/flows/moved-numbers.test.ts',
  longcode_registrations_stuck: 'test/flows/provider-registration.test.ts',
}

async function scrape(service: OperatedService): Promise<Scrape> {
  const { status, body } = await service.get('/metrics', { token: OPERATOR_TOKEN })
  assert.equal(status, 200)
  const samples = String(body).matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm)
  return new Map([...samples].map(([, name, value]) => [name!, Number(value)]))
}

async function send(service: OperatedService, campaign: string, to: string): Promise<string> {
  return idOf(await service.post('/v1/message/send', { campaign, to, body: 'Hello' }))
}

/** Two sends, one of which fails; an inbound message; webhooks that work, fail, and are gone. */
async function work(t: TestContext): Promise<Pick<Scrapes, 'working' | 'later'>> {
  const service = await operatedService(t, { roles: ['dispatch', 'deliver', 'schedule', 'voice'] })
  const { db } = service.world
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const receiver = await webhookReceiver(t, (response, { path }) => {
    response.statusCode = Number(path.slice('/hook'.length)) || 200
    response.end()
  })
  const eventTypes = ['message.incoming']
  for (const status of ['200', '500', '410']) {
    await createWebhook(service, campaignId, `${receiver.url}${status}`, { eventTypes })
  }
  await send(service, campaignId, VZW)
  await send(service, campaignId, '+14155550110')
  await service.post('/v1/message/send', { campaign: campaignId, to: '+1415', body: 'Hello' })
  await service.get('/v1/message/msg_none')
  await service.post('/sandbox/inbound', { from: VZW, to: number, body: 'Good day' })
  await comeIn(service, number)
  await db.query(sql`alter table brands rename to brands_away`)
  assert.equal((await service.get('/v1/brand/list')).status, 500)
  await db.query(sql`alter table brands_away rename to brands`)
  // Two ledgers of one account: one has too much, the other too little.
  const shift = (micros: bigint) =>
    db.query(sql`update account_ledgers set wallet_micros = wallet_micros + ${micros},
      fees_micros = fees_micros - ${micros} where account_id = ${service.accountId}`)
  const ended = async () => {
    const [row] = await db.query<{ isOver: boolean }>(sql`select
      (select count(*) from messages where direction = 'OUTBOUND' and status in ('DELIVERED', 'FAILED')) = 2
      and (select count(*) from event_deliveries where attempts > 0)
        + (select count(*) from event_arrivals) = 3
      and (select count(*) from event_subscriptions where not is_enabled) = 1 as "isOver"`)
    return row!.isOver
  }
  await eventually(ended, 'two final messages, three webhooks attempted, one of them disabled')
  await shift(1n)
  const working = await eventually(async () => {
    const read = await scrape(service)
    return read.has('longcode_ledger_drift') && read.has(AT_QUOTA) && read
  }, 'the ledger and the quotas are checked')
  await shift(-1n)
  return { working, later: await scrape(service) }
}

/** The simulator's phones write through a sandbox route. A message by a link needs another one. */
async function comeIn({ world }: OperatedService, to: string): Promise<void> {
  const told: CarrierListener[] = []
  const start = async (listener: CarrierListener) => void told.push(listener)
  const link = new LinkMeters(world).meter({ ...fakeCarrier(), start })
  const nothing = async () => {}
  const listener = { receipt: nothing, lateAnswer: nothing }
  await link.start({ ...listener, inbound: async () => ({ messageId: 'msg_1' }) })
  const came = { link: 'fake', carrierId: null, mediaUrls: [], part: null }
  const inbound = { ...came, from: VZW, to, body: 'Good day' }
  assert.deepEqual(await told[0]!.inbound(inbound), { messageId: 'msg_1' })
}

/** Messages and events that wait, webhooks that their owner disabled, clients over the limit. */
async function idle(t: TestContext): Promise<Pick<Scrapes, 'idle' | 'exhausted' | 'limited'>> {
  const env = { LONGCODE_RATE_LIMIT: '1', LONGCODE_RATE_BURST: '50' }
  const service = await operatedService(t, { env })
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const url = 'https://receiver.invalid/hook'
  const eventTypes = ['recipient.optout']
  await createWebhook(service, campaignId, url, { eventTypes })
  for (let i = 0; i < 2; i += 1) {
    const { id } = await createWebhook(service, campaignId, url, { eventTypes })
    await service.call('PATCH', `/v1/webhook/${id}`, { enabled: false })
  }
  for (const to of [ATT, ATT, VZW]) await send(service, campaignId, to)
  const eventType = 'recipient.optout'
  await happen(service, { campaignId, eventType })
  const later = await happen(service, { campaignId, eventType })
  await service.world.db.query(sql`
    update event_deliveries set due_at = ${new Date(service.world.clock.now().getTime() + 3_600_000)}
    where event_id = ${later} and due_at is not null`)
  service.world.clock.moveTo(300_000)

  await service.get('/v1/account', { token: null })
  const token = await service.tokenWith(['read'])
  const flood = await Promise.all(
    Array.from({ length: 100 }, () => service.get('/v1/account', { token })),
  )
  const limited = flood.filter(({ status }) => status === 429).length
  assert.ok(limited > 0)
  const exhausted = await whileExhausted(service, () => scrape(service))
  const isBack = async () => {
    const read = await scrape(service)
    return read.get('longcode_database_up') === 1 && read
  }
  return { limited, exhausted, idle: await eventually(isBack, 'the database responds again') }
}

/** While all connections of the pool are in use. */
async function whileExhausted<T>({ world }: OperatedService, look: () => Promise<T>): Promise<T> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let held = 0
  const hold = () =>
    world.db.transaction(async (tx) => {
      await tx.query(sql`set local idle_in_transaction_session_timeout = 0`)
      held += 1
      await released
    })
  const holders = Array.from({ length: world.config.databasePoolMax }, hold)
  try {
    await eventually(async () => held === holders.length, 'all connections held')
    return await look()
  } finally {
    release()
    await Promise.all(holders)
  }
}

function sampleOf(scraped: Scrape, metric: string, labels: string): number | undefined {
  const isPart = /^\w+=/.test(labels)
  if (!isPart) return scraped.get(`${metric}${labels}`)
  const isMeant = (name: string) => name.startsWith(`${metric}{`) && name.includes(labels)
  return [...scraped].find(([name]) => isMeant(name))?.[1]
}

const RULES = ['ops/alert-rules.yaml', 'ops/slo-rules.yaml']

function metricsInUse(): string[] {
  const dashboards = readdirSync('ops/dashboards').map((file) => `ops/dashboards/${file}`)
  const names = [...RULES, ...dashboards].flatMap((file) => [
    ...readFileSync(file, 'utf8').matchAll(/\b(?:longcode|process|nodejs)_\w+/g),
  ])
  const metrics = names.map(([name]) => name.replace(/(?<=_seconds)_(?:bucket|count|sum)$/, ''))
  return [...new Set(metrics)].sort()
}

test('every metric of dashboards, alerts, and service levels changes with real traffic', async (t) => {
  assert.deepEqual(metricsInUse(), [...Object.keys(MOVES), ...Object.keys(MOVED_ELSEWHERE)].sort())
  for (const [metric, file] of Object.entries(MOVED_ELSEWHERE)) {
    assert.ok(readFileSync(file, 'utf8').includes(metric), `${file} reads ${metric}`)
  }

  const linkless = await operatedService(t, { env: { LONGCODE_CARRIER: 'none' } })
  const scrapes: Scrapes = {
    ...(await work(t)),
    ...(await idle(t)),
    ...(await loseAnswer(t, scrape)),
    linkless: await scrape(linkless),
  }
  for (const [metric, moves] of Object.entries(MOVES)) {
    for (const [of, labels, expected] of moves) {
      const value = sampleOf(scrapes[of], metric, labels)
      const text = `${metric}${labels} of ${of} is ${value}`
      assert.notEqual(value, undefined, text)
      if (typeof expected === 'number') assert.equal(value, expected, text)
      else assert.ok(expected(value!, scrapes), text)
    }
  }
})
