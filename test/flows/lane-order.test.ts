// Requeueing locks lanes in one order, so two processes that do it at once can wait for each other but never
// deadlock.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { requeueHandoff } from '../../src/messages/dispatch/handoff-queries.js'
import type { LaneKey } from '../../src/messages/lane-queries.js'
import { requeueMessages } from '../../src/messages/moves/requeue-queries.js'
import { eventually } from '../harness.js'
import { at, LANE, NOW, type QueueRows, queueRows } from '../queue-rows.js'
import { WAITING } from '../waiting.js'

const { accountId } = LANE
const LANES: LaneKey[] = Array.from({ length: 30 }, (_, i) => ({
  ...LANE,
  campaignId: `cmp_${10 + i}`,
}))
const HELD = LANES[15]!
const AFTER_HELD = LANES.slice(16).map((lane) => lane.campaignId)

const idOf = (lane: LaneKey) => `msg_${lane.campaignId}`

/** A message on each lane, written in random order, so no order comes from the table itself. */
async function plant(rows: QueueRows): Promise<void> {
  const shuffled = LANES.map((_, i) => LANES[(i * 7) % LANES.length]!)
  for (const lane of shuffled) {
    await rows.message(idOf(lane), {}, lane)
    await rows.lane(lane, { next_due_at: at(99_000) })
  }
}

/** The lanes that the work has not locked while it waits for a locked lane in the middle. */
async function freeWhile(db: Database, work: () => Promise<void>): Promise<string[]> {
  let working: Promise<void> | undefined
  const free = await db.transaction(async (tx) => {
    await tx.query(sql`
      select from lanes where account_id = ${accountId} and campaign_id = ${HELD.campaignId}
      for update`)
    working = work()
    await eventually(async () => {
      const rows = await db.query(WAITING)
      return rows.length > 0
    }, 'a wait for the locked lane')
    const rows = await db.query<{ campaignId: string }>(sql`
      select campaign_id as "campaignId" from lanes
      where account_id = ${accountId} order by campaign_id for update skip locked`)
    return rows.map((row) => row.campaignId)
  })
  await working
  return free
}

test('requeued messages lock their lanes in order', async (t) => {
  const rows = await queueRows(t)
  await plant(rows)
  const requeues = LANES.toReversed().map((lane) => ({
    messageId: idOf(lane),
    dueAt: NOW,
    attempts: 1,
    expiresAt: null,
    isMediaChecked: false,
    countedDay: null,
    entry: null,
  }))
  const free = await freeWhile(rows.db, () => requeueMessages(rows.db, accountId, requeues))
  assert.deepEqual(free, AFTER_HELD)
})

test('a requeued handoff locks its lanes in order', async (t) => {
  const rows = await queueRows(t)
  await plant(rows)
  const handoff = { accountId, firstId: idOf(LANES[0]!), lastId: idOf(LANES.at(-1)!) }
  const free = await freeWhile(rows.db, () =>
    rows.db.transaction((tx) => requeueHandoff(tx, handoff, NOW)),
  )
  assert.deepEqual(free, AFTER_HELD)
})
