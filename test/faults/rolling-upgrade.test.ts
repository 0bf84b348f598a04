// An upgrade without downtime: two nodes run the previous version, the new version migrates the database, and then the
// nodes are replaced one by one while customers send. One of the new nodes traces every request, so traced messages also
// pass through nodes that do not trace. Every send succeeds exactly once, and no customer sees an error.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Env, runCommand } from '../commands/run-command.js'
import { cloneDatabase, eventually } from '../harness.js'
import { type OtlpReceiver, otlpReceiver } from '../otlp-receiver.js'
import {
  previousProgram,
  type ServedProgram,
  serveProgram,
  WITHOUT_HISTORY,
} from './previous-program.js'

const TOKEN = 'token-of-the-first-account-in-an-upgrade'
const CLIENTS = 4
const PER_PHASE = 40
const BRAND = {
  entityType: 'PRIVATE_PROFIT',
  entityName: 'Blue Door Bistro LLC',
  displayName: 'Blue Door',
  ein: '12-3456789',
  website: 'https://bluedoor.example',
  street: '1 Main St',
  city: 'San Francisco',
  state: 'CA',
  postalCode: '94105',
  country: 'US',
  firstName: 'Ana',
  lastName: 'Diaz',
  email: 'ana@bluedoor.example',
  phone: '+14155550100',
}
const CAMPAIGN = {
  usecase: 'CUSTOMER_CARE',
  description: 'Table reservations: confirmations, and answers to the questions of guests',
  consentFlow: 'Guests tick a box on the form at https://bluedoor.example/reserve to be texted',
  sample1: 'Blue Door: your table for 4 is ready. Reply STOP to opt out.',
  sample2: 'Blue Door: thank you for your question. Yes, we have a vegan menu.',
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads replies without types
type Body = any

async function call(
  address: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Body; retryAfter: string | null }> {
  const response = await fetch(`${address}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  const retryAfter = response.headers.get('retry-after')
  return { status: response.status, body: await response.json(), retryAfter }
}

async function openCampaign(address: string): Promise<string> {
  const brand = await call(address, '/v1/brand/create', BRAND)
  const brandId = brand.body.brand.id
  const made = await call(address, '/v1/campaign/create', { ...CAMPAIGN, brandId })
  const { id } = made.body.campaign
  await eventually(async () => {
    const { body } = await call(address, `/v1/campaign/${id}`)
    return body.campaign.status === 'ACTIVE'
  }, 'an active campaign')
  const found = await call(address, '/v1/number/search?areaCode=415&limit=1')
  const [{ number }] = found.body.numbers
  const bought = await call(address, `/v1/campaign/${id}/number/buy`, { number })
  assert.equal(bought.status, 200, JSON.stringify(bought.body))
  return id
}

/** Customers that send through any available node and retry failed sends with their idempotency key. */
class Customers {
  readonly ids = new Map<string, string>()
  readonly faults: string[] = []
  nodes: ServedProgram[] = []
  #isOver = false

  constructor(readonly campaign: string) {}

  start(): Promise<unknown> {
    return Promise.all(Array.from({ length: CLIENTS }, (_, name) => this.#run(name)))
  }

  end(): void {
    this.#isOver = true
  }

  async more(what: string): Promise<void> {
    const enough = this.ids.size + PER_PHASE
    await eventually(async () => this.ids.size >= enough, what)
  }

  async #run(name: number): Promise<void> {
    for (let i = 0; !this.#isOver; i += 1) {
      const key = `${name}-${i}`
      for (let tries = name; !this.ids.has(key); tries += 1) await this.#send(key, tries)
    }
  }

  async #send(key: string, tries: number): Promise<void> {
    const { address } = this.nodes[tries % this.nodes.length]!
    const body = { campaign: this.campaign, to: '+14155550107', body: `Number ${key}` }
    // A node that is being replaced refuses connections: a load balancer would use another one.
    const reply = await call(address, '/v1/message/send', body, { 'idempotency-key': key }).catch(
      () => null,
    )
    if (reply?.status === 200) this.ids.set(key, reply.body.id)
    else {
      const isAllowed = reply === null || (reply.status === 503 && reply.retryAfter !== null)
      if (!isAllowed) this.faults.push(`${reply.status} ${JSON.stringify(reply.body)}`)
      await sleep(50)
    }
  }
}

/** Drops our tables and functions, and what depends on them. On a cluster the schema has to stay, because Citus is in it. */
async function dropTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`
    select string_agg(t.oid::regclass::text, ', ') as names from pg_class t
    where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p')
      and not t.relispartition
      and not exists (select from pg_depend d where d.objid = t.oid and d.deptype = 'e')`)
  await client.query(`drop table ${rows[0].names} cascade`)
  const functions = await client.query(`
    select string_agg(p.oid::regprocedure::text, ', ') as names from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`)
  await client.query(`drop function ${functions.rows[0].names}`)
  // As in the template of a cluster, because the shards of all tables are created again.
  await client.query(`alter database ${client.database} set citus.shard_count = 4`)
}

const balanceAt = async (address: string): Promise<number> =>
  (await call(address, '/v1/account')).body.account.balance

/** An empty database, and a connection to it. */
async function emptyDatabase(t: TestContext): Promise<{ url: string; client: pg.Client }> {
  const { url, drop } = await cloneDatabase()
  t.after(drop)
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  await dropTables(client)
  return { url, client }
}

/** The steps of docs/operations.md while customers send. Returns the new nodes. The first one traces. */
async function replaceNodes(
  t: TestContext,
  env: Env,
  customers: Customers,
  receiver: OtlpReceiver,
): Promise<ServedProgram[]> {
  const [oldA, oldB] = customers.nodes as [ServedProgram, ServedProgram]
  const sending = customers.start()
  await customers.more('sends by the old program on its own schema')

  const migrated = await runCommand(['migrate'], { DATABASE_URL: env.DATABASE_URL! })
  assert.equal(migrated.code, 0, migrated.err)
  t.diagnostic(migrated.out.trim())
  await customers.more('sends by the old program on the new schema')

  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_TRACES_SAMPLER_ARG: '1' }
  const newC = await serveProgram(t, 'dist/main.js', { ...env, ...tracing })
  customers.nodes = [newC, oldA, oldB]
  await customers.more('sends by both')
  customers.nodes = [newC, oldB]
  // Open client connections could delay the exit of the previous version. This is fixed since, so its code is ignored.
  await oldA.stop()
  const newD = await serveProgram(t, 'dist/main.js', env)
  customers.nodes = [newC, newD, oldB]
  await customers.more('sends by both, with one old one left')
  customers.nodes = [newC, newD]
  await oldB.stop()
  await customers.more('sends by the new program alone')
  customers.end()
  await sending
  return [newC, newD]
}

/** Checks what the tracing node exported: requests, and traces that follow a message to its receipt. */
function checkTraces(t: TestContext, { spans }: OtlpReceiver): void {
  const traces = (name: string) =>
    new Set(spans.filter((span) => span.name === name).map(({ traceId }) => traceId))
  const requests = [...traces('POST /v1/message/send')]
  assert.ok(requests.length >= PER_PHASE, `${requests.length} requests are traced`)
  const steps = ['dispatch', 'carrier submit', 'carrier receipt'].map(traces)
  const whole = requests.filter((id) => steps.every((step) => step.has(id)))
  assert.ok(whole.length > 0, 'some messages stay on the tracing node')
  t.diagnostic(`${requests.length} requests traced, ${whole.length} of them up to the receipt`)
}

test('a rolling upgrade under load sends every message once, with old, new, and tracing nodes on the new schema', {
  skip: WITHOUT_HISTORY,
}, async (t) => {
  let end = () => {}
  t.after(() => end()) // before everything that would wait for their requests
  const { url, client } = await emptyDatabase(t)
  const env = {
    DATABASE_URL: url,
    LONGCODE_TOKEN: TOKEN,
    LONGCODE_REVIEW_SECONDS: '0',
    LONGCODE_SIP_PORT: 'off',
    LONGCODE_LOG_LEVEL: 'error',
    LONGCODE_DATABASE_POOL: '6',
  }
  const before = await previousProgram(t)
  const oldA = await serveProgram(t, before, env)
  const oldB = await serveProgram(t, before, env)
  const customers = new Customers(await openCampaign(oldA.address))
  end = () => customers.end()
  const atFirst = await balanceAt(oldA.address)
  customers.nodes = [oldA, oldB]
  const receiver = await otlpReceiver(t)
  const nodes = await replaceNodes(t, env, customers, receiver)

  const { ids, faults } = customers
  assert.deepEqual(faults, [], 'no errors except 503 with Retry-After')
  assert.equal(new Set(ids.values()).size, ids.size, 'every id is different')
  await eventually(async () => {
    const { rows } = await client.query(`select status, count(*)::int from messages group by 1`)
    return rows.length === 1 && rows[0].status === 'DELIVERED' && rows[0].count === ids.size
  }, 'every message is delivered, and there are no others')
  const spent = Math.round((atFirst - (await balanceAt(nodes[0]!.address))) * 10_000)
  assert.equal(spent, ids.size * 79, 'each is charged once')
  const doctor = await runCommand(['doctor', '--ledger'], { ...env, PORT: '0' })
  assert.match(doctor.out, /ok {4}ledger {6}Every balance is the sum of its entries/)
  t.diagnostic(`${ids.size} accepted, delivered, and charged, each once`)
  for (const node of nodes) assert.equal(await node.stop(), 0, node.output())
  checkTraces(t, receiver)
})
