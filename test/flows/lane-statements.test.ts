// What a dispatcher takes from a lane: what is due, to the millisecond, in order, and from no other lane.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import {
  extendMessages,
  findDueLanes,
  findDueMessages,
  findOptedOut,
  type LaneKey,
  leaseMessages,
  lockLane,
  type QueuedMessage,
  releaseLane,
  wakeLanes,
} from '../../src/messages/lane-queries.js'
import { at, LANE, NOW, OTHER_LANES, type QueueRows, queueRows } from '../queue-rows.js'

const FREE = { slots: {}, waitingSince: null, holds: [] }

async function nextDue({ db }: QueueRows): Promise<Record<string, Date | null>> {
  const rows = await db.query<LaneKey & { at: Date | null }>(sql`
    select account_id as "accountId", campaign_id as "campaignId", route, next_due_at as at
    from lanes`)
  return Object.fromEntries(rows.map((row) => [nameOf(row), row.at]))
}

function nameOf({ accountId, campaignId, route }: LaneKey): string {
  return `${accountId} ${campaignId} ${route}`
}

test('lanes are checked from the time they are due, longest due first', async (t) => {
  const rows = await queueRows(t)
  const [one, two, three] = OTHER_LANES as [LaneKey, LaneKey, LaneKey]
  await rows.lane(LANE, { next_due_at: NOW })
  await rows.lane(one, { next_due_at: at(1) })
  await rows.lane(two, { next_due_at: at(-5_000) })
  await rows.lane(three)
  const find = async (limit: number) =>
    (await findDueLanes(rows.db, NOW, limit)).map((lane) => ({
      accountId: lane.accountId,
      campaignId: lane.campaignId,
      route: lane.route,
    }))
  assert.deepEqual(await find(10), [two, LANE])
  assert.deepEqual(await find(1), [two])
})

test('due messages leave in order of time and send, keyword replies before them', async (t) => {
  const rows = await queueRows(t)
  await rows.message('msg_4', { due_at: NOW })
  await rows.message('msg_3', { due_at: at(-1_000) })
  await rows.message('msg_2', { due_at: at(-1_000) })
  await rows.message('msg_1', { due_at: at(1) }) // not yet
  await rows.message('msg_0') // held by the process that accepted it
  await rows.message('msg_6', { due_at: NOW, is_reply: true })
  await rows.message('msg_5', { due_at: NOW, is_reply: true })
  await rows.message('msg_7', { due_at: at(-1), is_reply: true, attempts: 2, media_checked: true })
  for (const [i, lane] of OTHER_LANES.entries()) {
    await rows.message(`msg_9${i}`, { due_at: at(-9_000) }, lane)
    await rows.message(`msg_8${i}`, { due_at: at(-9_000), is_reply: true }, lane)
  }
  const due = (limit: number) =>
    rows.db.transaction(async (tx) => {
      const found = await findDueMessages(tx, LANE, NOW, limit)
      return found.map(({ id }) => id)
    })
  const order = ['msg_7', 'msg_5', 'msg_6', 'msg_2', 'msg_3', 'msg_4']
  assert.deepEqual(await due(10), order)
  for (const limit of [1, 2, 4, 5]) assert.deepEqual(await due(limit), order.slice(0, limit))
  const [first] = await rows.db.transaction((tx) => findDueMessages(tx, LANE, NOW, 1))
  assert.deepEqual(
    [first!.isReply, first!.attempts, first!.isMediaChecked, first!.dueAt, first!.expiresAt],
    [true, 2, true, at(-1), at(4 * 3_600_000)],
  )
})

test('a message’s row determines when it expires, else when it was first due', async (t) => {
  const rows = await queueRows(t)
  const HOURS = 4 * 3_600_000
  await rows.message('msg_1', { due_at: NOW, created_at: at(-7) })
  await rows.message('msg_2', { due_at: NOW, created_at: at(-90_000), scheduled_at: at(-8) })
  await rows.message('msg_3', { due_at: NOW, scheduled_at: at(-8), expires_at: at(5) })
  const found = await rows.db.transaction((tx) => findDueMessages(tx, LANE, NOW, 10))
  assert.deepEqual(
    found.map(({ expiresAt }) => expiresAt),
    [at(HOURS - 7), at(HOURS - 8), at(5)],
  )
})

test('a lease covers only messages that still wait', async (t) => {
  const rows = await queueRows(t)
  await rows.message('msg_1', { due_at: NOW, counted_day: '2026-11-14' })
  await rows.message('msg_2', { due_at: NOW, counted_day: '2026-11-14' })
  await rows.message('msg_3') // was canceled, or its receipt came
  await rows.message('msg_4', { due_at: NOW }) // not requested
  await rows.message('msg_5', { due_at: NOW }, OTHER_LANES[0])
  const today = { countedDay: '2026-11-15' }
  const lease = (ids: string[], counted: { countedDay?: string | null } = {}) =>
    rows.db.transaction((tx) =>
      leaseMessages(tx, LANE, ids, { leaseUntil: at(60_000), ...counted }),
    )
  assert.deepEqual(await lease(['msg_1', 'msg_3', 'msg_5'], today), new Set(['msg_1']))
  assert.deepEqual(await lease(['msg_2']), new Set(['msg_2']))
  assert.deepEqual(await lease([]), new Set())
  assert.deepEqual(await rows.column('due_at'), {
    msg_1: at(60_000),
    msg_2: at(60_000),
    msg_4: NOW,
    msg_5: NOW,
  })
  assert.deepEqual(await rows.column('counted_day'), { msg_1: '2026-11-15', msg_2: '2026-11-14' })
  await lease(['msg_2'], { countedDay: null })
  assert.deepEqual(await rows.column('counted_day'), { msg_1: '2026-11-15' }, 'null clears the day')

  const given = ['msg_1', 'msg_5'].map((id) => ({ id, expiresAt: at(7) }) as QueuedMessage)
  await rows.db.transaction((tx) => extendMessages(tx, LANE, given))
  assert.deepEqual(await rows.column('expires_at'), { msg_1: at(7) })
})

test('one dispatcher has a lane at a time, and others continue with other lanes', async (t) => {
  const rows = await queueRows(t)
  const state = { window_slots: { '1': 2 }, held_from: at(-5), holds: [[1, 2]] }
  await rows.lane(LANE, state)
  await rows.lane(OTHER_LANES[2]!)
  await rows.db.transaction(async (tx) => {
    const expected = { slots: { '1': 2 }, waitingSince: at(-5), holds: [[1, 2]] }
    assert.deepEqual(await lockLane(tx, LANE), expected)
    await rows.db.transaction(async (other) => {
      assert.equal(await lockLane(other, LANE), null, 'it is locked')
      assert.deepEqual(await lockLane(other, OTHER_LANES[2]!), FREE)
    })
  })
  for (const unknown of OTHER_LANES.slice(0, 2)) {
    const found = await rows.db.transaction((tx) => lockLane(tx, unknown))
    assert.equal(found, null, 'another account’s unlocked lane is not returned')
  }
})

test('a released lane is due with its next message, and not before the given time', async (t) => {
  const rows = await queueRows(t)
  for (const lane of [LANE, ...OTHER_LANES]) await rows.lane(lane, { next_due_at: at(9_999) })
  const release = async (checkAt: Date) => {
    await rows.db.transaction((tx) => releaseLane(tx, LANE, { ...FREE, slots: { a: 1 } }, checkAt))
    const next = await nextDue(rows)
    for (const lane of OTHER_LANES) assert.deepEqual(next[nameOf(lane)], at(9_999))
    return next[nameOf(LANE)]
  }
  for (const [i, lane] of OTHER_LANES.entries()) {
    await rows.message(`msg_9${i}`, { due_at: at(-9_000) }, lane)
  }
  await rows.message('msg_0') // waits for nothing
  assert.equal(await release(NOW), null, 'nothing is left in it')
  await rows.message('msg_1', { due_at: at(5_000) })
  await rows.message('msg_2', { due_at: at(3_000) })
  assert.deepEqual(await release(NOW), at(3_000))
  assert.deepEqual(await release(at(4_000)), at(4_000))
  const [kept] = await rows.db.query<{ slots: object }>(sql`
    select window_slots as slots from lanes where window_slots <> '{}'`)
  assert.deepEqual(kept, { slots: { a: 1 } })
})

test('changed limits wake the lanes that one of them stopped, and no others', async (t) => {
  const rows = await queueRows(t)
  const held = { held_from: at(-5), next_due_at: at(60_000) }
  await rows.lane(LANE, held)
  await rows.lane({ ...LANE, route: 'tmo' }, { next_due_at: at(60_000) }) // waits for its time
  await rows.lane({ ...LANE, route: 'att-mms' }, { held_from: at(-5), next_due_at: at(-1) })
  for (const lane of OTHER_LANES) await rows.lane(lane, held)
  await rows.db.transaction((tx) => wakeLanes(tx, 'acc_own', ['cmp_own', 'cmp_none'], NOW))
  assert.deepEqual(await nextDue(rows), {
    'acc_own cmp_own open': NOW,
    'acc_own cmp_own tmo': at(60_000),
    'acc_own cmp_own att-mms': at(-1),
    'acc_other cmp_own open': at(60_000),
    'acc_own cmp_other open': at(60_000),
    'acc_own cmp_own att-sms': NOW,
  })
})

test('an opt-out counts for its own account and campaign', async (t) => {
  const { db } = await queueRows(t)
  const [one, two] = ['+14155550101', '+14155550102']
  for (const [accountId, campaignId, recipient] of [
    ['acc_own', 'cmp_own', one],
    ['acc_other', 'cmp_own', two],
    ['acc_own', 'cmp_other', two],
  ]) {
    await db.query(sql`
      insert into optouts (account_id, campaign_id, recipient, opted_out_at)
      values (${accountId}, ${campaignId}, ${recipient}, ${NOW})`)
  }
  assert.deepEqual(await findOptedOut(db, LANE, [one!, two!]), new Set([one]))
  assert.deepEqual(await findOptedOut(db, LANE, [two!]), new Set())
})
