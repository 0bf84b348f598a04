// A transaction locks a row of one account and does not release it. Requests of that account wait and get an error.
// All other accounts are served, including those that share a connection with it.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { sql } from '../../src/kit/postgres/sql.js'
import type { World } from '../../src/kit/world.js'
import { fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { eventually, type Reply, type TestService } from '../harness.js'
import { ATT, assertDollars, type Sending, SMS_PRICE, sendingService, VZW } from '../sending.js'
import { WAITING } from '../waiting.js'

/** Enough accounts that each of the four connections is shared. */
const OTHERS = 12

interface Other {
  send: () => Promise<Reply>
  statusOf: (id: string) => Promise<string>
}

async function otherSender(service: TestService): Promise<Other> {
  const { accountId, token } = await service.otherAccount()
  const { campaignId } = await activeCampaign(service, { accountId })
  await buyNumber(service, campaignId, { token })
  const message = { campaign: campaignId, to: ATT, body: 'Hello' }
  return {
    send: () => service.post('/v1/message/send', message, { token }),
    statusOf: async (id) => (await service.get(`/v1/message/${id}`, { token })).body.message.status,
  }
}

/** Locks what the query selects, until `release` is called. */
async function hold(t: TestContext, { databaseUrl, world }: TestService, query: string) {
  const client = new pg.Client(databaseUrl)
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  await client.query('begin')
  const { rowCount } = await client.query(query)
  assert.equal(rowCount, 1)
  return {
    /** Waits until a statement waits for the lock. */
    untilAwaited: () =>
      eventually(
        async () => (await world.db.patient.query(WAITING)).length > 0,
        'a statement that waits for the lock',
      ),
    release: () => client.query('rollback'),
  }
}

/** All messages are accepted and delivered while the lock is held. */
async function assertServed(others: readonly Other[]): Promise<void> {
  await Promise.all(
    others.map(async ({ send, statusOf }) => {
      for (let sends = 0; sends < 3; sends += 1) {
        const { status, body } = await send()
        assert.equal(status, 200, JSON.stringify(body))
        await eventually(async () => (await statusOf(body.id)) === 'DELIVERED', 'a delivery')
      }
    }),
  )
}

function assertBusyOrDone(replies: readonly Reply[]): void {
  for (const { status, body, headers } of replies) {
    if (status === 200) continue
    const answer = `${status} ${body.code}`
    assert.ok(['503 database_busy', '429 concurrency_limited'].includes(answer), answer)
    assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
  }
}

/** Retries refused requests with their keys until all succeed. */
async function untilDone(count: number, request: (i: number) => Promise<Reply>): Promise<Reply[]> {
  return Promise.all(
    Array.from({ length: count }, (_, i) =>
      eventually(async () => {
        const reply = await request(i)
        return reply.status === 200 && reply
      }, `response ${i}`),
    ),
  )
}

async function stage(t: TestContext): Promise<{ sending: Sending; others: Other[] }> {
  const env = { LONGCODE_DATABASE_TIMEOUT: '20' } // a lock for 6 s
  const sending = await sendingService(t, { roles: ['dispatch'], env })
  const others: Other[] = []
  while (others.length < OTHERS) others.push(await otherSender(sending.service))
  return { sending, others }
}

const keyed = (i: number) => ({ headers: { 'idempotency-key': `key ${i}` } })

test('a locked lane row delays only its own account, and every message arrives once after the release', async (t) => {
  const { sending, others } = await stage(t)
  const { service, send, trySend, until, kinds } = sending
  await until(await send({ to: ATT }), 'DELIVERED')
  const balance = await service.balance()
  const lane = await hold(
    t,
    service,
    `select from lanes where account_id = '${service.accountId}' for update`,
  )
  const trySends = (i: number) => trySend({ to: ATT, body: `Number ${i}` }, keyed(i))
  const waiting = Promise.all(Array.from({ length: 20 }, (_, i) => trySends(i)))
  await lane.untilAwaited()
  await assertServed(others)
  assertBusyOrDone(await waiting) // the lock is still held
  await lane.release()

  const done = await untilDone(20, trySends)
  const ids = done.map(({ body }) => body.id)
  assert.equal(new Set(ids).size, 20)
  for (const id of ids) {
    await until(id, 'DELIVERED')
    const timeline = await kinds(id)
    assert.equal(timeline.filter((kind) => kind === 'sent').length, 1, timeline.join())
  }
  assertDollars(balance - (await service.balance()), 20 * SMS_PRICE)
})

test('a locked wallet does not block other accounts, however many requests wait for it', async (t) => {
  const { sending, others } = await stage(t)
  const { service, campaignId, trySend } = sending
  const numbers = Array.from({ length: 20 }, (_, i) => `+1628${3_000_000 + i}`)
  await addInventory(service, numbers)
  const wallet = await hold(
    t,
    service,
    `select from account_ledgers where account_id = '${service.accountId}' for update`,
  )
  const buy = (i: number) =>
    service.post(`/v1/campaign/${campaignId}/number/buy`, { number: numbers[i] }, keyed(i))
  const trySends = (i: number) => trySend({ body: `Number ${i}` }, keyed(100 + i))
  const waiting = Promise.all([
    ...numbers.map((_, i) => buy(i)),
    ...numbers.map((_, i) => trySends(i)),
  ])
  await wallet.untilAwaited()
  await assertServed(others)
  assertBusyOrDone(await waiting)
  await wallet.release()

  await untilDone(20, buy)
  await untilDone(20, trySends)
  const [row] = await service.world.db.query<{ bought: number; charged: number }>(sql`
    select count(*) filter (where reason = 'number_purchase')::int as bought,
      count(*) filter (where reason = 'message')::int as charged
    from ledger_entries where account_id = ${service.accountId}`)
  assert.deepEqual(row, { bought: 1 + 20, charged: 20 })
})

test('the messages of a dead process are reclaimed even while a lane of another account is locked', async (t) => {
  const sending = await sendingService(t)
  const { service, campaignId } = sending
  const world: World = {
    ...service.world,
    config: { ...service.world.config, roles: ['dispatch'] },
  }
  const other = await service.otherAccount()
  const others = await activeCampaign(service, { accountId: other.accountId })
  await buyNumber(service, others.campaignId, { token: other.token })
  let release = () => {}
  const silence = new Promise<void>((resolve) => {
    release = resolve
  })
  // Simulated, because a message that a real carrier may have received cannot simply be sent again.
  const silent = fakeCarrier(() => silence.then(() => ({ kind: 'sent' })))
  const dead = fakeRoom(world, { ...silent, isSimulated: true })
  const sendBy = (accountId: string, campaign: string) =>
    dead.sendService.send(accountId, { campaign, to: VZW, body: 'Hello' }, null)
  await sendBy(service.accountId, campaignId)
  await sendBy(other.accountId, others.campaignId)
  const lane = await hold(
    t,
    service,
    `insert into lanes (account_id, campaign_id, route)
      values ('${service.accountId}', '${campaignId}', 'open')`,
  )
  await sending.advance(61)
  const carrier = fakeCarrier()
  fakeRoom(world, carrier).run()
  await eventually(async () => carrier.submitted.length === 1, 'the message of the other account')
  assert.equal(carrier.submitted[0]!.accountId, other.accountId)
  await lane.release()
  await eventually(async () => carrier.submitted.length === 2, 'the message of the account')
  release()
})
