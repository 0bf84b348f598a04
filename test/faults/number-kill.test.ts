// kill -9 of the process that orders a number, after its provider has taken the order and before anybody heard of it:
// another finds the order by its reference, and none is made twice.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { NumberDesk } from '../../src/carriers/routing/number-desk.js'
import { readCarriersOf } from '../../src/carriers/settings/read-carriers.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { startLoop } from '../../src/kit/worker-loop.js'
import { rentLoop } from '../../src/numbers/rent/rent-loop.js'
import { eventually } from '../harness.js'
import { assertBought, rentingService } from '../providers/renting.js'
import { startNode } from './node-process.js'

const NUMBER = '+14152000001'

test('kill -9 between the order and its answer rents one number, and charges for one', async (t) => {
  const { service, fake, env, buy, until } = await rentingService(t, [NUMBER], { roles: [] })
  const { world, databaseUrl } = service
  const before = await service.balance()
  assertBought(await buy(NUMBER), 'PENDING')
  // It never hears of the order, however long it lives.
  const { mishaps } = fake.numbers
  while (mishaps.length < 500) mishaps.push({ on: /number_orders/, what: 'silent' })
  const { child } = await startNode(t, databaseUrl, { ...env, LONGCODE_ROLES: 'schedule' })
  await eventually(async () => fake.numbers.orders.length > 0, 'the order is taken')
  child.kill('SIGKILL')
  await once(child, 'exit')
  mishaps.length = 0
  const [left] = await world.db.query<{ phase: string; orderedAt: Date | null }>(sql`
    select phase, ordered_at as "orderedAt" from rented_numbers`)
  assert.equal(left?.phase, 'order')
  assert.notEqual(left?.orderedAt, null, 'written down before it left')

  await service.post('/sandbox/clock/advance', { seconds: 120 }) // the lease of the dead ends
  const desk = new NumberDesk()
  desk.follow(readCarriersOf(world.config)!.links)
  const loop = startLoop(rentLoop(world, desk))
  try {
    await until(NUMBER, 'ACTIVE')
  } finally {
    await loop.stop()
    await desk.close()
  }
  assert.equal(fake.numbers.orders.length, 1)
  assert.equal(fake.numbers.rented.size, 1)
  assert.equal(await service.balance(), before - 2)
})
