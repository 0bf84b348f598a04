// A delivery that is released, paused, or sent again: exactly the right rows, next to a second account whose
// records have the same IDs.

import assert from 'node:assert/strict'
import { listDeliveredEvents } from '../../src/events/queue/delivered-event-queries.js'
import { releaseDeliveries } from '../../src/events/queue/delivery-lease-queries.js'
import { wakeLaterDeliveries } from '../../src/events/queue/delivery-outcome-queries.js'
import { findDelivery, listDeliveries } from '../../src/events/queue/delivery-record-queries.js'
import {
  insertDelivery,
  pauseDeliveries,
  restartDelivery,
  restartUndelivered,
} from '../../src/events/queue/delivery-round-queries.js'
import type { Queryable } from '../../src/kit/postgres/db.js'
import { type Statement, sql } from '../../src/kit/postgres/sql.js'
import { eventually } from '../harness.js'
import { WAITING } from '../waiting.js'
import {
  askAll,
  at,
  changesOf,
  NOW,
  OTHER,
  OWN,
  put,
  putDeliveredEvent,
  type Row,
  rowsOf,
  subscribe,
} from './delivery-rows.js'

askAll('deliveries are released, paused, and sent again', {
  'a holder releases its claims for immediate attempts': async (db) => {
    await put(db, [
      { id: 'mine', due: -9, lease: 50 },
      { id: 'mine too', due: -9, lease: 70 },
      { id: 'reclaimed', due: -9, lease: 90 },
      { id: 'not given', due: -9, lease: 50 },
    ])
    const changed = await changesOf(db, () =>
      releaseDeliveries(db, OWN, ['mine', 'mine too', 'reclaimed'], [at(50), at(70)], NOW),
    )
    assert.deepEqual(changed, { mine: ['pending', 0, null], 'mine too': ['pending', 0, null] })
  },

  'only pending deliveries of a disabled or deleted webhook are paused, in portions': async (
    db,
  ) => {
    await subscribe(db, OTHER, ['a', 'off', 'gone'])
    await subscribe(db, OWN, ['a'], ['off'])
    await put(
      db,
      [
        { id: 'x1', subscriber: 'off', due: -9 },
        { id: 'x2', subscriber: 'off', due: -9 },
      ],
      [OTHER],
    )
    await put(db, [
      { id: 'off 0 under way', subscriber: 'off', due: -3, lease: 1 },
      { id: 'off 1', subscriber: 'off', due: 1 },
      { id: 'off 2', subscriber: 'off', due: 2, lease: 0 },
      { id: 'off 4', subscriber: 'off', state: 'failed' },
      { id: 'gone', subscriber: 'gone' },
      { id: 'on' },
    ])
    const hold = (subscriber: string, limit: number) =>
      pauseDeliveries(db, OWN, subscriber, NOW, limit)
    const changed = await changesOf(db, async () => {
      assert.deepEqual(
        [await hold('off', 1), await hold('off', 9), await hold('off', 9)],
        [1, 1, 0],
      )
      assert.deepEqual([await hold('a', 9), await hold('gone', 9)], [0, 1])
    })
    const held = ['held', null, null]
    assert.deepEqual(changed, { 'off 1': held, 'off 2': held, gone: held })
  },

  'a delivery is sent again in a new round, unless it is in progress': async (db) => {
    await put(db, [
      { id: 'done', state: 'delivered', attempts: 3 },
      { id: 'under way', due: -1, lease: 1 },
      { id: 'left', due: -1, lease: 0, attempts: 2 },
      { id: 'other', state: 'failed' },
    ])
    await db.query(
      sql`update event_deliveries set finished_at = created_at where state = 'delivered'`,
    )
    const changed = await changesOf(db, () =>
      db.transaction(async (tx) => {
        for (const [id, isRestarted] of [
          ['done', true],
          ['under way', false],
          ['left', true],
          ['none', false],
        ] as const) {
          assert.equal(await restartDelivery(tx, OWN, id, NOW), isRestarted, id)
        }
      }),
    )
    assert.deepEqual(changed, { done: ['pending', 0, null], left: ['pending', 0, null] })
    const rounds = await db.query(sql`
    select attempts, attempts_before as before, finished_at as end from event_deliveries
    where account_id = ${OWN} and id in ('done', 'left') order by id`)
    assert.deepEqual(rounds, [
      { attempts: 3, before: 3, end: null },
      { attempts: 2, before: 2, end: null },
    ])
  },

  'a first-attempt success goes back into the queue with its result, once': async (db) => {
    for (const id of ['d1', 'd2']) await putDeliveredEvent(db, { id, message: ['m', 1] })
    const restart = () => db.transaction((tx) => restartDelivery(tx, OWN, 'd1', NOW))
    assert.ok((await Promise.all([restart(), restart()])).includes(true))
    assert.deepEqual(await rowsOf(db, OWN), { d1: ['pending', 0, null] })
    assert.deepEqual(await rowsOf(db, OTHER), {})
    const { attempts, attemptsBefore, finishedAt, createdAt, messageId } = (await findDelivery(
      db,
      OWN,
      'a',
      'd1',
    ))!
    assert.deepEqual(
      [attempts, attemptsBefore, finishedAt, createdAt, messageId],
      [1, 1, null, at(-3), 'm'],
    )
    const [first] = await listDeliveredEvents(db, OWN, ['d1'])
    assert.deepEqual([first!.at, first!.responseBody, first!.request], [at(-2), 'ok', `${OWN} d1`])
    assert.equal(
      (await listDeliveries(db, OWN, 'a', null, { limit: 9, skip: 0, after: null })).length,
      2,
      'both, each once',
    )
  },

  'held and failed deliveries since a time are sent again, oldest first, in portions': async (
    db,
  ) => {
    const states = ['held', 'failed', 'held', 'delivered', 'pending', 'failed']
    await put(
      db,
      states.map((state, i) => ({ id: `d${i}`, state, due: 99, attempts: i })),
    )
    await put(db, [{ id: 'd9', subscriber: 'b', state: 'held' }])
    await put(db, [{ id: 'd10', state: 'held' }], [OTHER])
    const restart = () => db.transaction((tx) => restartUndelivered(tx, OWN, 'a', 'd1', NOW, 2))
    const pending = ['pending', 0, null]
    const first = await changesOf(db, async () => assert.equal(await restart(), 2))
    assert.deepEqual(first, { d1: pending, d2: pending })
    const then = await changesOf(db, async () => {
      assert.deepEqual([await restart(), await restart()], [1, 0])
    })
    assert.deepEqual(then, { d5: pending })
    const [round] = await db.query(sql`
    select attempts_before as before from event_deliveries where account_id = ${OWN} and id = 'd5'`)
    assert.deepEqual(round, { before: 5 })
  },

  'an event for one subscriber makes one delivery': async (db) => {
    for (const [account, id] of [
      [OTHER, 'evt_1'],
      [OWN, 'evt_1'],
      [OWN, 'evt_2'],
    ]) {
      await db.query(sql`
      insert into events (account_id, id, event_type, created_at)
      values (${account}, ${id}, 'message.status', ${NOW})`)
    }
    const ids = await db.transaction(async (tx) => [
      await insertDelivery(tx, OWN, 'a', 'evt_1', NOW),
      await insertDelivery(tx, OWN, 'b', 'evt_1', NOW),
    ])
    assert.notEqual(ids[0], ids[1])
    const rows = await db.query(sql`
    select account_id as account, id, subscriber_id as "to", event_id as event, event_type as type,
      state, due_at as due from event_deliveries order by subscriber_id`)
    const same = {
      account: OWN,
      event: 'evt_1',
      type: 'message.status',
      state: 'pending',
      due: NOW,
    }
    assert.deepEqual(rows, [
      { ...same, id: ids[0], to: 'a' },
      { ...same, id: ids[1], to: 'b' },
    ])
  },

  'a delivery claimed by another process at the same time stays with that process': async (db) => {
    const meanwhile: [string, Row, Statement, (db: Queryable) => Promise<unknown>][] = [
      [
        'claimed, not held',
        { id: 'd' },
        sql`update event_deliveries set lease_until = ${at(9)}`,
        () => pauseDeliveries(db, OWN, 'a', NOW, 9),
      ],
      [
        'claimed, not sent again',
        { id: 'd' },
        sql`update event_deliveries set lease_until = ${at(9)}`,
        () => db.transaction((tx) => restartDelivery(tx, OWN, 'd', NOW)),
      ],
      [
        'sent again and claimed once only',
        { id: 'd', state: 'held' },
        sql`update event_deliveries set state = 'pending', due_at = ${at(-5)}, lease_until = ${at(9)}`,
        () => db.transaction((tx) => restartUndelivered(tx, OWN, 'a', '', NOW, 9)),
      ],
      [
        'delivered, not woken',
        { id: 'd', message: ['m', 2] },
        sql`update event_deliveries set state = 'delivered', due_at = null`,
        () =>
          wakeLaterDeliveries(db, OWN, [{ subscriberId: 'a', messageId: 'm', sequence: 1 }], NOW),
      ],
    ]
    for (const [what, row, change, work] of meanwhile) {
      await db.query(sql`truncate event_deliveries`)
      await put(db, [row], [OWN])
      const { late, taken } = await db.transaction(async (tx) => {
        await tx.query(change)
        const late = work(db)
        late.catch(() => {}) // checked below
        await eventually(
          async () => (await db.query(WAITING)).length > 0,
          `${what}: one that waits`,
        )
        return { late, taken: await rowsOf(tx, OWN) }
      })
      await late
      assert.deepEqual(await rowsOf(db, OWN), taken, what)
    }
  },
})
