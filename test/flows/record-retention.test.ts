// Whole messages are stored for the account's number of days. Then they are deleted with their media, and charges
// and counts stay.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { listPartitions } from '../../src/kit/partitions/partition-queries.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { sumAccount } from '../../src/messages/usage/sum-usage.js'
import { partitionLoop } from '../../src/operator/retention/partition-loop.js'
import { accountRetentionLoop } from '../../src/operator/retention/retention-loop.js'
import { retentionLoop } from '../../src/webhooks/retention.js'
import { type OperatedService, operatedService } from '../api/operator-service.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually } from '../harness.js'
import { storageOf } from '../storage-counts.js'

const DAY_MS = 24 * 60 * 60 * 1000
const HOUR_MS = 60 * 60 * 1000
const AT_ONCE = { cutBytes: 0, partitionBytes: Number.MAX_SAFE_INTEGER }
const signal = new AbortController().signal

async function careFor({ world }: OperatedService): Promise<void> {
  for (const loop of [retentionLoop(world), accountRetentionLoop(world)]) {
    while ((await loop.step(signal)) > 0);
  }
}

/** What the schedule role does once an hour is well over. */
async function sum({ world, accountId }: OperatedService): Promise<void> {
  const now = world.clock.now()
  const until = new Date(Math.floor(now.getTime() / HOUR_MS - 2) * HOUR_MS)
  await sumAccount(world.db.patient, accountId, until, now)
}

async function keepFor(service: OperatedService, days: number, id = service.accountId) {
  const reply = await service.operate('PATCH', `/account/${id}`, { recordRetentionDays: days })
  assert.equal(reply.body.account.recordRetentionDays, days)
}

async function sender(service: OperatedService) {
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  return async (given: object = {}) => {
    const input = { campaign: campaignId, to: '+14155550199', body: 'Hi', ...given }
    const { body } = await service.post('/v1/message/send', input)
    assert.equal(body.success, true, JSON.stringify(body))
    return body.id as string
  }
}

const statusOf = async (service: OperatedService, id: string) =>
  (await service.get(`/v1/message/${id}`)).body.message?.status

test('whole messages are deleted after their days, with media and events, and charges and usage stay', async (t) => {
  const service = await operatedService(t, { roles: ['dispatch'] })
  const { db, clock } = service.world
  const send = await sender(service)
  await sum(service)
  await keepFor(service, 30)
  const old = await send()
  await eventually(async () => (await statusOf(service, old)) === 'DELIVERED')
  await db.query(sql`
    insert into media (id, account_id, message_id, content_type, content, created_at)
    values ('med_1', ${service.accountId}, ${old}, 'image/png', 'x', ${clock.now()})`)
  clock.moveTo(2 * DAY_MS)
  const scheduledAt = new Date(clock.now().getTime() + 33 * DAY_MS).toISOString()
  const waiting = await send({ scheduledAt })
  const from = new Date(clock.now().getTime() - 5 * DAY_MS).toISOString()
  const to = new Date(clock.now().getTime() + 20 * DAY_MS).toISOString()
  const usage = async () => (await service.get(`/v1/usage?from=${from}&to=${to}`)).body
  const counted = await usage()
  const balance = async () => (await service.get('/v1/account')).body.account.balance
  const charged = await balance()

  clock.moveTo(31 * DAY_MS)
  await careFor(service)
  assert.equal(await statusOf(service, old), 'DELIVERED', 'messages that are not counted yet stay')
  await sum(service)
  await careFor(service)
  const gone = await service.get(`/v1/message/${old}`)
  assert.equal(gone.status, 404)
  assert.deepEqual(await db.query(sql`select id from media`), [])
  assert.deepEqual(await db.query(sql`select id from events where message_id = ${old}`), [])
  assert.deepEqual([await usage(), await balance()], [counted, charged])

  clock.moveTo(34 * DAY_MS)
  await sum(service)
  await careFor(service)
  assert.equal(await statusOf(service, waiting), 'SCHEDULED', 'an unsent message stays')
})

test('a message sent long after it was accepted stays as long as its events', async (t) => {
  const service = await operatedService(t, { roles: ['dispatch'] })
  const { clock, hints } = service.world
  const send = await sender(service)
  await sum(service)
  await keepFor(service, 30)
  const scheduledAt = new Date(clock.now().getTime() + 33 * DAY_MS).toISOString()
  const id = await send({ scheduledAt })
  clock.moveTo(33 * DAY_MS + HOUR_MS)
  hints.notify('clock')
  await eventually(async () => (await statusOf(service, id)) === 'DELIVERED')
  await sum(service)
  await careFor(service)
  assert.equal(await statusOf(service, id), 'DELIVERED')
  clock.moveTo(64 * DAY_MS)
  await careFor(service)
  assert.equal((await service.get(`/v1/message/${id}`)).status, 404)
})

test('messages partitioned by time are deleted with their partition, once every account is past', async (t) => {
  const service = await operatedService(t)
  const { db, clock } = service.world
  const other = await service.otherAccount()
  const loop = partitionLoop(service.world, AT_ONCE)
  await loop.step(signal)
  await sum(service)
  const id = newId('msg', clock.now())
  await db.query(sql`
    insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body,
      num_segments, price_micros, status, created_at, updated_at)
    values (${service.accountId}, ${id}, 'cmp_a', 'SMS', 'INBOUND', '+14152000001', '+14155550107',
      'open', 'Hello', 1, 0, 'DELIVERED', ${clock.now()}, ${clock.now()})`)
  const isThere = async () =>
    (await listPartitions(db, 'messages')).some(({ name }) => name === 'messages_first')

  await keepFor(service, 90)
  clock.moveTo(160 * DAY_MS)
  await sum(service)
  await loop.step(signal)
  assert.ok(await isThere(), 'the other account keeps its messages')
  await keepFor(service, 60, other.accountId)
  await careFor(service)
  const rows = await db.query(sql`select id from messages where id = ${id}`)
  assert.equal(rows.length, 1, 'it leaves with its partition')
  await db.query(sql`update messages set due_at = ${clock.now()} where id = ${id}`)
  await loop.step(signal)
  assert.ok(await isThere(), 'it contains an unsent message')
  await db.query(sql`update messages set due_at = null where id = ${id}`)
  await loop.step(signal)
  assert.ok(!(await isThere()))
  assert.deepEqual(await db.query(sql`select id from messages where id = ${id}`), [])
})

test('the number of stored messages is exact after deletions by row and by partition', async (t) => {
  const service = await operatedService(t, { roles: ['dispatch'] })
  const { db, clock } = service.world
  const sendOne = await sender(service)
  const send = async () => {
    const id = await sendOne()
    await eventually(async () => (await statusOf(service, id)) === 'DELIVERED')
  }
  const stored = async () => {
    const { body } = await service.get('/v1/account/quotas')
    return body.quotas.find(({ name }: { name: string }) => name === 'storedMessages').used
  }
  const assertStored = async (expected: number) => {
    const { counted, real } = await storageOf(db, service.accountId)
    assert.deepEqual([await stored(), counted.stored, real.stored], Array(3).fill(expected))
  }
  await sum(service)
  await keepFor(service, 30)
  for (let i = 0; i < 3; i += 1) await send()
  clock.moveTo(2 * DAY_MS)
  await send()
  await assertStored(4)
  clock.moveTo(31 * DAY_MS)
  await eventually(async () => {
    await sum(service)
    await careFor(service)
    return (await stored()) === 1
  }, 'three are deleted')
  await assertStored(1)
  await send()
  await assertStored(2)

  // From here on, whole months are dropped.
  await keepFor(service, 70)
  const loop = partitionLoop(service.world, AT_ONCE)
  await loop.step(signal)
  for (const days of [75, 110, 150, 190]) {
    clock.moveTo(days * DAY_MS)
    await send()
    await sum(service)
    await loop.step(signal)
    await careFor(service)
    const { counted, real } = await storageOf(db, service.accountId)
    assert.equal(counted.stored, real.stored, `after ${days} days`)
    assert.ok(real.stored <= 4, String(real.stored))
  }
})

/** Rolls the clock on, and deletes what is due. */
async function later(service: OperatedService, days: number): Promise<void> {
  service.world.clock.moveTo(days * DAY_MS)
  await sum(service)
  await careFor(service)
}

async function messageOf(service: OperatedService): Promise<string> {
  const send = await sender(service)
  await sum(service)
  const id = await send()
  await eventually(async () => (await statusOf(service, id)) === 'DELIVERED')
  return id
}

test('without a choice, messages are deleted after 13 months, and charges stay', async (t) => {
  const service = await operatedService(t, { roles: ['dispatch'] })
  const id = await messageOf(service)
  const account = async () => (await service.get('/v1/account')).body.account
  const { balance, recordRetentionDays } = await account()
  assert.equal(recordRetentionDays, 396)
  await later(service, 395)
  assert.equal(await statusOf(service, id), 'DELIVERED')
  await later(service, 398)
  assert.equal(await statusOf(service, id), undefined)
  assert.equal((await account()).balance, balance)
})

test('an account that keeps its messages is not affected by the default', async (t) => {
  const service = await operatedService(t, { roles: ['dispatch'] })
  const id = await messageOf(service)
  const change = { recordRetentionDays: null }
  const reply = await service.operate('PATCH', `/account/${service.accountId}`, change)
  assert.equal(reply.body.account.recordRetentionDays, null)
  await service.operate('PATCH', `/account/${service.accountId}`, { messageRetentionDays: 3650 })
  await later(service, 800)
  assert.equal(await statusOf(service, id), 'DELIVERED')
})

test('LONGCODE_RECORD_DAYS sets the default, and never keeps messages', async (t) => {
  for (const [setting, status] of [
    ['never', 'DELIVERED'],
    ['100', undefined],
  ] as const) {
    const env = { LONGCODE_RECORD_DAYS: setting }
    const service = await operatedService(t, { roles: ['dispatch'], env })
    const id = await messageOf(service)
    await later(service, 800)
    assert.equal(await statusOf(service, id), status, setting)
    const { body } = await service.get('/v1/account')
    assert.equal(body.account.recordRetentionDays, setting === 'never' ? null : 100)
  }
})

test('an upgraded installation deletes nothing by default for thirty days', async (t) => {
  const service = await operatedService(t, { roles: ['dispatch'] })
  const { db, clock } = service.world
  const id = await messageOf(service)
  const until = new Date(clock.now().getTime() + 430 * DAY_MS)
  await db.query(sql`update record_retention set applies_from = ${until}`)
  await later(service, 429)
  assert.equal(await statusOf(service, id), 'DELIVERED')
  await later(service, 431)
  assert.equal(await statusOf(service, id), undefined)
})

test('with one retention for all, messages leave with their partition', async (t) => {
  const service = await operatedService(t, { roles: ['dispatch'] })
  const { db } = service.world
  const loop = partitionLoop(service.world, AT_ONCE)
  await loop.step(signal)
  const id = await messageOf(service)
  await later(service, 420)
  assert.equal(await statusOf(service, id), 'DELIVERED', 'not row by row')
  service.world.clock.moveTo(480 * DAY_MS)
  await sum(service)
  // Not before the dispatcher has removed its record of messages that were handed to it.
  await eventually(async () => {
    await loop.step(signal)
    return (await statusOf(service, id)) === undefined
  }, 'the partition is dropped')
  await careFor(service)
  const { counted } = await storageOf(db, service.accountId)
  assert.equal(counted.stored, 0)
})
