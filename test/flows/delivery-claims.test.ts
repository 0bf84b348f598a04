// Which process may claim a delivery, and when: what each queue statement takes and what it leaves alone, to the
// millisecond, next to a second account whose records have the same IDs.

import assert from 'node:assert/strict'
import {
  claimDeliveries,
  findDueSubscribers,
  listSubscribersWithDue,
} from '../../src/events/queue/delivery-claim-queries.js'
import { wakeLaterDeliveries } from '../../src/events/queue/delivery-outcome-queries.js'
import type { Queryable } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
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
  type Row,
  rowsOf,
  subscribe,
} from './delivery-rows.js'

const LEASE = at(60_000)

askAll('deliveries are claimed', {
  'a deliverer claims due and free deliveries, oldest first, up to its slots': async (db) => {
    await subscribe(db, OTHER, ['a', 'b', 'off', 'theirs'])
    await subscribe(db, OWN, ['a', 'b', 'unasked'], ['off'])
    await put(db, [{ id: 'x1' }, { id: 'x2', subscriber: 'theirs' }], [OTHER])
    await put(db, [
      { id: 'a due now' },
      { id: 'a lease over', due: -1, lease: 0 },
      { id: 'a leased', due: -1, lease: 1 },
      { id: 'a later', due: 1 },
      { id: 'a done', state: 'delivered' },
      { id: 'b1 youngest', subscriber: 'b', due: -1 },
      { id: 'b2 oldest', subscriber: 'b', due: -3 },
      { id: 'b3 second', subscriber: 'b', due: -2 },
      { id: 'off', subscriber: 'off' },
      { id: 'theirs', subscriber: 'theirs' },
      { id: 'unasked', subscriber: 'unasked' },
    ])
    const wanted = ['a', 'b', 'off', 'theirs'].map((subscriberId) => ({
      subscriberId,
      slots: subscriberId === 'b' ? 2 : 9,
    }))
    const changed = await changesOf(db, async () => {
      const claims = await claimDeliveries(db, OWN, wanted, NOW, LEASE)
      assert.deepEqual(
        claims.map(({ id, subscriberId, isClaimed }) => [id, subscriberId, isClaimed]).sort(),
        [
          ['a due now', 'a', true],
          ['a lease over', 'a', true],
          ['b2 oldest', 'b', true],
          ['b3 second', 'b', true],
        ],
      )
    })
    assert.deepEqual(changed, {
      'a due now': ['pending', 0, 60_000],
      'a lease over': ['pending', -1, 60_000],
      'b2 oldest': ['pending', -3, 60_000],
      'b3 second': ['pending', -2, 60_000],
    })
  },

  'an event waits for earlier events of its message to the same subscriber': async (db) => {
    await subscribe(db, OTHER, ['a', 'b'])
    await subscribe(db, OWN, ['a', 'b'])
    await put(db, [{ id: 'theirs', due: 99, message: ['of no earlier', 1] }], [OTHER])
    await put(db, [
      { id: 'first', message: ['alone', 1] },
      { id: 'of no earlier', message: ['of no earlier', 2] },
      { id: 'done 1', state: 'delivered', message: ['done', 1] },
      { id: 'done 2', message: ['done', 2] },
      { id: 'other way 1', subscriber: 'b', due: 99, message: ['other way', 1] },
      { id: 'other way 2', message: ['other way', 2] },
      { id: 'soon 1', due: 99, message: ['soon', 1] },
      { id: 'soon 2', message: ['soon', 2] },
      { id: 'leased 1', due: -1, lease: 200_000, message: ['leased', 1] },
      { id: 'leased 2', lease: -1, message: ['leased', 2] },
      { id: 'third 1', due: 300_000, message: ['third', 1] },
      { id: 'third 2', due: 400_000, message: ['third', 2] },
      { id: 'third 3', message: ['third', 3] },
      { id: 'third 4', due: 500_000, message: ['third', 4] },
    ])
    const changed = await changesOf(db, async () => {
      const claims = await claimDeliveries(db, OWN, [{ subscriberId: 'a', slots: 99 }], NOW, LEASE)
      const waiting = claims.filter(({ isClaimed }) => !isClaimed).map(({ id }) => id)
      assert.deepEqual(waiting.sort(), ['leased 2', 'soon 2', 'third 3'])
    })
    assert.deepEqual(changed, {
      first: ['pending', 0, 60_000],
      'of no earlier': ['pending', 0, 60_000],
      'done 2': ['pending', 0, 60_000],
      'other way 2': ['pending', 0, 60_000],
      'soon 2': ['pending', 60_001, null], // not before this claim could have ended
      'leased 2': ['pending', 0, null, 2_000], // not indexed, because it is a short wait
      'third 3': ['pending', 400_001, null],
    })
  },

  'an event that is due before an earlier event of its message waits for it': async (db) => {
    await subscribe(db, OTHER, ['a'])
    await subscribe(db, OWN, ['a'])
    await put(db, [
      { id: 'm2', due: -9, message: ['m', 2] },
      { id: 'm1', due: -5, message: ['m', 1] }, // claimed once and given back
      { id: 'n2', due: -4, message: ['n', 2] },
      { id: 'n1', due: -4, message: ['n', 1] },
    ])
    const claim = (slots: number) =>
      claimDeliveries(db, OWN, [{ subscriberId: 'a', slots }], NOW, LEASE)
    const changed = await changesOf(db, async () => assert.equal((await claim(9)).length, 4))
    assert.deepEqual(changed, {
      m1: ['pending', -5, 60_000],
      m2: ['pending', -4, null],
      n1: ['pending', -4, 60_000],
      n2: ['pending', -3, null],
    })
    assert.deepEqual(await changesOf(db, () => claim(9)), {
      m2: ['pending', -4, null, 2_000],
      n2: ['pending', -3, null, 2_000],
    })
  },

  'other events are claimed, a few slots at a time, however many wait for earlier ones': async (
    db,
  ) => {
    await subscribe(db, OWN, ['a'])
    const messages = Array.from({ length: 12 }, (_, i) => `m${i}`)
    const rows = messages.flatMap((message): Row[] => [
      { id: `${message} 1`, due: -10, message: [message, 1] },
      { id: `${message} 2`, due: -20, message: [message, 2] },
    ])
    await put(db, rows, [OWN])
    const claimed = new Set<string>()
    for (let round = 0; round < 20; round += 1) {
      // So late that anything postponed would be checked again.
      const now = at(round * 2_000)
      const slots = [{ subscriberId: 'a', slots: 2 }]
      for (const { id, isClaimed } of await claimDeliveries(db, OWN, slots, now, at(600_000))) {
        if (isClaimed) claimed.add(id)
      }
    }
    assert.deepEqual([...claimed].sort(), messages.map((message) => `${message} 1`).sort())
  },

  'a postponed event is claimed when its time comes or it is woken': async (db) => {
    await subscribe(db, OWN, ['a'])
    await put(
      db,
      [
        { id: 'over', waits: 0 },
        { id: 'woken', due: -2, waits: 2_000, message: ['m', 2] },
        { id: 'still', due: -1, waits: 1 },
      ],
      [OWN],
    )
    const claim = async () => {
      const rows = await claimDeliveries(db, OWN, [{ subscriberId: 'a', slots: 9 }], NOW, LEASE)
      return rows.map(({ id, isClaimed }) => [id, isClaimed])
    }
    assert.deepEqual(await claim(), [['over', true]])
    const finished = [{ subscriberId: 'a', messageId: 'm', sequence: 1 }]
    assert.deepEqual(await wakeLaterDeliveries(db, OWN, finished, NOW), ['a'])
    assert.deepEqual(await claim(), [['woken', true]])
    assert.deepEqual(await rowsOf(db, OWN), {
      over: ['pending', 0, 60_000, 0],
      still: ['pending', -1, null, 1],
      woken: ['pending', -2, 60_000, -0.001],
    })
  },

  'one of two simultaneous deliverers claims, and events finished or woken meanwhile stay unchanged':
    async (db) => {
      await subscribe(db, OWN, ['a'])
      await put(
        db,
        [
          { id: 'claimed' },
          { id: 'done' },
          { id: 'message 1', due: 99, message: ['m', 1] },
          { id: 'message 2', message: ['m', 2] },
        ],
        [OWN],
      )
      const claim = (on: Queryable, until: Date) =>
        claimDeliveries(on, OWN, [{ subscriberId: 'a', slots: 9 }], NOW, until)
      const finished = [{ subscriberId: 'a', messageId: 'm', sequence: 1 }]
      const { second } = await db.transaction(async (tx) => {
        await tx.query(sql`update event_deliveries set lease_until = ${LEASE} where id = 'claimed'`)
        await tx.query(sql`
      update event_deliveries set state = 'delivered', due_at = null where id in ('done', 'message 1')`)
        await wakeLaterDeliveries(tx, OWN, finished, NOW)
        const second = claim(db, at(99_000))
        await eventually(async () => (await db.query(WAITING)).length > 0, 'a claim that waits')
        return { second }
      })
      assert.ok((await second).every(({ isClaimed }) => !isClaimed))
      const { done, claimed, 'message 2': woken } = await rowsOf(db, OWN)
      assert.deepEqual(
        [done, claimed],
        [
          ['delivered', null, null],
          ['pending', 0, 60_000],
        ],
      )
      assert.deepEqual([woken![0], woken![2]], ['pending', null])
      assert.deepEqual(
        (await claim(db, at(99_000))).map(({ id, isClaimed }) => [id, isClaimed]),
        [['message 2', true]],
      )
    },

  'the next event of a finished message is woken: one, for its subscriber, unless in progress':
    async (db) => {
      await put(db, [{ id: 'gap 2', due: 99, message: ['gap', 2] }], [OTHER])
      const later = (
        id: string,
        message: string,
        sequence: number,
        more: Partial<Row> = {},
      ): Row => ({
        ...{ id, due: 99_000, message: [message, sequence] },
        ...more,
      })
      await put(db, [
        later('m1', 'm', 1), // sent again meanwhile
        later('m2', 'm', 2),
        later('m3', 'm', 3),
        later('m2 of b', 'm', 2, { subscriber: 'b' }),
        later('under way', 'under way', 2, { due: -1, lease: 99 }),
        later('done 2', 'done', 2, { state: 'delivered' }),
        later('done 3', 'done', 3),
        later('gap 3', 'gap', 3),
        later('other message', 'other', 2),
      ])
      const finished = ['m', 'under way', 'done', 'gap'].map((messageId) => ({
        ...{ subscriberId: 'a', messageId, sequence: 1 },
      }))
      const changed = await changesOf(db, async () => {
        assert.deepEqual(await wakeLaterDeliveries(db, OWN, finished, NOW), ['a'])
      })
      // A microsecond off, so it is not an earlier time of the row.
      const woken = ['pending', 0, null, -0.001]
      assert.deepEqual(changed, { m2: woken, 'done 3': woken, 'gap 3': woken })
    },

  'subscribers with due events are found, by time range and by a full round': async (db) => {
    await subscribe(db, OTHER, ['a', 'b', 'c', 'd'])
    await subscribe(db, OWN, ['a', 'b', 'c', 'd', 'e'])
    await put(db, [
      { id: 'a1' },
      { id: 'a2', due: -1 },
      { id: 'b', subscriber: 'b', due: 1 },
      { id: 'c', subscriber: 'c', due: -5, lease: 1 },
      { id: 'c done', subscriber: 'c', state: 'delivered' },
    ])
    await put(
      db,
      [
        { id: 'd', subscriber: 'd', due: -2 },
        { id: 'e', subscriber: 'e', due: -5, lease: 0 },
      ],
      [OWN],
    )
    const keys = async (since: number) => {
      const found = await findDueSubscribers(db, 'webhook', at(since), NOW)
      return found.map(({ accountId, subscriberId }) => `${accountId} ${subscriberId}`).sort()
    }
    assert.deepEqual(await keys(-2), ['acc_1 a', 'acc_2 a'])
    assert.deepEqual(await keys(-3), ['acc_1 a', 'acc_2 a', 'acc_2 d'])
    assert.deepEqual(await keys(0), [])

    const round: string[] = []
    for (let after = { accountId: '', subscriberId: '' }; ; ) {
      const page = await listSubscribersWithDue(db, 'webhook', after, NOW, 2)
      round.push(...page.map((one) => `${one.accountId} ${one.subscriberId} ${one.isDue}`))
      if (page.length < 2) break
      after = page.at(-1)!
      assert.ok(round.length < 20, 'no end')
    }
    assert.deepEqual(round, [
      ...['acc_1 a true', 'acc_1 b false', 'acc_1 c false', 'acc_1 d false'],
      ...['acc_2 a true', 'acc_2 b false', 'acc_2 c false', 'acc_2 d true', 'acc_2 e true'],
    ])
  },
})
