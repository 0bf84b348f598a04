// Tables partitioned by time: whole while they are small, split ahead of time afterwards, and dropped without a
// scan.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { listPartitions } from '../../src/kit/partitions/partition-queries.js'
import {
  dropBefore,
  type Family,
  findBehind,
  makeAhead,
} from '../../src/kit/partitions/partitions.js'
import type { Queryable } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { partitionLoop } from '../../src/operator/retention/partition-loop.js'
import { MESSAGES } from '../../src/operator/retention/remove-records.js'
import { RECORDS, retentionLoop } from '../../src/webhooks/retention.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { type TestService, testService } from '../harness.js'
import { partitionTables } from '../partition-tables.js'

const EVENTS: Family = { tables: [{ name: 'events', prefix: 'evt' }], longest: 'month' }
const AT_ONCE = { cutBytes: 0, partitionBytes: Number.MAX_SAFE_INTEGER }
const signal = new AbortController().signal

const names = async (db: Queryable, table = 'events') =>
  (await listPartitions(db, table)).map(({ name }) => name)

/** An event of that time. Returns its partition. */
async function place({ world, accountId }: TestService, moment: string): Promise<string> {
  const at = new Date(moment)
  const id = newId('evt', at)
  await world.db.query(sql`
    insert into events (account_id, id, event_type, created_at)
    values (${accountId}, ${id}, 'webhook.test', ${at})`)
  const [row] = await world.db.query<{ name: string }>(sql`
    select tableoid::regclass::text as name from events
    where account_id = ${accountId} and id = ${id}`)
  return row!.name.replace(/_\d{6}$/, '') // on Citus, the shard number
}

test('a small table stays whole, and a large one is split ahead of time, with its indexes and storage', async (t) => {
  const service = await testService(t)
  const { db } = service.world
  const now = new Date('2026-11-16T14:00:00Z')
  assert.deepEqual(await makeAhead(db.patient, MESSAGES, now), [])
  assert.deepEqual(await names(db, 'messages'), ['messages_first'])

  const made = await makeAhead(db.patient, MESSAGES, now, AT_ONCE)
  assert.deepEqual(made, ['messages_from_20270101'])
  assert.deepEqual(
    await makeAhead(db.patient, MESSAGES, now, AT_ONCE),
    [],
    'enough partitions exist',
  )
  const indexes = await db.query<{ table: string; count: number; options: string }>(sql`
    select relname as table, (select count(*)::int from pg_index where indrelid = c.oid) as count,
      array_to_string(reloptions, ',') as options
    from pg_class c where relname in ('messages_first', 'messages_from_20270101') order by relname`)
  assert.deepEqual({ ...indexes[1], table: '' }, { ...indexes[0], table: '' })

  const later = new Date('2026-12-31T00:00:00Z')
  assert.deepEqual(await makeAhead(db.patient, MESSAGES, later, AT_ONCE), [
    'messages_from_20270201',
  ])
  assert.deepEqual((await listPartitions(db, 'messages')).at(-1)?.to, null)
})

test('rows find the partition of their time, and a full partition is split as well', async (t) => {
  const service = await testService(t)
  const { db } = service.world
  assert.equal(await place(service, '2026-11-16'), 'events_first')
  await makeAhead(db.patient, EVENTS, new Date('2026-11-16'), AT_ONCE)
  assert.equal(await place(service, '2026-12-31T23:59:59.999Z'), 'events_first')
  assert.equal(await place(service, '2027-01-01'), 'events_from_20270101')

  const rows = await db.query(sql`select id from events where event_type = 'webhook.test'`)
  assert.equal(rows.length, 3)
})

test('if nobody made partitions for a year, rows go into the open end, which is split behind them', async (t) => {
  const service = await testService(t)
  const { db } = service.world
  await makeAhead(db.patient, EVENTS, new Date('2026-11-16'), AT_ONCE)
  const late = new Date('2027-11-20')
  assert.equal(await place(service, '2027-11-19'), 'events_from_20270101')
  assert.deepEqual(await findBehind(db, [EVENTS], late), ['events'])

  assert.deepEqual(await makeAhead(db.patient, EVENTS, late, AT_ONCE), ['events_from_20280101'])
  assert.deepEqual(await findBehind(db, [EVENTS], late), [])
  assert.equal(await place(service, '2027-12-01'), 'events_from_20270101')
})

test('a row from beyond the split leaves the table unchanged and unconstrained', async (t) => {
  const service = await testService(t)
  const { db } = service.world
  await place(service, '2030-01-01')
  await assert.rejects(makeAhead(db.patient, EVENTS, new Date('2026-11-16'), AT_ONCE), /until/)
  assert.deepEqual(
    (await listPartitions(db, 'events')).map(({ name, hasBound }) => [name, hasBound]),
    [['events_first', false]],
  )
  assert.equal(await place(service, '2030-01-02'), 'events_first')
})

test('several nodes make the same partitions once', async (t) => {
  const { world } = await testService(t)
  const now = new Date('2026-11-16')
  const all = [1, 2, 3].map(() => makeAhead(world.db.patient, EVENTS, now, AT_ONCE))
  await Promise.allSettled(all)
  await makeAhead(world.db.patient, EVENTS, now, AT_ONCE)
  assert.deepEqual(await names(world.db), ['events_first', 'events_from_20270101'])
})

test('only whole past partitions are dropped', async (t) => {
  const service = await testService(t)
  const { db } = service.world
  await partitionTables(service, { EVENTS }, ['2026-11-16', '2026-12-16', '2027-01-16'])
  await place(service, '2026-12-01')
  await place(service, '2027-01-31')
  const kept = ['events_from_20270201', 'events_from_20270301']
  assert.deepEqual(await names(db), ['events_first', 'events_from_20270101', ...kept])
  await dropBefore(db.patient, EVENTS, new Date('2027-01-31T23:59:59Z'))
  assert.deepEqual(await names(db), ['events_from_20270101', ...kept])
  await dropBefore(db.patient, EVENTS, new Date('2027-02-01'))
  assert.deepEqual(await names(db), kept)
})

test('partitioned webhook records are dropped by the week, and no longer row by row', async (t) => {
  const service = await testService(t)
  const { db, clock } = service.world
  const loop = partitionLoop(service.world, AT_ONCE)
  await loop.step(signal)
  const first = await place(service, clock.now().toISOString())
  assert.equal(first, 'events_first')
  for (const { name } of RECORDS.tables) assert.equal((await names(db, name)).length, 2, name)

  clock.moveTo(31 * 86_400_000)
  assert.equal(await retentionLoop(service.world).step(signal), 0)
  await loop.step(signal)
  assert.ok((await names(db)).includes('events_first'), 'its last week is not past yet')
  clock.moveTo(50 * 86_400_000)
  await loop.step(signal)
  for (const { name } of RECORDS.tables) {
    assert.ok(!(await names(db, name)).includes(`${name}_first`), name)
  }
})

test('messages are sent, read, and listed across partitions', async (t) => {
  const service = await testService(t, { roles: ['dispatch'] })
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const send = async () => {
    const input = { campaign: campaignId, to: '+14155550199', body: 'Hi' }
    return (await service.post('/v1/message/send', input)).body.id as string
  }
  const before = await send()
  await makeAhead(service.world.db.patient, MESSAGES, service.world.clock.now(), AT_ONCE)
  service.world.clock.moveTo(70 * 86_400_000)
  const after = await send()
  const [row] = await service.world.db.query<{ name: string }>(sql`
    select tableoid::regclass::text as name from messages where id = ${after}`)
  assert.match(row!.name, /^messages_from_/)
  const { body } = await service.get(`/v1/message/list?campaign=${campaignId}`)
  assert.deepEqual(
    body.messages.map(({ id }: { id: string }) => id),
    [after, before],
  )
})
