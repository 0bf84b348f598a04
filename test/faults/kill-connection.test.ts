// The database closes connections when it restarts or fails over. Requests in progress fail, and the service continues.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import inject from 'light-my-request'
import { openDatabase, type Transaction } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { giveMoney } from '../billing-fixtures.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, listenerOf, type TestService, testService } from '../harness.js'
import { assertDollars, SMS_PRICE } from '../sending.js'

test('a connection that is cut between two statements fails only that transaction', async (t) => {
  const service = await testService(t, { balance: '5' })
  const { db } = service.world
  const cut = async (tx: Transaction) => {
    const [own] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    await db.query(sql`select pg_terminate_backend(${own!.pid})`)
    await eventually(async () => {
      const alive = await db.query(sql`select 1 from pg_stat_activity where pid = ${own!.pid}`)
      return alive.length === 0
    }, 'the end of the connection')
  }
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.query(sql`
        update account_ledgers set wallet_micros = wallet_micros + 1
        where account_id = ${service.accountId}`)
      await cut(tx)
      await tx.query(sql`select 1`)
    }),
  )
  await giveMoney(service, '1')
  assert.equal(await service.balance(), 6)
})

test('a database that repeatedly cuts every connection causes failed requests and no wrong charges', async (t) => {
  const service = await testService(t, { roles: ['dispatch', 'schedule', 'deliver'] })
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const before = await service.balance()
  const failed: string[] = []
  const accepted = new Set<string>()
  let keys = 0
  let isOver = false
  const client = async () => {
    while (!isOver) {
      keys += 1
      const key = `key ${keys}`
      const { statusCode, id } = await sendOnce(service, campaignId, key)
      assert.ok(statusCode === 200 || statusCode === 503, `${statusCode}`)
      if (statusCode === 200) accepted.add(id)
      else failed.push(key)
    }
  }
  const clients = Promise.all(Array.from({ length: 4 }, client))
  // Some cuts hit idle connections. The test needs some that hit requests in progress.
  for (let cuts = 0; cuts < 20 || (failed.length === 0 && cuts < 200); cuts += 1) {
    const soFar = accepted.size
    await eventually(async () => accepted.size > soFar + 3, 'accepted messages')
    await cutAll(service.databaseUrl)
  }
  isOver = true
  await clients
  assert.ok(failed.length > 0, 'some requests failed')
  assert.equal(accepted.size, keys - failed.length, 'each accepted request has its own message')
  // A cut can also come between a commit and its response: a retry with the key finds out.
  for (const key of failed) {
    const again = await eventually(async () => {
      const reply = await sendOnce(service, campaignId, key)
      return reply.statusCode === 200 && reply
    }, 'a response')
    accepted.add(again.id)
  }
  assert.equal(accepted.size, keys)
  // All of these and no others.
  const stored = await listMessages(service)
  assert.deepEqual(new Set(stored.map(({ id }) => id)), accepted)
  assert.equal(stored.length, keys)
  assert.equal(await countCharges(service), keys)
  assertDollars(await service.balance(), before - keys * SMS_PRICE)
})

async function sendOnce(
  service: TestService,
  campaignId: string,
  key: string,
): Promise<{ statusCode: number; id: string }> {
  const response = await inject(listenerOf(service), {
    method: 'POST',
    url: '/v1/message/send',
    headers: { authorization: `Bearer ${service.token}`, 'idempotency-key': key },
    payload: { campaign: campaignId, to: '+14155550123', body: 'Hi' },
  })
  return { statusCode: response.statusCode, id: response.json().id }
}

async function listMessages({ world }: TestService): Promise<{ id: string }[]> {
  return world.db.query<{ id: string }>(sql`select id from messages`)
}

async function countCharges({ world }: TestService): Promise<number> {
  const [row] = await world.db.query<{ count: number }>(sql`
    select count(*)::int as count from ledger_entries where reason = 'message'`)
  return row!.count
}

async function cutAll(url: string): Promise<void> {
  const applicationName = 'test admin'
  const admin = openDatabase({ url, poolMax: 1, applicationName, onError: () => {} })
  await admin.query(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'longcode'`)
  await admin.end()
}
