// A claim at a given time: what it takes from a lane, what it writes, and when the lane is due again.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { claimLane } from '../../src/messages/dispatch/claim-lane.js'
import type { Route } from '../../src/messages/lane.js'
import type { LaneKey, LaneState } from '../../src/messages/lane-queries.js'
import { activeCampaign } from '../fixtures.js'
import { changesStorage, testService } from '../harness.js'
import { at, NOW, rowsOn } from '../queue-rows.js'
import { changeCampaign } from '../sending.js'

const HOUR_MS = 3_600_000
const LEASED = at(60_000)
const SECOND = String(NOW.getTime() / 1000)
/** Of the day of NOW, which starts and ends at 08:00 UTC. */
const MIDNIGHT_MS = 20 * HOUR_MS

type Limits = Parameters<typeof changeCampaign>[2]

async function claimStage(t: TestContext, route: Route, limits: Limits) {
  const service = await testService(t)
  const { accountId, world } = service
  changesStorage(world)
  const { campaignId } = await activeCampaign(service)
  await changeCampaign(service, campaignId, limits)
  const lane: LaneKey = { accountId, campaignId, route }
  const rows = rowsOn(world.db)
  return {
    rows,
    lane,
    plant: (id: string, row: object) => rows.message(id, { ...row }, lane),
    claim: async (now = NOW, checksMax = 9) => {
      const leaseUntil = new Date(now.getTime() + 60_000)
      const terms = { leaseUntil, checksMax, isJournaled: true }
      const { messages, toCheck, moves, submitBy } = await claimLane(world.db, lane, now, terms)
      return {
        messages: messages.map(({ id }) => id),
        toCheck: toCheck.map(({ id }) => id),
        moves: moves.map(({ messageId, errorCode }) => [messageId, errorCode]),
        submitBy,
      }
    },
    state: async () => {
      const [row] = await world.db.query<LaneState & { nextDueAt: Date | null }>(sql`
        select window_slots as slots, held_from as "waitingSince", holds, next_due_at as "nextDueAt"
        from lanes where campaign_id = ${campaignId} and route = ${route}`)
      return row!
    },
    timelines: async () => {
      const found = await world.db.query<{ id: string; timeline: string[] }>(sql`
        select id, timeline from messages where timeline <> '{}' order by id`)
      return Object.fromEntries(found.map(({ id, timeline }) => [id, timeline]))
    },
  }
}

test('a claim takes what the limit allows, records waits of a second, and returns when capacity is free', async (t) => {
  const { rows, lane, plant, claim, state, timelines } = await claimStage(t, 'att-sms', {
    smsTpmAtt: 5,
  })
  const window_slots = { [SECOND]: 2 }
  await rows.lane(lane, { held_from: at(-5_000), next_due_at: NOW, window_slots })
  await plant('msg_1', { due_at: at(-9_000) })
  await plant('msg_2', { due_at: at(-1_000) })
  await plant('msg_3', { due_at: at(-999) })
  await plant('msg_4', { due_at: at(-998) })
  await plant('msg_5', { due_at: at(90_000) })
  assert.deepEqual(await claim(), {
    messages: ['msg_1', 'msg_2', 'msg_3'],
    toCheck: [],
    moves: [],
    submitBy: null,
  })
  assert.deepEqual(await timelines(), {
    msg_1: [`${NOW.getTime()}|waited|the AT&T limit of 5/min: 5.0 s`],
    msg_2: [`${NOW.getTime()}|waited|the AT&T limit of 5/min: 1.0 s`],
  })
  assert.deepEqual(await state(), {
    slots: { [SECOND]: 2 },
    waitingSince: null,
    holds: [],
    nextDueAt: at(250), // what was claimed may not leave
  })
  const due = { msg_1: LEASED, msg_2: LEASED, msg_3: LEASED, msg_4: at(-998), msg_5: at(90_000) }
  assert.deepEqual(await rows.column('due_at'), due)
  assert.deepEqual(await rows.column('counted_day'), {})

  // They have left, so the lane waits until the window has room again.
  await rows.db.query(sql`update messages set due_at = null where due_at = ${LEASED}`)
  await rows.db.query(sql`update lanes set window_slots = ${{ [SECOND]: 5 }}`)
  assert.deepEqual((await claim(at(250))).messages, [])
  const held = await state()
  assert.deepEqual([held.waitingSince, held.nextDueAt], [at(250), at(62_000)])

  // A minute later the last one is claimed, and nothing stops the lane anymore.
  assert.deepEqual((await claim(at(62_000))).messages, ['msg_4'])
  const { waitingSince, nextDueAt, slots } = await state()
  assert.deepEqual([waitingSince, nextDueAt, slots], [null, at(90_000), {}])
})

test('without a limit nothing is counted, and messages that cannot be sent are leased until moved', async (t) => {
  const { rows, lane, plant, claim, state, timelines } = await claimStage(t, 'open', {})
  await rows.lane(lane, { held_from: at(-5_000), next_due_at: NOW })
  const optedOut = '+14155550109'
  await rows.db.query(sql`
    insert into optouts (account_id, campaign_id, recipient, opted_out_at)
    values (${lane.accountId}, ${lane.campaignId}, ${optedOut}, ${NOW})`)
  const media = { media_urls: ['http://a.test/a.png'], type: 'MMS' }
  await plant('msg_1', { due_at: at(-9_000) })
  await plant('msg_2', { due_at: at(-8_000), peer: optedOut })
  await plant('msg_3', { due_at: at(-7_000), expires_at: NOW })
  await plant('msg_4', { due_at: at(-6_000), expires_at: at(1) })
  for (const i of [5, 6, 7]) await plant(`msg_${i}`, { ...media, due_at: at(-5_000) })
  await plant('msg_8', { ...media, due_at: at(-1), media_checked: true })
  assert.deepEqual(await claim(NOW, 2), {
    messages: ['msg_1', 'msg_4', 'msg_8'],
    toCheck: ['msg_5', 'msg_6'],
    moves: [
      ['msg_2', 1330],
      ['msg_3', 1400],
    ],
    submitBy: null,
  })
  const { msg_7, ...others } = await rows.column('due_at')
  assert.deepEqual(msg_7, at(10_000), 'checked after the others')
  assert.deepEqual(Object.values(others), Array(7).fill(LEASED))
  assert.deepEqual(await timelines(), {}, 'without a limit there is no wait')
  const { slots, waitingSince, nextDueAt } = await state()
  assert.deepEqual([slots, waitingSince, nextDueAt], [{}, null, at(10_000)])
})

test('a message held at the daily cap keeps its validity, and holds of other days are stored for it', async (t) => {
  const limits = { dailyTmoCap: 1, holdAtDailyCap: true }
  const { rows, lane, plant, claim, state, timelines } = await claimStage(t, 'tmo', limits)
  await rows.lane(lane, { next_due_at: NOW })
  for (const [i, ms] of [-9_000, -8_000, -7_000].entries()) {
    await plant(`msg_${i + 1}`, { due_at: at(ms), created_at: at(ms) })
  }
  assert.deepEqual((await claim()).messages, ['msg_1'])
  assert.deepEqual(await state(), {
    slots: { '2026-11-15': 1 },
    waitingSince: NOW,
    holds: [],
    nextDueAt: at(MIDNIGHT_MS),
  })
  assert.deepEqual(await rows.column('counted_day'), { msg_1: '2026-11-15' })
  // Checked again on the same day: it has been held since the first check.
  assert.deepEqual((await claim(at(HOUR_MS))).messages, [])
  const same = await state()
  assert.deepEqual([same.waitingSince, same.holds], [NOW, []])

  await rows.db.query(sql`update messages set due_at = null where id = 'msg_1'`) // was sent

  // At midnight the next one leaves, and the day's hold counts for the one that still waits.
  assert.deepEqual((await claim(at(MIDNIGHT_MS))).messages, ['msg_2'])
  const held = [NOW.getTime(), at(MIDNIGHT_MS).getTime()]
  const next = await state()
  assert.deepEqual([next.waitingSince, next.holds], [at(MIDNIGHT_MS), [held]])
  assert.deepEqual(await rows.column('expires_at'), {
    msg_2: at(4 * HOUR_MS - 8_000 + MIDNIGHT_MS),
  })
  const waited = `the T-Mobile daily cap of 1: ${MIDNIGHT_MS / 1000}.0 s`
  assert.deepEqual(await timelines(), { msg_2: [`${at(MIDNIGHT_MS).getTime()}|waited|${waited}`] })

  await rows.db.query(sql`update messages set due_at = null where id = 'msg_2'`)

  // The day after, a minute late: the validity was suspended until midnight and no longer.
  const late = at(MIDNIGHT_MS + 24 * HOUR_MS + 60_000)
  assert.deepEqual((await claim(late)).messages, ['msg_3'])
  const { msg_3 } = await rows.column('expires_at')
  assert.deepEqual(msg_3, at(4 * HOUR_MS - 7_000 + MIDNIGHT_MS + 24 * HOUR_MS))
  const last = await state()
  assert.deepEqual([last.waitingSince, last.slots], [null, { '2026-11-17': 1 }])
})

test('a message claimed shortly before midnight must reach the carrier on the day it counts for', async (t) => {
  const { rows, lane, plant, claim } = await claimStage(t, 'tmo', { dailyTmoCap: 1 })
  await rows.lane(lane, { next_due_at: NOW })
  for (const i of [1, 2]) await plant(`msg_${i}`, { due_at: NOW, created_at: at(MIDNIGHT_MS - 9) })
  const { messages, moves, submitBy } = await claim(at(MIDNIGHT_MS - 1_000))
  assert.deepEqual([messages, moves], [['msg_1'], [['msg_2', 1320]]])
  assert.deepEqual(submitBy, at(MIDNIGHT_MS - 1))
})
