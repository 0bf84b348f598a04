// Events and deliveries as records: read and deleted for one account and one subscriber, up to the very id
// that is named, beside a second account whose records have the same ids.

import assert from 'node:assert/strict'
import {
  deleteEventsBefore,
  findNextAccount,
  listEventsAfter,
  listEventsById,
} from '../../src/events/event-queries.js'
import { findDeliveryDepth } from '../../src/events/queue/delivery-depth-queries.js'
import {
  deleteDeliveriesBefore,
  findDelivery,
  listDeliveries,
} from '../../src/events/queue/delivery-record-queries.js'
import type { Queryable } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { askAll, at, NOW, OTHER, OWN, put, subscribe } from './delivery-rows.js'

async function putEvents(db: Queryable, account: string, ids: string[]): Promise<void> {
  for (const id of ids) {
    await db.query(sql`
      insert into events (account_id, id, event_type, created_at)
      values (${account}, ${id}, 'message.status', ${NOW})`)
  }
}

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)

async function idsIn(db: Queryable, table: 'events' | 'deliveries', account: string) {
  const statement =
    table === 'events'
      ? sql`select id from events where account_id = ${account} order by id`
      : sql`select id from event_deliveries where account_id = ${account} order by id`
  return idsOf(await db.query<{ id: string }>(statement))
}

askAll('records of events', {
  'a delivery is found by its account, its webhook and its id': async (db) => {
    await put(db, [{ id: 'd1' }, { id: 'd2' }, { id: 'd3', subscriber: 'b' }])
    await put(db, [{ id: 'd0', lease: 5 }], [OTHER])
    const found = await findDelivery(db, OWN, 'a', 'd2')
    assert.deepEqual(found, {
      ...{ accountId: OWN, id: 'd2', subscriberId: 'a', eventId: 'evt of d2' },
      ...{ eventType: 'message.status', messageId: null, sequence: null, state: 'pending' },
      ...{ attempts: 0, attemptsBefore: 0, dueAt: NOW, isLeased: false, createdAt: at(-1) },
      finishedAt: null,
    })
    assert.equal((await findDelivery(db, OTHER, 'a', 'd0'))!.isLeased, true)
    for (const [subscriber, id] of [
      ['a', 'd0'],
      ['a', 'd3'],
      ['b', 'd1'],
      ['a', 'd9'],
    ] as const) {
      assert.equal(await findDelivery(db, OWN, subscriber, id), null, `${subscriber} ${id}`)
    }
  },

  'deliveries are listed newest first, by state, page by page': async (db) => {
    const states = ['pending', 'held', 'delivered', 'failed', 'held']
    await put(
      db,
      states.map((state, i) => ({ id: `d${i}`, state })),
    )
    await put(db, [{ id: 'd8', subscriber: 'b' }])
    await put(db, [{ id: 'd9', state: 'held' }], [OTHER])
    const list = async (state: 'held' | null, after: string | null, limit = 9, skip = 0) =>
      idsOf(await listDeliveries(db, OWN, 'a', state, { limit, skip, after }))
    assert.deepEqual(await list(null, null), ['d4', 'd3', 'd2', 'd1', 'd0'])
    assert.deepEqual(await list('held', null), ['d4', 'd1'])
    assert.deepEqual(await list('held', 'd4'), ['d1'])
    assert.deepEqual(await list(null, 'd2'), ['d1', 'd0'])
    assert.deepEqual(await list(null, null, 1), ['d4', 'd3'], 'one more, to know whether it ends')
    assert.deepEqual(await list(null, null, 1, 3), ['d1', 'd0'])
  },

  'deliveries and events end in portions, the oldest first, before the id that is named': async (
    db,
  ) => {
    const ids = ['r1', 'r2', 'r3', 'r4', 'r5']
    await put(
      db,
      ids.map((id) => ({ id })),
    )
    await put(db, [{ id: 'r0' }], [OTHER])
    await putEvents(db, OTHER, ['r0', ...ids])
    await putEvents(db, OWN, ids)
    for (const [table, remove] of [
      ['deliveries', deleteDeliveriesBefore],
      ['events', deleteEventsBefore],
    ] as const) {
      assert.equal(await remove(db, OWN, 'r4', 2), 2, table)
      assert.deepEqual(await idsIn(db, table, OWN), ['r3', 'r4', 'r5'])
      assert.deepEqual([await remove(db, OWN, 'r4', 2), await remove(db, OWN, 'r4', 2)], [1, 0])
      assert.deepEqual(await idsIn(db, table, OWN), ['r4', 'r5'])
      assert.deepEqual(await idsIn(db, table, OTHER), ['r0', ...ids])
    }
  },

  'events are read after an id, oldest first, or by their ids, and of one account': async (db) => {
    await putEvents(db, OTHER, ['e0', 'e1', 'e2', 'e9'])
    await putEvents(db, OWN, ['e3', 'e2', 'e1'])
    const after = async (id: string, limit = 9) => idsOf(await listEventsAfter(db, OWN, id, limit))
    assert.deepEqual(await after(''), ['e1', 'e2', 'e3'])
    assert.deepEqual(await after('e1'), ['e2', 'e3'])
    assert.deepEqual(await after('e', 2), ['e1', 'e2'])
    assert.deepEqual(await after('e3'), [])
    const some = await listEventsById(db, OWN, ['e1', 'e3', 'e9'])
    assert.deepEqual(some.map(({ accountId, id }) => [accountId, id]).sort(), [
      [OWN, 'e1'],
      [OWN, 'e3'],
    ])
  },

  'the accounts that have events are gone through one after the other': async (db) => {
    await putEvents(db, OWN, ['e1', 'e2'])
    await putEvents(db, OTHER, ['e1', 'e2'])
    const next = [await findNextAccount(db, ''), await findNextAccount(db, OTHER)]
    assert.deepEqual([...next, await findNextAccount(db, OWN)], [OTHER, OWN, null])
  },

  'what waits is what is due and free; what is pending is that and what comes later': async (
    db,
  ) => {
    await subscribe(db, OWN, ['a', 'b'], ['off 1', 'off 2'])
    const empty = { waiting: 0, pending: 0, oldestDueAt: null, disabledSubscriptions: 2 }
    assert.deepEqual(await findDeliveryDepth(db, 'webhook', NOW), empty)
    await put(
      db,
      [
        { id: 'leased', due: -9, lease: 1 },
        { id: 'later', due: 1 },
      ],
      [OWN],
    )
    assert.deepEqual(await findDeliveryDepth(db, 'webhook', NOW), { ...empty, pending: 2 })
    const rows = [{ id: 'now' }, { id: 'lease over', due: -5, lease: 0 }]
    await put(db, [...rows, { id: 'done', state: 'delivered' }], [OWN])
    const depth = { ...empty, waiting: 2, pending: 4, oldestDueAt: at(-5) }
    assert.deepEqual(await findDeliveryDepth(db, 'webhook', NOW), depth)
  },
})
