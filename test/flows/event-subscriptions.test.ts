// Who gets an event: exactly the subscriptions for it, next to a second account whose subscriptions have the same
// IDs.

import assert from 'node:assert/strict'
import { appendChangeOfBrand, appendChanges, type Change } from '../../src/events/append-changes.js'
import { appendEvent, appendSample, type NewEvent } from '../../src/events/append-events.js'
import { listEventsAfter, listEventsById } from '../../src/events/event-queries.js'
import {
  checkBrandSubscribers,
  deleteSubscription,
  updateSubscribedBrand,
  updateSubscription,
} from '../../src/events/subscription-queries.js'
import type { Database, Queryable } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { askAll, NOW, OTHER, OWN, subscribe } from './delivery-rows.js'

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

/** How many subscriptions of a campaign get events of a brand. */
async function subscribeToBrand(db: Queryable, account: string, brand: string, count: number) {
  await db.query(sql`
    insert into event_subscriptions (account_id, subscriber_id, campaign_id, event_types, brand_id)
    select ${account}, ${brand} || n, 'cmp_many', '{brand.changed}', ${brand}
    from generate_series(1, ${count}::int) n`)
}

const brandsOf = async (db: Database, account: string) =>
  (await subscriptionsOf(db, account)).map(({ brand }) => brand)

const NUMBER = '+14155550100'

/** Both accounts have them, under the same IDs. */
async function subscribeMany(db: Queryable): Promise<void> {
  const types = ['message.incoming', 'campaign.changed', 'number.changed', 'brand.changed']
  const others = { campaign: 'cmp_1', types, numbers: null, on: true, brand: null }
  const wanted: Record<string, Partial<Record<keyof typeof others, unknown>>> = {
    all: {},
    'brand of another campaign': { campaign: 'cmp_2', brand: 'brd_1' },
    number: { numbers: [NUMBER] },
    off: { on: false, brand: 'brd_1' },
    'other brand': { campaign: 'cmp_2', brand: 'brd_2' },
    'other number': { numbers: ['+14155550199'] },
    'other type': { types: ['message.status'], brand: 'brd_1' },
  }
  for (const account of [OTHER, OWN]) {
    for (const [id, given] of Object.entries(wanted)) {
      const s = { ...others, ...given }
      await db.query(sql`
        insert into event_subscriptions (account_id, subscriber_id, campaign_id, event_types, numbers,
          is_enabled, brand_id)
        values (${account}, ${id}, ${s.campaign}, ${s.types}, ${s.numbers}, ${s.on}, ${s.brand})`)
    }
  }
}

/** Who got events, in which state, and that they belong to the account. */
async function deliveredTo(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ account: string; to: string; state: string; due: Date | null }>(sql`
    select account_id as account, subscriber_id as "to", state, due_at as due
    from event_deliveries order by subscriber_id`)
  await db.query(sql`truncate event_deliveries`)
  return rows.map(({ account, to, state, due }) => {
    assert.equal(account, OWN)
    assert.deepEqual(due, state === 'pending' ? NOW : null)
    return state === 'pending' ? to : `${to}: ${state}`
  })
}

askAll('subscriptions to events', {
  'an event goes to the subscriptions of its account, campaign, type, and number': async (db) => {
    await subscribeMany(db)
    const event: NewEvent = {
      ...{ accountId: OWN, eventType: 'message.incoming', campaignId: 'cmp_1', number: NUMBER },
      ...{ messageId: 'msg_1', status: 'DELIVERED', data: {}, now: NOW },
    }
    const id = await db.transaction((tx) => appendEvent(tx, event))
    assert.equal((await listEventsById(db, OWN, [id])).length, 1)
    assert.deepEqual(await deliveredTo(db), ['all', 'number', 'off: held'])
    const { accountId, eventType, data } = event
    await db.transaction((tx) => appendSample(tx, { accountId, eventType, data, now: NOW }))
    assert.deepEqual(await deliveredTo(db), [], 'an event without a campaign')
  },

  'a change goes to its campaign, filtered by number only if it is about one, or to its brand':
    async (db) => {
      await subscribeMany(db)
      const about = { campaignId: 'cmp_1', data: { a: 1 } }
      const append = async (change: Change) => {
        await db.transaction((tx) => appendChanges(tx, OWN, [change], NOW))
        return deliveredTo(db)
      }
      const everybody = ['all', 'number', 'off: held', 'other number']
      assert.deepEqual(await append({ eventType: 'campaign.changed', ...about }), everybody)
      const ofNumber = { eventType: 'number.changed', number: NUMBER, ...about } as const
      assert.deepEqual(await append(ofNumber), ['all', 'number', 'off: held'])
      const ofBrand = { brandId: 'brd_1', data: { a: 1 } }
      await db.transaction((tx) => appendChangeOfBrand(tx, OWN, ofBrand, NOW))
      assert.deepEqual(await deliveredTo(db), ['brand of another campaign', 'off: held'])
      await db.transaction((tx) => appendChanges(tx, OWN, [], NOW))
      const events = await listEventsAfter(db, OWN, '', 9)
      assert.deepEqual(
        events.map(({ eventType, data }) => [eventType, data]),
        ['campaign.changed', 'number.changed', 'brand.changed'].map((type) => [type, { a: 1 }]),
      )
    },

  'changing or deleting a subscription affects no other subscription': async (db) => {
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

  'a brand subscription follows the campaign to its next brand, and others get nothing': async (
    db,
  ) => {
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

  'a brand’s changes go to at most a thousand webhooks of its account': async (db) => {
    await subscribeToBrand(db, OTHER, 'brd_1', 5)
    await subscribeToBrand(db, OWN, 'brd_2', 5)
    await subscribeToBrand(db, OWN, 'brd_1', 1_000)
    const check = (brand: string) => db.transaction((tx) => checkBrandSubscribers(tx, OWN, brand))
    await check('brd_1')
    await check('brd_2')
    const move = (brand: string | null) =>
      db.transaction((tx) => updateSubscribedBrand(tx, OWN, 'cmp_many', brand))
    await assert.rejects(
      move('brd_1'),
      { code: 'webhooks_too_many' },
      'together with those of the other campaign',
    )
    await subscribe(db, OWN, ['one more'])
    await db.query(sql`
      update event_subscriptions set brand_id = 'brd_1' where subscriber_id = 'one more'`)
    await assert.rejects(check('brd_1'), {
      code: 'webhooks_too_many',
      message: /already has 1000 webhooks for brand\.changed/,
    })
    await move(null)
  },
})
