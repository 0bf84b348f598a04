// Tests the ledger check itself: whatever is broken in the ledger, the check that ends every test, used by the
// gauge and doctor, finds it. metrics-move.test.ts tests the gauge, and doctor has its own test.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transaction } from '../../src/kit/postgres/db.js'
import { raw, type Statement, sql } from '../../src/kit/postgres/sql.js'
import { findDrift } from '../../src/ledger/ledger-queries.js'
import { assertNoDrift } from '../harness.js'
import { sendingService, VZW } from '../sending.js'

/** What is broken, and the ledgers that no longer add up. */
const BREAKS: [what: string, broken: Statement, ledgers: (string | RegExp)[]][] = [
  ...(['wallet', 'funding', 'fees', 'numbers', 'messages'] as const).map(
    (ledger): (typeof BREAKS)[number] => [
      `the balance of ${ledger}`,
      sql`update account_ledgers set ${raw(`${ledger}_micros = ${ledger}_micros + 1`)}`,
      [ledger],
    ],
  ),
  [
    'the amount of a transfer',
    sql`update ledger_transfers set amount_micros = amount_micros - 1 where reason = 'campaign_creation'`,
    ['fees', 'wallet'],
  ],
  [
    'a missing transfer',
    sql`delete from ledger_transfers where reason = 'number_purchase'`,
    ['numbers', 'wallet'],
  ],
  [
    'a duplicate transfer',
    sql`insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, created_at)
      select account_id, id || 'x', reason, reference || 'x', from_ledger, to_ledger, amount_micros,
        created_at from ledger_transfers where reason = 'number_purchase'`,
    ['numbers', 'wallet'],
  ],
  [
    'a transfer to another ledger',
    sql`update ledger_transfers set to_ledger = 'fees' where reason = 'number_purchase'`,
    ['fees', 'numbers'],
  ],
  [
    'a list whose amounts do not add up to the transfer',
    sql`update ledger_transfers set message_micros[1] = message_micros[1] + 1 where entries > 1`,
    [/^messages in trf_/],
  ],
  [
    'a list that lacks a message',
    sql`update ledger_transfers set entries = entries + 1 where entries > 1`,
    [/^messages in trf_/],
  ],
  [
    'a missing list',
    sql`update ledger_transfers set message_ids = null, message_micros = null where entries > 1`,
    [/^messages in trf_/],
  ],
]

test('the ledger check finds every kind of corruption, and so does the check at the end of every test', async (t) => {
  const { service, campaignId } = await sendingService(t)
  const one = { campaign: campaignId, to: VZW, body: 'Hello' }
  const messages = [one, one, { ...one, body: 'Hello again' }]
  const { status, body } = await service.post('/v1/message/batch', { messages })
  assert.equal(status, 200, JSON.stringify(body))
  const { db } = service.world
  assert.deepEqual(await findDrift(db), [])

  const undo = new Error('undone')
  for (const [what, broken, ledgers] of BREAKS) {
    const look = async (tx: Transaction) => {
      await tx.query(broken)
      const drift = await findDrift(tx)
      const found = drift.map(({ ledger }) => ledger).sort()
      assert.equal(found.length, ledgers.length, `${what}: ${found}`)
      for (const [i, ledger] of ledgers.entries()) assert.match(found[i]!, new RegExp(ledger), what)
      for (const { accountId, balanceMicros, entriesMicros } of drift) {
        assert.equal(accountId, service.accountId)
        assert.ok(what.includes('list') || balanceMicros !== entriesMicros, what)
      }
      await assert.rejects(assertNoDrift({ world: { db: tx } }), /equals the sum of its entries/)
      throw undo
    }
    await assert.rejects(
      db.transaction(look),
      (error) => error === undo || assert.fail(String(error)),
    )
  }
})
