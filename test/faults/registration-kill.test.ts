// kill -9 of the process that registers, after the provider accepted the brand or campaign and before we got the
// response. Another process finds it by its reference, and nothing is registered twice.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { registrationLoop } from '../../src/campaigns/registration/registration-loop.js'
import { RegistrarPool } from '../../src/carriers/routing/provider-pools.js'
import { readCarriersOf } from '../../src/carriers/settings/read-carriers.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { startLoop } from '../../src/kit/worker-loop.js'
import { wakeLanes } from '../../src/messages/lane-queries.js'
import { eventually } from '../harness.js'
import { registeringService } from '../providers/registering.js'
import { takeTurns } from '../turns.js'
import { startNode } from './node-process.js'

for (const what of ['brand', 'campaign'] as const) {
  test(`kill -9 between a ${what} registration and its response registers one ${what}`, async (t) => {
    const { service, fake, env, submitBrand, submitCampaign, until } = await registeringService(t, {
      roles: [],
    })
    const { world, databaseUrl } = service
    const { registry } = fake
    const brandId = await submitBrand()
    const campaignId = await submitCampaign(brandId)
    // The process never gets a response.
    const { mishaps } = fake.numbers
    const on = what === 'brand' ? /10dlc\/brand/ : /campaignBuilder|10dlc\/campaign$/
    while (mishaps.length < 500) mishaps.push({ on, what: 'silent' })
    const { child } = await startNode(t, databaseUrl, { ...env, LONGCODE_ROLES: 'schedule' })
    const there = what === 'brand' ? registry.brands : registry.campaigns
    await eventually(async () => there.size > 0, 'it is accepted')
    child.kill('SIGKILL')
    await once(child, 'exit')
    mishaps.length = 0
    const [left] = await world.db.query<{ state: string; posted: boolean; id: string | null }>(sql`
      select state, posted_at is not null as posted, provider_id as id from registrations
      where kind = ${what}`)
    assert.deepEqual(
      left,
      { state: 'submit', posted: true, id: null },
      'recorded before the request',
    )

    // The lease would last an hour, but the heartbeat expires within ten seconds of the kill.
    const leased = await world.db.query<{ aliveUntil: Date }>(sql`
      update registrations
      set due_at = (due_at at time zone 'UTC' + interval '1 hour') at time zone 'UTC'
      where alive_until is not null
      returning alive_until as "aliveUntil"`)
    for (const { aliveUntil } of leased) {
      assert.ok(aliveUntil.getTime() <= world.clock.machineNow().getTime() + 10_000)
    }
    const registrars = new RegistrarPool()
    registrars.follow(readCarriersOf(world.config)!.links)
    takeTurns(world)
    const loop = startLoop(registrationLoop(world, registrars, wakeLanes), world.hints)
    try {
      await until('campaign', campaignId, 'ACTIVE')
    } finally {
      await loop.stop()
      await registrars.close()
    }
    await until('brand', brandId, 'VERIFIED')
    assert.deepEqual([registry.brands.size, registry.campaigns.size], [1, 1])
  })
}
