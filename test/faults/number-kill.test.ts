// kill -9 of the process that orders a number, after its provider has taken the order and before anybody heard of it:
// another finds the order by its reference, and none is made twice. And of the one that moves a number to another
// campaign: another goes on, and the number is not PENDING for ever.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { NumberHosting } from '../../src/carriers/routing/number-hosting.js'
import { NumberSourcePool } from '../../src/carriers/routing/provider-pools.js'
import { readCarriersOf } from '../../src/carriers/settings/read-carriers.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { startLoop } from '../../src/kit/worker-loop.js'
import type { World } from '../../src/kit/world.js'
import { provisioningLoop } from '../../src/numbers/provisioning/provisioning-loop.js'
import { activeCampaign } from '../fixtures.js'
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

  await outlastLease(world)
  await workHere(world, () => until(NUMBER, 'ACTIVE'))
  assert.equal(fake.numbers.orders.length, 1)
  assert.equal(fake.numbers.rented.size, 1)
  assert.equal(await service.balance(), before - 2)
})

test('kill -9 while a number moves to another campaign leaves it PENDING only until another process goes on', async (t) => {
  const renting = await rentingService(t, [NUMBER], { roles: [] })
  const { service, fake, campaignId, env, buy, until, number } = renting
  const { world, databaseUrl } = service
  const { campaignId: second } = await activeCampaign(service)
  assertBought(await buy(NUMBER), 'PENDING')
  await workHere(world, () => until(NUMBER, 'ACTIVE'))
  const before = fake.numbers.rented.get(NUMBER)!.profileId
  const { mishaps } = fake.numbers
  while (mishaps.length < 500) mishaps.push({ on: /^PATCH .*messaging/, what: 'silent' })
  const wanted = { confirm: campaignId, moveNumbersTo: second }
  assert.equal((await service.post(`/v1/campaign/${campaignId}/end`, wanted)).status, 200)
  const { child } = await startNode(t, databaseUrl, { ...env, LONGCODE_ROLES: 'schedule' })
  await eventually(async () => mishaps.length < 500, 'it is asked for')
  child.kill('SIGKILL')
  await once(child, 'exit')
  mishaps.length = 0
  assert.equal((await number(NUMBER)).status, 'PENDING')
  const [left] = await world.db.query<{ phase: string }>(sql`select phase from rented_numbers`)
  assert.equal(left?.phase, 'move')

  await outlastLease(world)
  const moved = await workHere(world, () => until(NUMBER, 'ACTIVE'))
  assert.equal(moved.campaignId, second)
  assert.notEqual(fake.numbers.rented.get(NUMBER)!.profileId, before)
  assert.equal(fake.numbers.orders.length, 1)
})

/** The dead worker's lease would go on for an hour; its proof of life ends within ten seconds of its death. */
async function outlastLease({ db, clock }: World): Promise<void> {
  const leased = await db.query<{ aliveUntil: Date }>(sql`
    update rented_numbers set due_at = due_at + interval '1 hour' where alive_until is not null
    returning alive_until as "aliveUntil"`)
  for (const { aliveUntil } of leased) {
    assert.ok(aliveUntil.getTime() <= clock.machineNow().getTime() + 10_000)
  }
}

/** The work of the role `schedule` on numbers, in this process, while somebody waits. */
async function workHere<T>(world: World, wait: () => Promise<T>): Promise<T> {
  const settings = readCarriersOf(world.config)!
  const desk = new NumberSourcePool(() => new NumberHosting(settings))
  desk.follow(settings.links)
  const loop = startLoop(provisioningLoop(world, desk))
  try {
    return await wait()
  } finally {
    await loop.stop()
    await desk.close()
  }
}
