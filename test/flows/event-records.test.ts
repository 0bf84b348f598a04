// Events, deliveries and subscriptions as records: read, changed and deleted for one account and one
// subscriber, up to the very id that is named, beside a second account whose records have the same ids.

import assert from 'node:assert/strict'
import { findDeliveryDepth } from '../../src/events/delivery-depth-queries.js'
import {
  deleteDeliveriesBefore,
  findDelivery,
  listDeliveries,
} from '../../src/events/delivery-record-queries.js'
import {
  deleteEventsBefore,
  findNextAccount,
  listEventsAfter,
  listEventsById,
} from '../../src/events/event-queries.js'
import {
  checkBrandSubscribers,
  deleteSubscription,
  updateSubscribedBrand,
  updateSubscription,
} from '../../src/events/subscription-queries.js'
import type { Database, Queryable } from '../../src/kit/db.js'
import { sql } from '../../src/kit/sql.js'
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

interface SubscriptionRow {
  subscriber: string
  types: string[]
  numbers: string[] | null
  on: boolean
  brand: string | null
}

async function subscriptionsOf(db: Queryable, account: string) {
  return db.query<SubscriptionRow>(sql`
    select subscriber_id as subscriber, event_types as types, numbers, is_enabled as on,
      brand_id as brand
    from event_subscriptions where account_id = ${account} order by subscriber_id`)
}

/** How many subscriptions of a campaign hear of a brand. */
async function subscribeToBrand(db: Queryable, account: string, brand: string, count: number) {
  await db.query(sql`
    insert into event_subscriptions (account_id, subscriber_id, campaign_id, event_types, brand_id)
    select ${account}, ${brand} || n, 'cmp_many', '{brand.changed}', ${brand}
    from generate_series(1, ${count}::int) n`)
}

const brandsOf = async (db: Database, account: string) =>
  (await subscriptionsOf(db, account)).map(({ brand }) => brand)

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
    const empty = { waiting: 0, pending: 0, oldestDueAt: null, subscriptionsOff: 2 }
    assert.deepEqual(await findDeliveryDepth(db, NOW), empty)
    await put(
      db,
      [
        { id: 'leased', due: -9, lease: 1 },
        { id: 'later', due: 1 },
      ],
      [OWN],
    )
    assert.deepEqual(await findDeliveryDepth(db, NOW), { ...empty, pending: 2 })
    const rows = [{ id: 'now' }, { id: 'lease over', due: -5, lease: 0 }]
    await put(db, [...rows, { id: 'done', state: 'delivered' }], [OWN])
    const depth = { ...empty, waiting: 2, pending: 4, oldestDueAt: at(-5) }
    assert.deepEqual(await findDeliveryDepth(db, NOW), depth)
  },

  'a subscription is changed and deleted alone': async (db) => {
    for (const account of [OTHER, OWN]) await subscribe(db, account, ['a', 'b'])
    const untouched = await subscriptionsOf(db, OTHER)
    const wanted = { eventTypes: ['brand.changed'] as const, numbers: ['+14155550100'] }
    await db.transaction((tx) =>
      updateSubscription(tx, {
        ...{ accountId: OWN, subscriberId: 'a', isEnabled: false, brandId: 'brd_1' },
        ...wanted,
      }),
    )
    const [changed, kept] = await subscriptionsOf(db, OWN)
    assert.deepEqual(changed, {
      ...{ subscriber: 'a', types: wanted.eventTypes, numbers: wanted.numbers, on: false },
      brand: 'brd_1',
    })
    assert.deepEqual(kept, untouched[1])
    await db.transaction((tx) => deleteSubscription(tx, OWN, 'a'))
    assert.deepEqual(await subscriptionsOf(db, OWN), [kept])
    assert.deepEqual(await subscriptionsOf(db, OTHER), untouched)
  },

  'who hears of a campaign’s brand hears of its next one, and who did not ask hears of none':
    async (db) => {
      for (const account of [OTHER, OWN]) {
        await subscribe(db, account, ['unasked'])
        await subscribeToBrand(db, account, 'brd_old', 2)
        await db.query(sql`
        insert into event_subscriptions (account_id, subscriber_id, campaign_id, event_types, brand_id)
        values (${account}, 'another', 'cmp_another', '{brand.changed}', 'brd_old')`)
      }
      const move = (brand: string | null) =>
        db.transaction((tx) => updateSubscribedBrand(tx, OWN, 'cmp_many', brand))
      await move('brd_new')
      assert.deepEqual(await brandsOf(db, OWN), ['brd_old', 'brd_new', 'brd_new', null])
      await db.transaction((tx) => updateSubscribedBrand(tx, OWN, 'cmp_1', 'brd_new'))
      assert.deepEqual(await brandsOf(db, OWN), ['brd_old', 'brd_new', 'brd_new', null])
      await move(null)
      assert.deepEqual(await brandsOf(db, OWN), ['brd_old', null, null, null])
      assert.deepEqual(await brandsOf(db, OTHER), ['brd_old', 'brd_old', 'brd_old', null])
    },

  'a brand’s changes go to a thousand webhooks of its account, and to no more': async (db) => {
    await subscribeToBrand(db, OTHER, 'brd_1', 5)
    await subscribeToBrand(db, OWN, 'brd_2', 5)
    await subscribeToBrand(db, OWN, 'brd_1', 1_000)
    const check = (brand: string) => db.transaction((tx) => checkBrandSubscribers(tx, OWN, brand))
    await check('brd_1')
    await check('brd_2')
    const move = (brand: string | null) =>
      db.transaction((tx) => updateSubscribedBrand(tx, OWN, 'cmp_many', brand))
    await assert.rejects(move('brd_1'), { code: 'webhooks_too_many' }, 'with those of the other')
    await subscribe(db, OWN, ['one more'])
    await db.query(sql`
      update event_subscriptions set brand_id = 'brd_1' where subscriber_id = 'one more'`)
    await assert.rejects(check('brd_1'), {
      code: 'webhooks_too_many',
      message: /has 1000 webhooks for brand\.changed already/,
    })
    await move(null)
  },
})
