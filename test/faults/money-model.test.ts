// Hundreds of runs in which customers and operators move money at the same time while months pass. The ledger matches a
// simple model to the micro-dollar.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { REASON_NAMES } from '../../src/ledger/ledger.js'
import { advanceTo } from '../billing-fixtures.js'
import { testService, thorough } from '../harness.js'
import { runClients, type Stage, seeded } from './money-clients.js'
import { checkBooks, settle } from './money-model.js'
import { openModel, stock } from './money-stage.js'

const ACCOUNTS = 25
const ROUNDS = thorough(12, 40) // each has one run per account
const SEED = Number(process.env.TEST_SEED ?? 7)
const DAY_MS = 24 * 60 * 60 * 1000

test('the ledger matches the model after hundreds of concurrent runs', async (t) => {
  t.diagnostic(`TEST_SEED=${SEED}`)
  const service = await testService(t, {
    roles: ['dispatch', 'schedule'],
    env: { LONGCODE_DATABASE_POOL: '12' },
  })
  await advanceTo(service, '2027-01-31T20:00:00.000Z')
  const random = seeded(SEED)
  const { db, clock, hints } = service.world
  // The loops check again immediately instead of after their pause.
  const wake = () => {
    for (const hint of ['messages', 'reviews', 'clock'] as const) hints.notify(hint)
  }
  let isClockMoving = false
  const stage: Stage = {
    db,
    now: () => clock.now(),
    call: ({ token }, method, url, body, key) =>
      service.call(method, url, body, { token, headers: { 'idempotency-key': key } }),
    forSale: await stock(service),
    isClockMoving: () => isClockMoving,
  }
  const models = await Promise.all(
    Array.from({ length: ACCOUNTS }, (_, i) => openModel(service, i % 5 === 0 ? '60' : '12.5')),
  )
  let runs = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    isClockMoving = round % 3 === 2
    const acting = models.map((model) => runClients(stage, model, random, { clients: 3, acts: 2 }))
    const laterMs = clock.now().getTime() + random(18 * DAY_MS)
    if (isClockMoving) acting.push(advanceTo(service, new Date(laterMs).toISOString()))
    await Promise.all(acting)
    runs += models.length
    const quietSince = clock.now()
    if (round % 3 === 1) await advanceTo(service, new Date(laterMs).toISOString())
    await settle(db, () => clock.now(), wake)
    await checkBooks(db, models, quietSince)
  }
  assert.equal(runs, ACCOUNTS * ROUNDS)
  const seen = await db.query<{ reason: string }>(sql`
    select reason from ledger_transfers group by reason`)
  // Other tests cover numbers that a provider refuses (provider-numbers.test.ts), late receipts
  // (unknown-outcomes.test.ts), and phone calls (call-records.test.ts).
  const elsewhere = ['number_refund', 'message_recharge', 'call']
  const possible = REASON_NAMES.filter((reason) => !elsewhere.includes(reason))
  assert.deepEqual(seen.map(({ reason }) => reason).sort(), possible.sort())
  const [stopped] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from campaigns where suspended_for = 'renewal'`)
  assert.ok(stopped!.count > 0, 'some campaigns could not be paid for')
})
