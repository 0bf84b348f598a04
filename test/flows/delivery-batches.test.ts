// Deliveries without rows: what a statement leased to one subscriber is one row, until each of them is recorded or in the queue.

import assert from 'node:assert/strict'
import {
  type EndedBatch,
  findEndedBatches,
  queueDirectDeliveries,
  recordDirectDeliveries,
  requeueBatch,
} from '../../src/events/queue/delivery-batch-queries.js'
import { claimDeliveries } from '../../src/events/queue/delivery-claim-queries.js'
import { findDeliveryDepth } from '../../src/events/queue/delivery-depth-queries.js'
import { findDelivery, listDeliveries } from '../../src/events/queue/delivery-record-queries.js'
import type { DirectBatch } from '../../src/events/queue/direct-deliveries.js'
import { newId } from '../../src/kit/ids.js'
import type { Database } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { askAll, at, NOW, OTHER, OWN, put, rowsOf, subscribe } from './delivery-rows.js'

interface Item {
  eventId: string
  messageId: string
}

/** The IDs of an event and its message have a part in common. */
function itemOf(number: number, sequence = 1): Item {
  const message = newId('msg', at(-number))
  const rest = `0000000000${String(number).padStart(4, '0')}`
  const head = message.slice(4, 14)
  return { messageId: `msg_${head}${rest}00`, eventId: `evt_${head}${rest}0${sequence}` }
}

const FIRST = itemOf(1)
const SECOND = itemOf(2)
const THIRD = itemOf(3)
const ITEMS = [FIRST, SECOND, THIRD]

/** A batch of the same ID in both accounts. */
async function putBatch(db: Database, items: readonly Item[] = ITEMS): Promise<DirectBatch> {
  for (const account of [OTHER, OWN]) {
    for (const { eventId, messageId } of items) {
      await db.query(sql`
        insert into events (account_id, id, event_type, message_id, sequence, created_at)
        values (${account}, ${eventId}, 'message.status', ${messageId}, ${Number(eventId.slice(-2))}::smallint, ${NOW})`)
    }
    await db.query(sql`
      insert into delivery_batches (account_id, id, subscriber_id, event_ids, lease_until, created_at)
      values (${account}, 'bat_1', 'a', ${items.map(({ eventId }) => eventId)}::text[], ${at(50)}, ${at(-1)})`)
  }
  return { id: 'bat_1', left: items.length }
}

const result = (batch: DirectBatch, item: Item) => ({
  ...{ ...item, batch, at: at(-2), responseStatus: 204, durationMs: 7 },
  ...{ responseBody: 'ok', request: 'request' },
})

const batchesOf = async (db: Database) =>
  (
    await db.query<{ account: string }>(
      sql`select account_id as account from delivery_batches order by account_id`,
    )
  ).map(({ account }) => account)

async function listed(db: Database, account = OWN): Promise<Record<string, string>> {
  const page = { after: null, limit: 9, skip: 0 }
  const deliveries = await listDeliveries(db, account, 'a', null, page)
  return Object.fromEntries(deliveries.map(({ eventId, state }) => [eventId, state]))
}

const ended = (accountId: string): EndedBatch => ({ accountId, id: 'bat_1', subscriberId: 'a' })

askAll('deliveries in batches', {
  'are pending and leased in every list, and in the count of pending ones': async (db) => {
    await putBatch(db)
    const pending = Object.fromEntries(ITEMS.map(({ eventId }) => [eventId, 'pending']))
    assert.deepEqual(await listed(db), pending)
    const [newest] = await listDeliveries(db, OWN, 'a', 'pending', {
      after: null,
      limit: 1,
      skip: 0,
    })
    const { id, ...shown } = newest!
    assert.deepEqual(shown, {
      ...{ accountId: OWN, subscriberId: 'a', eventType: 'message.status', sequence: 1 },
      ...{ ...FIRST, state: 'pending', attempts: 0, attemptsBefore: 0, dueAt: at(-1) },
      ...{ isLeased: true, createdAt: at(-1), finishedAt: null },
    })
    assert.deepEqual(await findDelivery(db, OWN, 'a', id), newest)
    assert.equal(await findDelivery(db, OWN, 'b', id), null)
    const after = await listDeliveries(db, OWN, 'a', null, { after: id, limit: 9, skip: 1 })
    assert.deepEqual(
      after.map(({ eventId }) => eventId),
      [THIRD.eventId],
    )
    for (const state of ['delivered', 'failed', 'held'] as const) {
      const page = { after: null, limit: 9, skip: 0 }
      assert.deepEqual(await listDeliveries(db, OWN, 'a', state, page), [])
    }
    assert.deepEqual(
      await listDeliveries(db, OWN, 'b', null, { after: null, limit: 9, skip: 0 }),
      [],
    )
    const { pending: count, waiting } = await findDeliveryDepth(db, 'webhook', NOW)
    assert.deepEqual([count, waiting], [6, 0])
    assert.equal((await findDeliveryDepth(db, 'smpp', NOW)).pending, 0)
  },

  'are recorded one by one, and the last one ends their batch': async (db) => {
    const batch = await putBatch(db)
    await recordDirectDeliveries(db, OWN, [result(batch, FIRST), result(batch, THIRD)], NOW)
    assert.deepEqual(await listed(db), {
      ...{
        [FIRST.eventId]: 'delivered',
        [SECOND.eventId]: 'pending',
        [THIRD.eventId]: 'delivered',
      },
    })
    assert.equal(batch.left, 1)
    assert.deepEqual(await batchesOf(db), [OTHER, OWN])
    await recordDirectDeliveries(db, OWN, [result(batch, SECOND)], NOW)
    assert.equal((await listed(db))[SECOND.eventId], 'delivered')
    assert.deepEqual(await batchesOf(db), [OTHER], 'only of this account')
    assert.deepEqual(new Set(Object.values(await listed(db, OTHER))), new Set(['pending']))
    assert.equal((await findDeliveryDepth(db, 'webhook', NOW)).pending, 3)
    const [row] = await db.query(sql`
      select account_id, subscriber_id, event_id, event_type, message_id, sequence, created_at, finished_at, attempted_at,
        duration_ms, response_status, response_body, request
      from event_arrivals where event_id = ${FIRST.eventId}`)
    assert.deepEqual(row, {
      ...{ account_id: OWN, subscriber_id: 'a', event_type: 'message.status', sequence: 1 },
      ...{ event_id: FIRST.eventId, message_id: FIRST.messageId, created_at: at(-1) },
      ...{ finished_at: NOW, attempted_at: at(-2), duration_ms: 7, response_status: 204 },
      ...{ response_body: 'ok', request: 'request' },
    })
  },

  'go to the queue, due or still leased, and the last one ends their batch': async (db) => {
    const batch = await putBatch(db)
    await queueDirectDeliveries(db, OWN, [{ ...FIRST, batch }], at(5), true)
    assert.deepEqual(Object.values(await rowsOf(db, OWN)), [['pending', 5, 50]])
    const others = [
      { ...SECOND, batch },
      { ...THIRD, batch },
    ]
    await queueDirectDeliveries(db, OWN, others, at(6), false)
    assert.deepEqual(Object.values(await rowsOf(db, OWN)).toSorted(), [
      ['pending', 5, 50],
      ['pending', 6, null],
      ['pending', 6, null],
    ])
    assert.deepEqual(await batchesOf(db), [OTHER])
    assert.equal(Object.keys(await listed(db)).length, 3, 'each is listed once')
  },

  'go to the queue when their lease has ended, without those that are finished': async (db) => {
    const batch = await putBatch(db)
    await recordDirectDeliveries(db, OWN, [result(batch, FIRST)], NOW)
    await queueDirectDeliveries(db, OWN, [{ ...SECOND, batch }], at(5), true)
    assert.deepEqual(await findEndedBatches(db, at(49)), [])
    const found = await findEndedBatches(db, at(50))
    assert.deepEqual(found.map(({ accountId }) => accountId).toSorted(), [OTHER, OWN])
    await db.transaction((tx) => requeueBatch(tx, ended(OWN), at(49)))
    assert.deepEqual(await batchesOf(db), [OTHER, OWN], 'its lease has not ended')
    await db.transaction((tx) => requeueBatch(tx, ended(OWN), at(60)))
    assert.deepEqual(await batchesOf(db), [OTHER])
    assert.deepEqual(Object.values(await rowsOf(db, OWN)).toSorted(), [
      ['pending', 5, 50],
      ['pending', 60, null],
    ])
    assert.deepEqual(await rowsOf(db, OTHER), {})
    assert.equal((await listed(db))[FIRST.eventId], 'delivered')
  },

  'are not recorded by a process whose lease was taken over': async (db) => {
    const batch = await putBatch(db)
    await db.transaction((tx) => requeueBatch(tx, ended(OWN), at(60)))
    const before = await rowsOf(db, OWN)
    await recordDirectDeliveries(
      db,
      OWN,
      ITEMS.map((item) => result(batch, item)),
      at(61),
    )
    await queueDirectDeliveries(db, OWN, [{ ...FIRST, batch: { ...batch, left: 1 } }], at(62), true)
    assert.deepEqual(await rowsOf(db, OWN), before)
    assert.deepEqual(await db.query(sql`select id from event_arrivals`), [])
  },

  'are waited for by later events of their messages until they are recorded': async (db) => {
    const batch = await putBatch(db)
    for (const account of [OTHER, OWN]) await subscribe(db, account, ['a', 'b'])
    const later: [string, number] = [FIRST.messageId, 2]
    await put(db, [
      { id: 'later', message: later },
      { id: 'other', message: ['msg_other', 2] },
    ])
    await put(db, [{ id: "another webhook's", subscriber: 'b', message: later }])
    const claimed = async () => {
      const slots = ['a', 'b'].map((subscriberId) => ({ subscriberId, slots: 9 }))
      const rows = await claimDeliveries(db, OWN, slots, at(3_000), at(45_000))
      return rows.filter(({ isClaimed }) => isClaimed).map(({ id }) => id)
    }
    assert.deepEqual((await claimed()).toSorted(), ["another webhook's", 'other'])
    await recordDirectDeliveries(db, OWN, [result(batch, FIRST)], NOW)
    await db.query(
      sql`update event_deliveries set waits_until = null, due_at = ${NOW} where id = 'later'`,
    )
    assert.deepEqual(await batchesOf(db), [OTHER, OWN])
    assert.deepEqual(await claimed(), ['later'], 'although its batch is still there')
  },
})
