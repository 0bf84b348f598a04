// One of two nodes is stopped (SIGSTOP) while it holds a lane during a claim. The other node continues for all
// accounts, and when the stopped one wakes up, nothing has been lost or done twice.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { sql } from '../../src/kit/postgres/sql.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type TestService, testService } from '../harness.js'
import { ATT } from '../sending.js'
import { WAITING } from '../waiting.js'
import { startNode } from './node-process.js'

const OTHERS = 8
const SENDS_EACH = 5

interface Customer {
  accountId: string
  token: string
  campaignId: string
}

async function newCustomer(service: TestService): Promise<Customer> {
  const { accountId, token } = await service.otherAccount()
  const { campaignId } = await activeCampaign(service, { accountId })
  await buyNumber(service, campaignId, { token })
  return { accountId, token, campaignId }
}

interface Sent {
  status: number
  id: string
  ms: number
}

/** Sends over HTTP, because the node is another process. */
async function send(address: string, { token, campaignId }: Customer, key: string): Promise<Sent> {
  const startedMs = performance.now()
  const response = await fetch(`${address}/v1/message/send`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ campaign: campaignId, to: ATT, body: 'Hello' }),
  })
  const body = (await response.json()) as { id: string }
  return { status: response.status, id: body.id, ms: performance.now() - startedMs }
}

/** A client that locks a message, and checks on locks from outside that transaction. */
async function bystander(t: TestContext, { databaseUrl, world }: TestService) {
  const client = new pg.Client(databaseUrl)
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  return {
    hold: async ({ accountId }: Customer, messageId: string) => {
      await client.query('begin')
      await client.query('select from messages where account_id = $1 and id = $2 for update', [
        accountId,
        messageId,
      ])
    },
    release: () => client.query('rollback'),
    /** The claim is the only statement that can wait here. */
    isClaimWaiting: async () => (await world.db.query(WAITING)).length > 0,
    isClaimFrozen: async () => {
      const claims = await world.db.query(sql`
        select 1 from pg_stat_activity
        where datname = current_database() and query like '%update messages set due_at%'
          and state = 'idle in transaction' and pid <> pg_backend_pid()`)
      return claims.length > 0
    },
  }
}

test('a node stopped during a claim delays no other account, and does nothing twice when it wakes up', async (t) => {
  const service = await testService(t)
  const { databaseUrl } = service
  const held = await newCustomer(service)
  const others: Customer[] = []
  while (others.length < OTHERS) others.push(await newCustomer(service))
  const api = await startNode(t, databaseUrl, { LONGCODE_ROLES: 'api' })
  const bystanding = await bystander(t, service)

  // A claim locks the lane and then leases its messages. The message lock keeps it waiting there until it is stopped.
  const first = await send(api.address, held, 'first')
  assert.equal(first.status, 200)
  await bystanding.hold(held, first.id)
  const stopped = await startNode(t, databaseUrl, { LONGCODE_ROLES: 'api,dispatch' })
  await eventually(async () => {
    await eventually(bystanding.isClaimWaiting, 'a claim that waits')
    stopped.child.kill('SIGSTOP')
    await bystanding.release()
    for (let checks = 0; checks < 20; checks += 1) {
      if (await bystanding.isClaimFrozen()) return true
      await sleep(25)
    }
    // The claim had timed out just before, so try again.
    await bystanding.hold(held, first.id)
    stopped.child.kill('SIGCONT')
    return false
  }, 'a frozen claim')

  const heldSend = eventually(async () => {
    const sent = await send(api.address, held, 'second')
    assert.ok(sent.status === 200 || sent.status === 503, String(sent.status))
    return sent.status === 200 && sent
  }, 'the second message of the account')
  const answers = await Promise.all(
    others.flatMap((customer) =>
      Array.from({ length: SENDS_EACH }, (_, i) => send(api.address, customer, `key ${i}`)),
    ),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  t.diagnostic(`slowest of the others: ${Math.max(...answers.map(({ ms }) => ms)).toFixed(0)} ms`)
  const second = await heldSend

  // The other node dispatches everything while the first one sleeps.
  await startNode(t, databaseUrl, { LONGCODE_ROLES: 'dispatch' })
  const ids = [first.id, second.id, ...answers.map(({ id }) => id)]
  await eventually(
    async () => (await countDelivered(service, ids)) === ids.length,
    'all deliveries',
  )

  stopped.child.kill('SIGCONT')
  const last = await eventually(async () => {
    const sent = await send(stopped.address, held, 'last').catch(() => null)
    return sent?.status === 200 && sent
  }, 'a response of the node that was stopped')
  await eventually(async () => (await countDelivered(service, [last.id])) === 1, 'its delivery')
  await assertOnce(service, [...ids, last.id])
})

async function countDelivered({ world }: TestService, ids: readonly string[]): Promise<number> {
  const [row] = await world.db.query<{ count: number }>(sql`
    select count(*)::int as count from messages
    where id = any (${ids}::text[]) and status = 'DELIVERED'`)
  return row!.count
}

/** Sent once, reported once, charged once. */
async function assertOnce({ world }: TestService, ids: readonly string[]): Promise<void> {
  const sent = await world.db.query<{ messageId: string; count: number }>(sql`
    select message_id as "messageId", count(*)::int as count from events
    where message_id = any (${ids}::text[]) and status = 'SENT' group by 1`)
  assert.deepEqual(new Set(sent.map(({ count }) => count)), new Set([1]))
  assert.equal(sent.length, ids.length)
  const [charged] = await world.db.query<{ count: number }>(sql`
    select count(*)::int as count from ledger_entries where reason = 'message'`)
  assert.equal(charged!.count, ids.length)
}
