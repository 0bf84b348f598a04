// Old partitions of messages return the disk space of deleted rows, while others read and write, and no row is lost.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listPartitions } from '../../src/kit/partitions/partition-queries.js'
import type { Queryable } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { sumAccount } from '../../src/messages/usage/sum-usage.js'
import { partitionLoop } from '../../src/operator/retention/partition-loop.js'
import { MESSAGES } from '../../src/operator/retention/remove-records.js'
import { repackLoop } from '../../src/operator/retention/repack-loop.js'
import { accountRetentionLoop } from '../../src/operator/retention/retention-loop.js'
import { administer } from '../administer.js'
import { type OperatedService, operatedService } from '../api/operator-service.js'
import { plantMessages } from '../message-rows.js'
import { partitionTables } from '../partition-tables.js'
import { Mirror, repackUntilDone, SMALL, WITHOUT_REPACKING } from '../repack-stage.js'

const DAY_MS = 24 * 60 * 60 * 1000
const signal = new AbortController().signal
const SPARSE = { campaignId: 'cmp_a', count: 4_000, body: 'x'.repeat(300) }

async function totalBytes(db: Queryable): Promise<number> {
  const [row] = await db.query<{ bytes: bigint }>(
    sql`select pg_total_relation_size('messages_first') as bytes`,
  )
  return Number(row!.bytes)
}

/** Everything about the partition that must not change. */
async function outline(db: Queryable) {
  const [partition] = await listPartitions(db, 'messages')
  const { name, from, to } = partition!
  const indexes = await db.query(sql`
    select indisunique, indkey::text as key from pg_index
    where indrelid = 'messages_first'::regclass order by 2, 1`)
  return { name, from, to, indexes }
}

/** A past partition with messages of the test's account and of another one. */
async function pastPartition(service: OperatedService): Promise<string> {
  const { accountId } = await service.otherAccount()
  await partitionTables(service, { MESSAGES }, [service.world.clock.now().toISOString()])
  await plantMessages(service, SPARSE)
  await plantMessages(service, { ...SPARSE, accountId, count: 500 })
  service.world.clock.moveTo(200 * DAY_MS)
  return accountId
}

test('messages deleted by accounts with different retention return their disk space', {
  skip: WITHOUT_REPACKING,
}, async (t) => {
  const service = await operatedService(t)
  const { db, clock } = service.world
  const other = await pastPartition(service)
  await service.operate('PATCH', `/account/${service.accountId}`, { recordRetentionDays: 60 })
  await service.operate('PATCH', `/account/${other}`, { recordRetentionDays: null })
  const before = { bytes: await totalBytes(db), outline: await outline(db) }

  await sumAccount(db.patient, service.accountId, clock.now(), clock.now())
  const loop = accountRetentionLoop(service.world)
  while ((await loop.step(signal)) > 0);
  await partitionLoop(service.world).step(signal)
  const rows = () => db.query(sql`select * from messages order by account_id, id`)
  const kept = await rows()
  assert.equal(kept.length, 500)
  await administer(service.databaseUrl, 'vacuum messages_first')
  const vacuumed = await totalBytes(db)

  await repackUntilDone(service.world)
  const after = await totalBytes(db)
  assert.ok(after * 3 < vacuumed, `${before.bytes}, vacuumed ${vacuumed}, repacked ${after} bytes`)
  t.diagnostic(`${before.bytes} bytes, ${vacuumed} after a vacuum, ${after} after repacking`)
  assert.deepEqual(await rows(), kept)
  assert.deepEqual(await outline(db), before.outline)
  assert.equal(
    await repackLoop(service.world, SMALL).step(signal),
    0,
    'there is nothing left to do',
  )
})

test('rows that change while a partition is repacked are exact afterwards', {
  skip: WITHOUT_REPACKING,
}, async (t) => {
  const service = await operatedService(t)
  await pastPartition(service)
  const mirror = await Mirror.of(service)
  const loop = repackLoop(service.world, SMALL)
  let steps = 0
  for (; (await loop.step(signal)) > 0; steps += 1)
    for (let i = 0; i < 5; i += 1) await mirror.change()
  assert.ok(steps > 10, `${steps} steps`)
  await mirror.assertEqual()
  await mirror.change()
  await mirror.assertEqual()
})

test('an exchange that has to wait gives up, and happens later', {
  skip: WITHOUT_REPACKING,
}, async (t) => {
  const service = await operatedService(t)
  const { db } = service.world
  await pastPartition(service)
  const mirror = await Mirror.of(service)
  const loop = repackLoop(service.world, SMALL)
  await db.transaction(async (tx) => {
    await tx.query(sql`select 1 from messages limit 1`)
    const failure = await (async () => {
      for (;;) await loop.step(signal)
    })().catch((error: Error) => error)
    assert.match(failure.message, /lock timeout|busy/i)
    await mirror.change()
  })
  await repackUntilDone(service.world)
  await mirror.assertEqual()
})

test('a partition that a migration changed meanwhile is copied again', {
  skip: WITHOUT_REPACKING,
}, async (t) => {
  const service = await operatedService(t)
  const { db } = service.world
  await pastPartition(service)
  const loop = repackLoop(service.world, SMALL)
  for (let i = 0; i < 4; i += 1) assert.equal(await loop.step(signal), 1)
  await administer(service.databaseUrl, `alter table messages add column later text default 'new'`)
  await repackUntilDone(service.world)
  const [row] = await db.query<{ count: number }>(
    sql`select count(*)::int as count from messages where later = 'new'`,
  )
  assert.equal(row!.count, SPARSE.count + 500)
})

test('a partition that is dropped takes its unfinished copy along', {
  skip: WITHOUT_REPACKING,
}, async (t) => {
  const service = await operatedService(t, { env: { LONGCODE_RECORD_DAYS: '90' } })
  const { db, clock } = service.world
  const other = await pastPartition(service)
  const loop = repackLoop(service.world, SMALL)
  for (let i = 0; i < 4; i += 1) assert.equal(await loop.step(signal), 1)
  for (const accountId of [service.accountId, other])
    await sumAccount(db.patient, accountId, clock.now(), clock.now())
  await partitionLoop(service.world).step(signal)
  const tables = await db.query(sql`
    select relname from pg_class where relname like 'messages_first%' and relkind = 'r'`)
  assert.deepEqual(tables, [])
  assert.equal(await loop.step(signal), 0)
})
