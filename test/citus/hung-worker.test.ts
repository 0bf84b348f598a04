// A worker of a Citus cluster hangs (SIGSTOP) under load from tenants on both workers. The tenants of the other worker
// must not notice: none of their requests fails, and the node stays ready. Its own tenants get 503 at once, until it answers.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually, type Reply, type TestService, testService } from '../harness.js'
import { delivered, type Tenant, tenant } from './cut-worker.js'
import { findStoppableWorker, type StoppableWorker } from './stopped-worker.js'

const EACH_SIDE = 4
const HUNG_MS = 15_000
/** How long it hangs before the first request. */
const REST_MS = 5_000
/** Concurrent clients per tenant, each sending one request at a time. */
const CLIENTS = 3

interface Outcome {
  side: 'near' | 'hung'
  what: string
  atMs: number
  tookMs: number
  reply: Reply
}

test('a hung worker affects only its own tenants', async (t) => {
  const on = await hungStage(t)
  if (!on) return t.skip('the processes of the worker cannot be stopped from here')
  const { service, worker } = on
  const near = await tenantsOf(t, on, false)
  const hung = await tenantsOf(t, on, true)
  const load = new Load(service, [
    ...near.map((one) => ({ one, side: 'near' as const })),
    ...hung.map((one) => ({ one, side: 'hung' as const })),
  ])
  await load.warmUp()
  worker.hang()
  await load.run(HUNG_MS)
  worker.resume()
  load.report(t)
  assert.deepEqual(load.failuresOf('near'), [], 'nobody else fails')
  assert.deepEqual(load.readiness(), [200])
  const refused = load.outcomes.filter(({ side, reply }) => side === 'hung' && reply.status !== 200)
  assert.ok(refused.length > 0)
  for (const { reply } of refused) {
    assert.equal(reply.status, 503, JSON.stringify(reply.body))
    assert.match(reply.headers['retry-after'] ?? '', /^\d+$/)
  }
  await load.settle()
  const again = await eventually(async () => {
    const reply = await hung[0]!.send('after')
    return reply.status === 200 && reply
  }, 'sends succeed again')
  await delivered(hung[0]!, [again.body.id])
})

test('a worker that hangs while nobody sends affects only its own tenants afterwards', async (t) => {
  const on = await hungStage(t)
  if (!on) return t.skip('the processes of the worker cannot be stopped from here')
  const { service, worker } = on
  const near = await tenantsOf(t, on, false)
  const hung = await tenantsOf(t, on, true)
  const load = new Load(service, [
    ...near.map((one) => ({ one, side: 'near' as const })),
    ...hung.map((one) => ({ one, side: 'hung' as const })),
  ])
  await load.warmUp()
  worker.hang()
  await sleep(REST_MS)
  await load.run(HUNG_MS / 3)
  worker.resume()
  load.report(t)
  assert.deepEqual(load.failuresOf('near'), [])
  assert.deepEqual(load.readiness(), [200])
  await load.settle()
})

test('a hung worker without tenants affects nobody', async (t) => {
  const on = await hungStage(t)
  if (!on) return t.skip('the processes of the worker cannot be stopped from here')
  const { service, worker } = on
  const near = await tenantsOf(t, on, false)
  const load = new Load(
    service,
    near.map((one) => ({ one, side: 'near' as const })),
  )
  await load.warmUp()
  worker.hang()
  await load.run(HUNG_MS)
  worker.resume()
  load.report(t)
  assert.deepEqual(load.failuresOf('near'), [])
  assert.deepEqual(load.readiness(), [200])
  await load.settle()
})

interface HungStage {
  service: TestService
  worker: StoppableWorker
}

async function hungStage(t: TestContext): Promise<HungStage | null> {
  const service = await testService(t, {
    roles: ['dispatch', 'deliver', 'schedule'],
    env: { LONGCODE_DATABASE_POOL: '12', LONGCODE_DATABASE_TIMEOUT: '10' },
  })
  const worker = await findStoppableWorker(service.databaseUrl)
  if (!worker) return null
  t.after(worker.resume)
  return { service, worker }
}

async function tenantsOf(t: TestContext, { service, worker }: HungStage, isHung: boolean) {
  const found: Tenant[] = []
  while (found.length < EACH_SIDE) {
    const account = await service.otherAccount('50')
    if ((await worker.hasAccount(account.accountId)) !== isHung) continue
    found.push(await tenant(t, service, account))
  }
  return found
}

/** Sends and reads of all tenants, and their results while the worker hung. */
class Load {
  readonly outcomes: Outcome[] = []
  readonly #service: TestService
  readonly #tenants: readonly { one: Tenant; side: Outcome['side'] }[]
  readonly #ready: { atMs: number; status: number }[] = []
  #clients: Promise<void>[] = []
  #openMs: number | null = null

  constructor(service: TestService, tenants: readonly { one: Tenant; side: Outcome['side'] }[]) {
    this.#service = service
    this.#tenants = tenants
  }

  async warmUp(): Promise<void> {
    await Promise.all(this.#tenants.map(({ one }) => this.#requests(one)[0]!.run()))
    for (const { one } of this.#tenants) assert.equal((await one.send('before')).status, 200)
  }

  /** Runs for this long. `settle` waits for requests without a reply. */
  async run(ms: number): Promise<void> {
    const startMs = performance.now()
    const isOver = () => performance.now() - startMs > ms
    this.#clients = this.#tenants.flatMap(({ one, side }) =>
      Array.from({ length: CLIENTS }, () => this.#client(one, side, startMs, isOver)),
    )
    this.#clients.push(this.#watch(startMs, isOver))
    await sleep(ms)
  }

  /** The checks at the end of a test need every worker. */
  async settle(): Promise<void> {
    await Promise.all(this.#clients)
    await eventually(async () => {
      const { body } = await this.#service.get('/readyz', { token: null })
      return body.details === undefined
    }, 'every worker is back')
  }

  failuresOf(side: Outcome['side']) {
    return this.outcomes
      .filter((one) => one.side === side && one.reply.status !== 200)
      .map(({ what, reply }) => `${what}: ${reply.status} ${reply.body.code}`)
  }

  readiness(): number[] {
    return [...new Set(this.#ready.map(({ status }) => status))]
  }

  report(t: TestContext): void {
    t.diagnostic(
      `outage known after ${this.#openMs === null ? 'never' : Math.round(this.#openMs)} ms`,
    )
    const notReady = this.#ready.filter(({ status }) => status !== 200).length
    t.diagnostic(`/readyz: ${notReady} of ${this.#ready.length} not 200`)
    for (const side of ['near', 'hung'] as const) {
      const own = this.outcomes.filter((one) => one.side === side)
      const failed = own.filter(({ reply }) => reply.status !== 200)
      const took = own.map(({ tookMs }) => Math.round(tookMs)).sort((a, b) => a - b)
      const quantile = (part: number) => took[Math.floor(part * (took.length - 1))]
      t.diagnostic(
        `${side}: ${failed.length} of ${own.length} failed; p50 ${quantile(0.5)} ms, ` +
          `p99 ${quantile(0.99)} ms, longest ${quantile(1)} ms`,
      )
    }
  }

  async #client(one: Tenant, side: Outcome['side'], startMs: number, isOver: () => boolean) {
    for (let i = 0; !isOver(); i += 1) {
      const requests = this.#requests(one)
      const { what, run } = requests[i % requests.length]!
      const atMs = performance.now()
      const reply = await run()
      this.outcomes.push({
        ...{ side, what, reply, atMs: atMs - startMs, tookMs: performance.now() - atMs },
      })
      await sleep(50)
    }
  }

  #requests(one: Tenant): { what: string; run: () => Promise<Reply> }[] {
    const { token, campaignId } = one
    const read = (url: string) => ({ what: url, run: () => this.#service.get(url, { token }) })
    return [
      { what: 'send', run: () => one.send('meanwhile') },
      read('/v1/account'),
      read(`/v1/campaign/${campaignId}`),
      { what: 'send', run: () => one.send('meanwhile') },
      read('/v1/stats/messages'),
    ]
  }

  async #watch(startMs: number, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const { status } = await this.#service.get('/readyz', { token: null })
      this.#ready.push({ atMs: performance.now() - startMs, status })
      const [away] = this.#service.world.db.workers.away
      if (away) this.#openMs ??= away.since.getTime() - performance.timeOrigin - startMs
      await sleep(50)
    }
  }
}
