// The database cuts connections when it restarts or fails over. Whoever was at work is told no; the
// service goes on.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import inject from 'light-my-request'
import { openDatabase, type Transaction } from '../../src/kit/db.js'
import { sql } from '../../src/kit/sql.js'
import { giveMoney } from '../billing-fixtures.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, listenerOf, type TestService, testService } from '../harness.js'

test('a connection that is cut between two statements fails that transaction only', async (t) => {
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

test('a database that cuts every connection, again and again, costs failed calls and no cent', async (t) => {
  const service = await testService(t, { roles: ['dispatch', 'schedule', 'deliver'] })
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const statuses = new Set<number>()
  let accepted = 0
  let isOver = false
  const client = async () => {
    while (!isOver) {
      const { statusCode } = await inject(listenerOf(service), {
        method: 'POST',
        url: '/v1/message/send',
        headers: { authorization: `Bearer ${service.token}` },
        payload: { campaign: campaignId, to: '+14155550123', body: 'Hi' },
      })
      statuses.add(statusCode)
      if (statusCode === 200) accepted += 1
    }
  }
  const clients = Array.from({ length: 4 }, client)
  for (let cuts = 0; cuts < 20; cuts += 1) {
    const before = accepted
    await eventually(async () => accepted > before + 3, 'accepted messages')
    await cutAll(service.databaseUrl)
  }
  isOver = true
  await Promise.all(clients)
  assert.deepEqual(
    [...statuses].filter((status) => status !== 200 && status !== 503),
    [],
  )
  // The pool may still hold a connection that was cut.
  const kept = await eventually(() => countCharges(service).catch(() => 0), 'an answer')
  // A cut can also come between a commit and its answer.
  assert.ok(kept >= accepted, `${kept} of ${accepted}`)
})

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
