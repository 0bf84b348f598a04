// The database cuts connections when it restarts or fails over. Whoever was at work is told no; the
// service goes on.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transaction } from '../../src/kit/db.js'
import { sql } from '../../src/kit/sql.js'
import { giveMoney } from '../billing-fixtures.js'
import { eventually, testService } from '../harness.js'

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
        update ledger_balances set balance_micros = balance_micros + 1
        where account_id = ${service.accountId}`)
      await cut(tx)
      await tx.query(sql`select 1`)
    }),
  )
  await giveMoney(service, '1')
  assert.equal(await service.balance(), 6)
})
