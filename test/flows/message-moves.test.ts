// The table of moves as PostgreSQL enforces it: every pair of statuses.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { canMove, STATUSES } from '../../src/messages/message-state.js'
import { moveMessages } from '../../src/messages/moves/move-queries.js'
import { writesMessages } from '../harness.js'
import { sendingService, VZW } from '../sending.js'

test('the database moves a message exactly where the table of moves allows it', async (t) => {
  const { service, campaignId } = await sendingService(t)
  const { db, clock } = service.world
  writesMessages(service.world)
  const pairs = STATUSES.flatMap((source) => STATUSES.map((target) => ({ source, target })))
  const messages = pairs.map(() => ({ campaign: campaignId, to: VZW, body: 'Hello' }))
  const { body } = await service.post('/v1/message/batch', { messages })
  const ids: string[] = body.results.map((result: { id: string }) => result.id)
  await db.query(sql`
    update messages m set status = i.status
    from unnest(${ids}::text[], ${pairs.map((pair) => pair.source)}::text[]) as i (id, status)
    where m.id = i.id`)
  const moves = pairs.map(({ target }, i) => ({
    messageId: ids[i]!,
    target,
    errorCode: null,
    entry: '0|test|',
  }))
  const { moved } = await moveMessages(db, service.accountId, moves, clock.now())
  const rows = await db.query<{ id: string; status: string; told: string | null }>(sql`
    select m.id, m.status, e.previous_status || ' ' || e.status as told
    from messages m left join events e on e.account_id = m.account_id and e.message_id = m.id`)
  assert.equal(rows.length, pairs.length, 'at most one event each')
  for (const { id, status, told } of rows) {
    const { source, target } = pairs[ids.indexOf(id)]!
    const isAllowed = canMove(source, target)
    assert.equal(moved.has(id), isAllowed, `${source} to ${target}`)
    assert.equal(status, isAllowed ? target : source)
    assert.equal(told, isAllowed ? `${source} ${target}` : null)
  }
})
