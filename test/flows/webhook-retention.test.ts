// Records are stored for 30 days, and deleting them costs no table scan.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { retentionLoop } from '../../src/webhooks/retention.js'
import { triedTimes, webhookStage } from './webhook-receiver.js'

const DAY_S = 86_400

test('deliveries, attempts, and events are deleted when they are 30 days old, and not before', async (t) => {
  const stage = await webhookStage(t)
  const { service } = stage
  const stranger = await service.otherAccount()
  const { happen } = await import('./webhook-receiver.js')
  const retain = async () => {
    const loop = retentionLoop(service.world)
    const signal = new AbortController().signal
    while ((await loop.step(signal)) > 0);
  }
  const left = async () => {
    const [row] = await service.world.db.query<Record<string, number>>(sql`
      select (select count(*)::int from events where event_type not like '%.changed') as events,
        (select count(*)::int from event_deliveries) as deliveries,
        (select count(*)::int from event_arrivals) as arrivals`)
    return row
  }
  await stage.happen()
  await happen(service, { accountId: stranger.accountId, campaignId: null })
  await triedTimes(stage, 1)
  await stage.advance(29 * DAY_S)
  await retain()
  assert.deepEqual(await left(), { events: 2, deliveries: 0, arrivals: 1 })

  await stage.happen()
  await triedTimes(stage, 1)
  await stage.advance(1 * DAY_S + 60)
  await retain()
  assert.deepEqual(await left(), { events: 1, deliveries: 0, arrivals: 1 })
  assert.equal((await stage.deliveries()).length, 1, 'the younger one stays')
})

test('a record is deleted when it is older than 30 days, to the millisecond', async (t) => {
  const stage = await webhookStage(t)
  const { world, accountId } = stage.service
  await stage.happen()
  const [delivery] = await stage.deliveries()
  await triedTimes(stage, 1)
  const ageOut = async (ageMs: number) => {
    const clock = { now: () => new Date(Date.parse(delivery.createdAt) + ageMs) }
    const loop = retentionLoop({ ...world, clock } as unknown as typeof world)
    const signal = new AbortController().signal
    while ((await loop.step(signal)) > 0);
    const rows = await world.db.query(sql`
      select id from event_arrivals where account_id = ${accountId}`)
    return rows.length
  }
  assert.equal(await ageOut(30 * DAY_S * 1000), 1)
  assert.equal(await ageOut(30 * DAY_S * 1000 + 1), 0)
})

test('more than one portion is deleted in one round', async (t) => {
  const stage = await webhookStage(t)
  const { service } = stage
  await stage.stop()
  await stage.happen()
  await service.world.db.query(sql`
    insert into event_deliveries (account_id, id, subscriber_id, event_id, event_type, state, created_at)
    select account_id, 'dlv_0000000000' || lpad(n::text, 16, '0'), subscriber_id, event_id,
      event_type, 'delivered', created_at
    from event_deliveries, generate_series(1, 2500) n`)
  const loop = retentionLoop(service.world)
  const signal = new AbortController().signal
  while ((await loop.step(signal)) > 0);
  const rows = await service.world.db.query(sql`select id from event_deliveries`)
  assert.equal(rows.length, 1)
})
