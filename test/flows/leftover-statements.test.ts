// What waits, was left behind, or has expired: found to the millisecond, and only in its lane and account.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import {
  FIRST_LANE,
  findExpired,
  listWaitingLanes,
} from '../../src/messages/dispatch/expiry-queries.js'
import {
  deleteAbandoned,
  deleteHandoffs,
  findAbandoned,
  requeueHandoff,
} from '../../src/messages/dispatch/handoff-queries.js'
import {
  deleteLinkOutage,
  listLinkOutages,
  saveLinkOutage,
} from '../../src/messages/dispatch/link-outage-queries.js'
import {
  findOverdueParts,
  insertPart,
  listParts,
} from '../../src/messages/inbound/inbound-queries.js'
import type { LaneKey } from '../../src/messages/lane-queries.js'
import { countQueued, hasQueued, lockWaiting } from '../../src/messages/moves/waiting-queries.js'
import {
  countBackingOff,
  findDeepestLanes,
  findRouteDepths,
} from '../../src/messages/queue-depth-queries.js'
import { listLaneUse } from '../../src/messages/usage/lane-use-queries.js'
import { at, LANE, NOW, OTHER_LANES, type QueueRows, queueRows } from '../queue-rows.js'

const HOURS = 4 * 3_600_000
const OWN = 'acc_own'

async function handoffs({ db }: QueueRows, list: readonly [string, string, Date][]): Promise<void> {
  for (const [accountId, firstId, leaseUntil] of list) {
    await db.query(sql`
      insert into handoffs (account_id, first_id, last_id, lease_until)
      values (${accountId}, ${firstId}, ${`${firstId}z`}, ${leaseUntil})`)
  }
}

async function listHandoffs({ db }: QueueRows): Promise<string[]> {
  const rows = await db.query<{ key: string }>(sql`
    select account_id || ' ' || first_id as key from handoffs order by 1`)
  return rows.map(({ key }) => key)
}

test('a handoff counts as abandoned when its lease ends, and is reclaimed once', async (t) => {
  const rows = await queueRows(t)
  await handoffs(rows, [
    [OWN, 'msg_1', NOW],
    [OWN, 'msg_2', at(1)],
    ['acc_other', 'msg_1', at(-1)],
    ['acc_other', 'msg_3', at(9)],
  ])
  const abandoned = await findAbandoned(rows.db, NOW)
  assert.deepEqual(
    abandoned.map(({ accountId, firstId, lastId }) => [accountId, firstId, lastId]),
    [
      ['acc_other', 'msg_1', 'msg_1z'],
      [OWN, 'msg_1', 'msg_1z'],
    ],
  )
  const take = () =>
    rows.db.transaction((tx) => deleteAbandoned(tx, { accountId: OWN, firstId: 'msg_1' }))
  await rows.db.transaction(async (tx) => {
    assert.equal(await deleteAbandoned(tx, { accountId: OWN, firstId: 'msg_1' }), true)
    assert.equal(await take(), false, 'another process has it')
  })
  assert.equal(await take(), false)
  assert.deepEqual(await listHandoffs(rows), [
    'acc_other msg_1',
    'acc_other msg_3',
    'acc_own msg_2',
  ])
  await deleteHandoffs(rows.db, [
    { accountId: 'acc_other', firstId: 'msg_3' },
    { accountId: OWN, firstId: 'msg_1' },
  ])
  assert.deepEqual(await listHandoffs(rows), ['acc_other msg_1', 'acc_own msg_2'])
})

test('unrecorded messages of a reclaimed handoff go back, including the first and the last', async (t) => {
  const rows = await queueRows(t)
  for (const id of ['msg_0', 'msg_1', 'msg_4', 'msg_5']) await rows.message(id)
  await rows.message('msg_2', { status: 'SENT' })
  await rows.message('msg_3', { due_at: at(30_000) }) // requeued, to be attempted later
  await rows.message('msg_2', {}, OTHER_LANES[0])
  await rows.lane(LANE, { next_due_at: at(30_000) })
  const left = { accountId: OWN, firstId: 'msg_1', lastId: 'msg_4' }
  await rows.db.transaction((tx) => requeueHandoff(tx, left, NOW))
  assert.deepEqual(await rows.column('due_at'), { msg_1: NOW, msg_3: at(30_000), msg_4: NOW })
  const lanes = await rows.db.query(sql`
    select account_id as "accountId", campaign_id as "campaignId", route,
      next_due_at as "nextDueAt" from lanes`)
  assert.deepEqual(lanes, [{ ...LANE, nextDueAt: NOW }])
})

test('the validity ends at its exact time, with or without an attempt', async (t) => {
  const rows = await queueRows(t)
  await rows.message('msg_1', { due_at: at(-HOURS) })
  await rows.message('msg_2', { due_at: at(1 - HOURS) })
  await rows.message('msg_3', { due_at: NOW, expires_at: NOW })
  await rows.message('msg_4', { due_at: NOW, expires_at: at(1) })
  await rows.message('msg_5', { due_at: at(1), expires_at: NOW }) // leased
  await rows.message('msg_6', { expires_at: at(-1) })
  await rows.message('msg_7', { due_at: at(-HOURS - 5) })
  await rows.message('msg_8', { due_at: at(-1), expires_at: at(-5) })
  for (const [i, lane] of OTHER_LANES.entries()) {
    await rows.message(`msg_9${i}`, { due_at: at(-HOURS) }, lane)
    await rows.message(`msg_8${i}`, { due_at: NOW, expires_at: NOW }, lane)
  }
  const expired = (limit: number) =>
    rows.db.transaction(async (tx) => (await findExpired(tx, LANE, NOW, limit)).map(({ id }) => id))
  assert.deepEqual((await expired(10)).toSorted(), ['msg_1', 'msg_3', 'msg_7', 'msg_8'])
  assert.deepEqual((await expired(1)).toSorted(), ['msg_7', 'msg_8'], 'the oldest of both kinds')
})

test('the walk over waiting lanes sees each once, and which of them have expired messages', async (t) => {
  const rows = await queueRows(t)
  const lane = (campaignId: string, route: LaneKey['route'] = 'open') => ({
    ...LANE,
    campaignId,
    route,
  })
  const held = { held_from: at(-9), next_due_at: at(60_000) }
  await rows.lane(lane('cmp_a'), { next_due_at: NOW })
  await rows.lane(lane('cmp_b'), { next_due_at: at(-5) })
  await rows.lane(lane('cmp_c'), { next_due_at: at(1) }) // has nothing to send
  await rows.lane(lane('cmp_d', 'att-sms'), held)
  await rows.lane(lane('cmp_e', 'tmo'), held) // at the daily cap the validity is suspended
  await rows.lane(lane('cmp_f'))
  await rows.message('msg_1', { due_at: at(-HOURS) }, lane('cmp_a'))
  await rows.message('msg_2', { due_at: at(1 - HOURS) }, lane('cmp_b'))
  await rows.message('msg_3', { due_at: at(-1), expires_at: at(1) }, lane('cmp_b'))
  await rows.message('msg_4', { due_at: at(1), expires_at: NOW }, lane('cmp_b'))
  await rows.message('msg_5', { due_at: NOW, expires_at: NOW }, lane('cmp_d', 'att-sms'))
  await rows.message('msg_6', { due_at: at(-HOURS) }, lane('cmp_b', 'att-sms'))
  await rows.message('msg_7', { due_at: NOW, expires_at: NOW }, lane('cmp_b', 'att-sms'))
  await rows.message('msg_8', { due_at: at(-HOURS) }, { ...lane('cmp_b'), accountId: 'acc_other' })
  const found = await listWaitingLanes(rows.db, NOW, FIRST_LANE, 10)
  const all = [
    ['cmp_b', false],
    ['cmp_a', true],
    ['cmp_d', true],
  ]
  const seen = (list: typeof found) => list.map((one) => [one.campaignId, one.hasExpired])
  assert.deepEqual(seen(found), all)
  const walked: typeof found = []
  for (let place = [FIRST_LANE, ...walked].at(-1)!; ; place = walked.at(-1)!) {
    const next = await listWaitingLanes(rows.db, NOW, place, 1)
    if (next.length === 0) break
    walked.push(...next)
  }
  assert.deepEqual(seen(walked), all)
})

test('an ending campaign takes what waits and leaves what is in flight', async (t) => {
  const rows = await queueRows(t)
  await rows.message('msg_1', { due_at: NOW, price_micros: 100 })
  await rows.message('msg_2', { due_at: at(1), price_micros: 1_000 }) // leased, or attempted again later
  await rows.message('msg_3', { due_at: at(9_999), status: 'SCHEDULED', price_micros: 10 })
  await rows.message('msg_4') // handed off
  await rows.message('msg_5', { due_at: NOW, price_micros: 1 }, { ...LANE, route: 'tmo' })
  for (const [i, lane] of OTHER_LANES.slice(0, 2).entries()) {
    await rows.message(`msg_9${i}`, { due_at: NOW }, lane)
  }
  const lock = (limit: number) =>
    rows.db.transaction(async (tx) => {
      const found = await lockWaiting(tx, OWN, 'cmp_own', limit, NOW)
      const concurrent = await rows.db.transaction((other) =>
        lockWaiting(other, OWN, 'cmp_own', 10, NOW),
      )
      return [found.length, concurrent.length]
    })
  assert.deepEqual(await lock(10), [3, 0])
  assert.deepEqual(await lock(2), [2, 1], 'one portion; another process may take the rest')
  const waiting = await rows.db.transaction((tx) => lockWaiting(tx, OWN, 'cmp_own', 10, NOW))
  assert.deepEqual(
    new Map(waiting.map(({ id, priceMicros }) => [id, priceMicros])),
    new Map([
      ['msg_1', 100n],
      ['msg_3', 10n],
      ['msg_5', 1n],
    ]),
  )
  assert.deepEqual(await countQueued(rows.db, OWN, 'cmp_own', 10), {
    count: 4,
    priceMicros: 1_111n,
  })
  assert.equal((await countQueued(rows.db, OWN, 'cmp_own', 3)).count, 3)
  assert.deepEqual(await countQueued(rows.db, OWN, 'cmp_none', 3), { count: 0, priceMicros: 0n })
  const queued = [OWN, 'acc_other', 'acc_none'].map((id) => hasQueued(rows.db, id, 'cmp_own'))
  assert.deepEqual(await Promise.all(queued), [true, true, false])
  assert.equal(await hasQueued(rows.db, OWN, 'cmp_none'), false)
  await rows.db.query(sql`update messages set due_at = null where account_id = ${OWN}`)
  assert.equal(await hasQueued(rows.db, OWN, 'cmp_own'), false)
})

test('monitoring shows how much waits, since when, and where most', async (t) => {
  const rows = await queueRows(t)
  const [, campaign, way] = OTHER_LANES
  await rows.message('msg_1', { due_at: NOW })
  await rows.message('msg_2', { due_at: at(-5) }, campaign)
  await rows.message('msg_3', { due_at: at(-3) }, campaign)
  await rows.message('msg_4', { due_at: at(1), attempts: 1 })
  await rows.message('msg_5', { due_at: at(1) }, way)
  await rows.message('msg_6', { attempts: 1 })
  await rows.message('msg_7', { due_at: NOW, attempts: 1 })
  const depths = await findRouteDepths(rows.db, NOW)
  assert.deepEqual(
    depths.toSorted((a, b) => a.pending - b.pending),
    [
      { route: 'att-sms', waiting: 0, pending: 1, oldestDueAt: null },
      { route: 'open', waiting: 4, pending: 5, oldestDueAt: at(-5) },
    ],
  )
  await rows.message('msg_8', { due_at: at(-1) }, campaign)
  const deepest = await findDeepestLanes(rows.db, NOW, 10)
  assert.deepEqual(deepest, [
    { ...campaign, waiting: 3, pending: 3, oldestDueAt: at(-5) },
    { ...LANE, waiting: 2, pending: 2, oldestDueAt: NOW },
  ])
  assert.deepEqual(await findDeepestLanes(rows.db, NOW, 1), deepest.slice(0, 1))
  assert.equal(await countBackingOff(rows.db, NOW), 1)
})

test('a long queue is not counted, because the counters know its length', async (t) => {
  const rows = await queueRows(t)
  const [, campaign, way] = OTHER_LANES
  await rows.message('msg_1', { due_at: at(-9) })
  await rows.message('msg_2', { due_at: at(-5) }, campaign)
  await rows.message('msg_3', { due_at: at(1) }, way)
  for (const lane of [LANE, campaign!, way!]) await rows.lane(lane, { next_due_at: NOW })
  const open = (lane: typeof LANE, status: string, count: number) =>
    rows.db.query(sql`
      insert into open_counts (account_id, campaign_id, route, status, count)
      values (${lane.accountId}, ${lane.campaignId}, ${lane.route}, ${status}, ${count})`)
  await open(LANE, 'QUEUED', 1_000_000)
  await open(LANE, 'SCHEDULED', 7)
  await open(campaign!, 'QUEUED', 2_000)
  await open(way!, 'SCHEDULED', 3)
  const change = { start: NOW, to_error: 0, count: 5, refunded_micros: 0, from_step: -32768 }
  const accepted = {
    ...change,
    to_step: -32768,
    carrier: 'other',
    direction: 'OUTBOUND',
    segments: 5,
  }
  await rows.db.query(sql`
    insert into usage_changes select * from jsonb_populate_record(null::usage_changes, ${JSON.stringify(
      {
        ...{ ...accepted, account_id: LANE.accountId, message_id: 'msg_9', sequence: 0 },
        ...{ campaign_id: LANE.campaignId, route: LANE.route, to_status: 'QUEUED' },
      },
    )}::jsonb)`)
  const depths = await findRouteDepths(rows.db, NOW)
  assert.deepEqual(
    depths.toSorted((a, b) => a.pending - b.pending),
    [
      { route: 'att-sms', waiting: 0, pending: 3, oldestDueAt: null },
      { route: 'open', waiting: 1_002_005, pending: 1_002_012, oldestDueAt: at(-9) },
    ],
  )
  assert.deepEqual(await findDeepestLanes(rows.db, NOW, 10), [
    { ...LANE, waiting: 1_000_005, pending: 1_000_005, oldestDueAt: at(-9) },
    { ...campaign, waiting: 2_000, pending: 2_000, oldestDueAt: at(-5) },
  ])
})

test('what waits in a lane is counted up to a thousand, and beyond that by the counters', async (t) => {
  const rows = await queueRows(t)
  await rows.lane(LANE, { next_due_at: NOW })
  const template = 'msg_00000000000000000000000000'
  await rows.message(template, { due_at: at(-2) })
  const waiting = async () => {
    const [lane] = await listLaneUse(rows.db, LANE.accountId, LANE.campaignId, NOW)
    return [lane!.waiting, lane!.oldestDueAt]
  }
  assert.deepEqual(await waiting(), [1, at(-2)])
  await rows.db.query(sql`
    insert into messages select (jsonb_populate_record(m, jsonb_build_object('id', 'msg_' || lpad(i::text, 26, '0'),
      'due_at', ${at(-1)}::timestamptz))).*
    from messages m cross join generate_series(1, 1500) i where m.id = ${template}`)
  assert.deepEqual(await waiting(), [1_000, at(-2)], 'at least')
  await rows.db.query(sql`
    insert into open_counts (account_id, campaign_id, route, status, count)
    values (${LANE.accountId}, ${LANE.campaignId}, ${LANE.route}, 'QUEUED', 1501)`)
  assert.deepEqual(await waiting(), [1_501, at(-2)])
})

test('a lost link is reported for 30 seconds after the last sighting, the first one first', async (t) => {
  const { db } = await queueRows(t)
  const lost = (dispatcher: string, ms: number) => ({
    dispatcher,
    carrier: 'fake',
    downSince: at(ms),
  })
  await saveLinkOutage(db, lost('one', -90_000), at(-60_000))
  await saveLinkOutage(db, lost('two', -80_000), at(-60_000))
  await saveLinkOutage(db, lost('two', -70_000), at(-30_000))
  await saveLinkOutage(db, lost('three', -75_000), NOW)
  assert.deepEqual(await listLinkOutages(db, NOW), [lost('three', -75_000), lost('two', -70_000)])
  assert.deepEqual(await listLinkOutages(db, at(1)), [lost('three', -75_000)])
  await deleteLinkOutage(db, 'three', NOW)
  const left = await db.query(sql`select dispatcher from link_outages`)
  assert.deepEqual(left, [{ dispatcher: 'two' }], 'expired outages are deleted, too')
})

test('parts of one message have the same phone, number, and reference', async (t) => {
  const { db } = await queueRows(t)
  const key = { number: '+14152000001', peer: '+14155550101', reference: 7 }
  const part = { total: 3, body: 'Hello', isDone: false }
  await db.transaction(async (tx) => {
    for (const [change, now] of [
      [{ sequence: 2 }, at(1)],
      [{ sequence: 1 }, NOW],
      [{ sequence: 1, peer: '+14155550102' }, at(1)],
      [{ sequence: 1, number: '+14155550102' }, at(2)],
      [{ sequence: 3, reference: 8 }, at(3)],
    ] as const) {
      await insertPart(tx, { ...key, ...part, ...change }, now)
    }
    const found = await listParts(tx, key)
    assert.deepEqual(
      found.map(({ sequence }) => sequence),
      [1, 2],
    )
  })
  assert.deepEqual(await findOverdueParts(db, NOW, 10), [key])
  assert.deepEqual(await findOverdueParts(db, at(-1), 10), [])
  assert.equal((await findOverdueParts(db, at(2), 10)).length, 3, 'each message once')
  assert.equal((await findOverdueParts(db, at(2), 2)).length, 2)
})
