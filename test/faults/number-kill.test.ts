// kill -9 of the process that orders a number, after the provider accepted the order and before we got the response.
// Another process finds the order by its reference, so nothing is ordered twice. The same for a process that moves a
// number to another campaign: another process finishes the move, and the number does not stay PENDING.

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
import { assertBought, numberService } from '../providers/number-service.js'
import { takeTurns } from '../turns.js'
import { startNode } from './node-process.js'

const NUMBER = '+14152000001'

test('kill -9 between a number order and its response orders and charges one number', async (t) => {
  const { service, fake, env, buy, until } = await numberService(t, [NUMBER], { roles: [] })
  const { world, databaseUrl } = service
  const before = await service.balance()
  assertBought(await buy(NUMBER), 'PENDING')
  // The process never gets a response to its order.
  const { mishaps } = fake.numbers
  while (mishaps.length < 500) mishaps.push({ on: /number_orders/, what: 'silent' })
  const { child } = await startNode(t, databaseUrl, { ...env, LONGCODE_ROLES: 'schedule' })
  await eventually(async () => fake.numbers.orders.length > 0, 'the order is accepted')
  child.kill('SIGKILL')
  await once(child, 'exit')
  mishaps.length = 0
  const [left] = await world.db.query<{ phase: string; orderedAt: Date | null }>(sql`
    select phase, ordered_at as "orderedAt" from rented_numbers`)
  assert.equal(left?.phase, 'order')
  assert.notEqual(left?.orderedAt, null, 'recorded before the request')

  await outlastLease(world)
  await provisionHere(world, () => until(NUMBER, 'ACTIVE'))
  assert.equal(fake.numbers.orders.length, 1)
  assert.equal(fake.numbers.purchased.size, 1)
  assert.equal(await service.balance(), before - 2)
})

test('a number stays PENDING after kill -9 of its move only until another process finishes it', async (t) => {
  const stage = await numberService(t, [NUMBER], { roles: [] })
  const { service, fake, campaignId, env, buy, until, number } = stage
  const { world, databaseUrl } = service
  const { campaignId: second } = await activeCampaign(service)
  assertBought(await buy(NUMBER), 'PENDING')
  await provisionHere(world, () => until(NUMBER, 'ACTIVE'))
  const before = fake.numbers.purchased.get(NUMBER)!.profileId
  const { mishaps } = fake.numbers
  while (mishaps.length < 500) mishaps.push({ on: /^PATCH .*messaging/, what: 'silent' })
  const ending = { confirm: campaignId, moveNumbersTo: second }
  assert.equal((await service.post(`/v1/campaign/${campaignId}/end`, ending)).status, 200)
  const { child } = await startNode(t, databaseUrl, { ...env, LONGCODE_ROLES: 'schedule' })
  await eventually(async () => mishaps.length < 500, 'the move is requested')
  child.kill('SIGKILL')
  await once(child, 'exit')
  mishaps.length = 0
  assert.equal((await number(NUMBER)).status, 'PENDING')
  const [left] = await world.db.query<{ phase: string }>(sql`select phase from rented_numbers`)
  assert.equal(left?.phase, 'move')

  await outlastLease(world)
  const moved = await provisionHere(world, () => until(NUMBER, 'ACTIVE'))
  assert.equal(moved.campaignId, second)
  assert.notEqual(fake.numbers.purchased.get(NUMBER)!.profileId, before)
  assert.equal(fake.numbers.orders.length, 1)
})

/** The lease of the dead worker would last an hour, but its heartbeat expires within ten seconds. */
async function outlastLease({ db, clock }: World): Promise<void> {
  const leased = await db.query<{ aliveUntil: Date }>(sql`
    update rented_numbers
    set due_at = (due_at at time zone 'UTC' + interval '1 hour') at time zone 'UTC'
    where alive_until is not null
    returning alive_until as "aliveUntil"`)
  for (const { aliveUntil } of leased) {
    assert.ok(aliveUntil.getTime() <= clock.machineNow().getTime() + 10_000)
  }
}

/** Runs the number work of the `schedule` role in this process while the test waits. */
async function provisionHere<T>(world: World, wait: () => Promise<T>): Promise<T> {
  const settings = readCarriersOf(world.config)!
  const sources = new NumberSourcePool(() => new NumberHosting(settings))
  sources.follow(settings.links)
  takeTurns(world)
  const loop = startLoop(provisioningLoop(world, sources), world.hints)
  try {
    return await wait()
  } finally {
    await loop.stop()
    await sources.close()
  }
}
