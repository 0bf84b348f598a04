// A long queue costs no more than a short one: a statement reads only what it takes, even if the planner's
// statistics are from when the queue was empty.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { appendPieces } from '../../src/events/append-queries.js'
import {
  claimDeliveries,
  type DueSubscriber,
  findDueSubscribers,
} from '../../src/events/queue/delivery-claim-queries.js'
import { wakeLaterDeliveries } from '../../src/events/queue/delivery-outcome-queries.js'
import { newId } from '../../src/kit/ids.js'
import { plannerStatisticsLoop } from '../../src/kit/planner-statistics.js'
import type { Transaction } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { recordAttempts } from '../../src/webhooks/attempt-queries.js'
import { activeCampaign } from '../fixtures.js'
import { eventually, type TestService, testService } from '../harness.js'
import { createWebhook } from './webhook-receiver.js'

const BACKLOG = 3_000
const TAKEN = 20

const ADD = `
  with source as (
    select id, 'message.status' as event_type, $4::text as campaign_id, null::text as number,
      replace(id, 'evt', 'msg') as message_id, $5::smallint as sequence, 'SENT' as status,
      'QUEUED' as previous_status, null::integer as error_code, null::text as error_message,
      null::jsonb as data
    from unnest($3::text[]) as id
  ), ${appendPieces({ name: 'source' })} select 1`

/** What this connection has read of the deliveries lately. Only differences count. */
async function readSoFar(tx: Transaction): Promise<{ scanned: number; fetched: number }> {
  const [row] = await tx.query<{ scanned: number; fetched: number }>(sql`
    select coalesce(sum(seq_tup_read), 0)::int as scanned, coalesce(sum(idx_tup_fetch), 0)::int as fetched
    from pg_stat_xact_user_tables where relid in (
      select relid from pg_partition_tree('event_deliveries') where isleaf)`)
  return row!
}

async function reads(service: TestService, work: (tx: Transaction) => Promise<void>) {
  return service.world.db.transaction(async (tx) => {
    const before = await readSoFar(tx)
    await work(tx)
    const { scanned, fetched } = await readSoFar(tx)
    return { scanned: scanned - before.scanned, fetched: fetched - before.fetched }
  })
}

/** What was in the queue when the planner last analyzed it: nothing pending, or nothing at all. */
type Analyzed = 'none pending' | 'empty'

async function queueUp(
  service: TestService,
  analyzed: Analyzed,
  add: () => Promise<unknown>,
  due: Date,
) {
  const { db } = service.world
  await add()
  await db.query(sql`update event_deliveries set state = 'held', due_at = null`)
  if (analyzed === 'empty') {
    await db.query(sql`vacuum analyze event_deliveries`)
    await db.query(sql`delete from event_deliveries`)
  }
  await db.query(sql`vacuum (analyze, truncate false) event_deliveries`)
  if (analyzed === 'empty') await add()
  await db.query(sql`update event_deliveries set state = 'pending', due_at = ${due}`)
  if (analyzed === 'empty') await followRows(service)
}

/** As a service does every two seconds. Otherwise the planner assumes that a queue that was empty still is. */
async function followRows({ world }: TestService): Promise<void> {
  const { step } = plannerStatisticsLoop(world, ['event_deliveries'])
  await eventually(async () => {
    await step(new AbortController().signal)
    const [row] = await world.db.query<{ rows: number }>(sql`
      select sum(greatest(reltuples, 0))::float8 as rows from pg_class
      where oid in (select relid from pg_partition_tree('event_deliveries') where isleaf)`)
    return row!.rows >= BACKLOG
  }, 'the planner’s statistics of the queue')
}

for (const analyzed of ['none pending', 'empty'] as const) {
  test(`claiming, recording, and waking read what they take, however long the queue (${analyzed} before)`, (t) =>
    claimRecordAndWake(t, analyzed))

  test(`events behind earlier ones are postponed without reading the queue (${analyzed} before)`, (t) =>
    setAside(t, analyzed))
}

async function claimRecordAndWake(t: TestContext, analyzed: Analyzed): Promise<void> {
  const service = await testService(t)
  const { db, clock } = service.world
  const { accountId } = service
  const { campaignId } = await activeCampaign(service)
  const webhooks = [
    await createWebhook(service, campaignId, 'https://one.example/'),
    await createWebhook(service, campaignId, 'https://two.example/'),
  ]
  const add = () => {
    const ids = Array.from({ length: BACKLOG }, () => newId('evt', clock.now()))
    return db.query({ name: '', text: ADD, values: [accountId, clock.now(), ids, campaignId, 1] })
  }
  await queueUp(service, analyzed, add, clock.now())

  const leaseUntil = new Date(clock.now().getTime() + 45_000)
  const wanted = webhooks.map(({ id }) => ({ subscriberId: id, slots: TAKEN }))
  let claimed: Awaited<ReturnType<typeof claimDeliveries>> = []
  const claim = await reads(service, async (tx) => {
    claimed = await claimDeliveries(tx, accountId, wanted, clock.now(), leaseUntil)
  })
  assert.equal(claimed.filter(({ isClaimed }) => isClaimed).length, 2 * TAKEN)
  assert.equal(claim.scanned, 0)
  assert.ok(claim.fetched <= 10 * TAKEN, `claiming ${2 * TAKEN} read ${claim.fetched}`)

  const record = await reads(service, (tx) =>
    recordAttempts(
      tx,
      accountId,
      claimed.map((delivery) => ({
        deliveryId: delivery.id,
        webhookId: delivery.subscriberId,
        eventId: delivery.eventId,
        messageId: delivery.messageId,
        batch: null,
        attempt: 1,
        leaseUntil,
        state: 'delivered',
        dueAt: null,
        requestBody: '{}',
        requestHead: null,
        request: 'words',
        at: clock.now(),
        responseStatus: 200,
        durationMs: 1,
        responseBody: 'ok',
        error: null,
      })),
      clock.now(),
    ),
  )
  assert.equal(record.scanned, 0)
  assert.ok(record.fetched <= 10 * TAKEN, `recording ${2 * TAKEN} read ${record.fetched}`)

  const wake = await reads(service, async (tx) => {
    const finished = claimed.map(({ subscriberId, messageId, sequence }) => ({
      subscriberId,
      messageId: messageId!,
      sequence: sequence!,
    }))
    await wakeLaterDeliveries(tx, accountId, finished, clock.now())
  })
  assert.equal(wake.scanned, 0)
  assert.ok(wake.fetched <= 10 * TAKEN, `waking read ${wake.fetched}`)
}

async function setAside(t: TestContext, analyzed: Analyzed): Promise<void> {
  const service = await testService(t)
  const { db, clock } = service.world
  const { accountId } = service
  const { campaignId } = await activeCampaign(service)
  const webhook = await createWebhook(service, campaignId, 'https://one.example/')
  // Each message has a first event, with its retry ahead, and a second one, which is due.
  const later = new Date(clock.now().getTime() + 60_000)
  const add = () => {
    const first = Array.from({ length: BACKLOG }, () => newId('evt', clock.now()))
    return db.query({ name: '', text: ADD, values: [accountId, later, first, campaignId, 1] })
  }
  await queueUp(service, analyzed, add, later)
  await db.query(sql`
    insert into event_deliveries (account_id, id, subscriber_id, event_id, event_type, message_id,
      sequence, state, due_at, created_at)
    select account_id, id || 'x', subscriber_id, event_id, event_type, message_id, 2, 'pending',
      ${clock.now()}, created_at
    from event_deliveries`)
  const leaseUntil = new Date(clock.now().getTime() + 45_000)
  const wanted = [{ subscriberId: webhook.id, slots: TAKEN }]
  let claimed: Awaited<ReturnType<typeof claimDeliveries>> = []
  const claim = await reads(service, async (tx) => {
    claimed = await claimDeliveries(tx, accountId, wanted, clock.now(), leaseUntil)
  })
  assert.equal(claimed.length, TAKEN)
  assert.ok(claimed.every(({ isClaimed }) => !isClaimed))
  assert.equal(claim.scanned, 0)
  assert.ok(claim.fetched <= 10 * TAKEN, `setting ${TAKEN} aside read ${claim.fetched}`)
  const [left] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from event_deliveries where due_at <= ${clock.now()}`)
  assert.ok(left!.count >= BACKLOG - TAKEN)
}

test('a check for work reads what recently became due, not the queue', async (t) => {
  const service = await testService(t)
  const { db, clock } = service.world
  const { campaignId } = await activeCampaign(service)
  const webhook = await createWebhook(service, campaignId, 'https://one.example/')
  const longAgo = new Date(clock.now().getTime() - 3_600_000)
  const ids = Array.from({ length: BACKLOG }, () => newId('evt', longAgo))
  const add = (eventIds: string[], now: Date) =>
    db.query({ name: '', text: ADD, values: [service.accountId, now, eventIds, campaignId, 1] })
  await add(ids, longAgo)
  await add([newId('evt', clock.now())], clock.now())
  await db.query(sql`vacuum analyze event_deliveries`)
  const since = new Date(clock.now().getTime() - 60_000)
  let found: DueSubscriber[] = []
  const result = await reads(service, async (tx) => {
    found = await findDueSubscribers(tx, 'webhook', since, new Date(clock.now().getTime() + 1_000))
  })
  assert.deepEqual(
    found.map(({ subscriberId }) => subscriberId),
    [webhook.id],
  )
  assert.deepEqual(result, { scanned: 0, fetched: 1 })
})
