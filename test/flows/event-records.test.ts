// Events and deliveries as records: read and deleted for one account and one subscriber, up to the exact ID, next
// to a second account whose records have the same IDs.

import assert from 'node:assert/strict'
import type { DeliveryState } from '../../src/events/event.js'
import {
  deleteEventsBefore,
  findNextAccount,
  listEventsAfter,
  listEventsById,
} from '../../src/events/event-queries.js'
import {
  deleteDeliveredEventsBefore,
  listDeliveredEvents,
  recordDeliveredEvents,
  redactDeliveredEvents,
} from '../../src/events/queue/delivered-event-queries.js'
import { findDeliveryDepth } from '../../src/events/queue/delivery-depth-queries.js'
import {
  deleteDeliveriesBefore,
  findDelivery,
  listDeliveries,
} from '../../src/events/queue/delivery-record-queries.js'
import type { Queryable } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { askAll, at, NOW, OTHER, OWN, put, putDeliveredEvent, subscribe } from './delivery-rows.js'

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
  'a delivery is found by its account, webhook, and ID': async (db) => {
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
    assert.deepEqual(
      await list(null, null, 1),
      ['d4', 'd3'],
      'one more, to know whether there is a next page',
    )
    assert.deepEqual(await list(null, null, 1, 3), ['d1', 'd0'])
  },

  'a first-attempt success is found and listed among the others, page by page': async (db) => {
    const states = { d0: 'delivered', d2: 'pending', d4: 'delivered', d6: 'held' }
    await put(
      db,
      Object.entries(states).map(([id, state]) => ({ id, state })),
    )
    for (const id of ['d1', 'd3', 'd5']) await putDeliveredEvent(db, { id })
    await putDeliveredEvent(db, { id: 'd8', subscriber: 'b' })
    await putDeliveredEvent(db, { id: 'd9' }, [OTHER])
    assert.deepEqual(await findDelivery(db, OWN, 'a', 'd3'), {
      ...{ accountId: OWN, id: 'd3', subscriberId: 'a', eventId: 'evt of d3' },
      ...{ eventType: 'message.status', messageId: null, sequence: null, state: 'delivered' },
      ...{ attempts: 1, attemptsBefore: 0, dueAt: null, isLeased: false, createdAt: at(-3) },
      finishedAt: at(-1),
    })
    for (const [subscriber, id] of [
      ['b', 'd3'],
      ['a', 'd8'],
      ['a', 'd9'],
    ] as const) {
      assert.equal(await findDelivery(db, OWN, subscriber, id), null, `${subscriber} ${id}`)
    }
    const list = async (
      state: DeliveryState | null,
      page: Partial<{ after: string; limit: number; skip: number }> = {},
    ) => {
      const whole = { after: null, limit: 9, skip: 0, ...page }
      return idsOf(await listDeliveries(db, OWN, 'a', state, whole)).join(' ')
    }
    assert.equal(await list(null), 'd6 d5 d4 d3 d2 d1 d0')
    assert.equal(await list('delivered'), 'd5 d4 d3 d1 d0')
    assert.equal(await list('held'), 'd6')
    assert.equal(await list('pending'), 'd2')
    assert.equal(await list(null, { after: 'd4' }), 'd3 d2 d1 d0')
    assert.equal(await list('delivered', { after: 'd5', limit: 1 }), 'd4 d3')
    assert.equal(await list(null, { limit: 2, skip: 3 }), 'd3 d2 d1')
    assert.equal(await list('delivered', { limit: 1, skip: 3 }), 'd1 d0')
  },

  'a delivered event leaves the queue once, for the lease holder': async (db) => {
    const of = (id: string, lease: number) => ({
      ...{ deliveryId: id, leaseUntil: at(lease), at: at(-2), responseStatus: 204 },
      ...{ durationMs: 7, responseBody: `ok ${id}`, request: `request ${id}` },
    })
    await put(db, [
      { id: 'd1', lease: 5, message: ['m', 2] },
      { id: 'd2', lease: 6 },
      { id: 'd3', lease: 5 },
    ])
    await recordDeliveredEvents(db, OWN, [of('d1', 5), of('d2', 5), of('none', 5)], NOW)
    await recordDeliveredEvents(db, OWN, [of('d1', 5)], at(1))
    assert.deepEqual(await idsIn(db, 'deliveries', OWN), ['d2', 'd3'], 'd2 has another lease')
    assert.deepEqual(await idsIn(db, 'deliveries', OTHER), ['d1', 'd2', 'd3'])
    const arrived = await listDeliveredEvents(db, OWN, ['d1', 'd2', 'd3'])
    const { leaseUntil, ...kept } = of('d1', 5)
    const about = { subscriberId: 'a', eventId: 'evt of d1', messageId: 'm' }
    assert.deepEqual(arrived, [{ ...kept, ...about }])
    const { sequence, createdAt, finishedAt } = (await findDelivery(db, OWN, 'a', 'd1'))!
    assert.deepEqual([sequence, createdAt, finishedAt], [2, at(-1), NOW])
    assert.deepEqual(await listDeliveredEvents(db, OTHER, ['d1']), [])
  },

  'delivered records are redacted and deleted in portions, before the given ID, of one account':
    async (db) => {
      for (const id of ['d1', 'd2', 'd3', 'd4']) await putDeliveredEvent(db, { id })
      const requests = async (account: string) =>
        (await listDeliveredEvents(db, account, ['d1', 'd2', 'd3', 'd4'])).map(
          ({ request }) => request,
        )
      assert.equal(await redactDeliveredEvents(db, OWN, 'd3'), 2)
      assert.equal(await redactDeliveredEvents(db, OWN, 'd3'), 0, 'once')
      assert.deepEqual(await requests(OWN), [null, null, `${OWN} d3`, `${OWN} d4`])
      const remove = () => deleteDeliveredEventsBefore(db, OWN, 'd4', 2)
      assert.deepEqual([await remove(), await remove(), await remove()], [2, 1, 0])
      assert.deepEqual(await requests(OWN), [`${OWN} d4`])
      assert.equal((await requests(OTHER)).filter((request) => request !== null).length, 4)
    },

  'deliveries and events are deleted in portions, oldest first, before the given ID': async (
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

  'events are read after an ID, oldest first, or by their IDs, of one account': async (db) => {
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

  'accounts with events are listed one after the other': async (db) => {
    await putEvents(db, OWN, ['e1', 'e2'])
    await putEvents(db, OTHER, ['e1', 'e2'])
    const next = [await findNextAccount(db, ''), await findNextAccount(db, OTHER)]
    assert.deepEqual([...next, await findNextAccount(db, OWN)], [OTHER, OWN, null])
  },

  'waiting means due and free, and pending also includes later deliveries': async (db) => {
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
