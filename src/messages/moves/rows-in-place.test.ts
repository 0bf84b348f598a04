// A message's row is updated in place, without new index entries, as long as its page has room for the next version
// (docs/decisions/0137). Pages are filled with that in mind, for rows of a usual size.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/harness.js'
import { NOW, queueRows } from '../../../test/queue-rows.js'
import { newId } from '../../kit/ids.js'
import type { Database } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'
import { insertAccepted, type NewMessage } from '../send/accept-queries.js'
import { encodeEntry } from '../timeline.js'
import { type Move, moveMessages } from './move-queries.js'

const COUNT = 200
/** As long as those of real accounts and campaigns, because the size of a row matters. */
const LANE = { accountId: newId('acc', NOW), campaignId: newId('cmp', NOW), route: 'open' } as const
/** As many characters as fit one segment, and what most messages have. */
const TEXTS = ['x'.repeat(160), 'Your table is ready']

function message(body: string): NewMessage {
  const address = { campaignId: LANE.campaignId, from: '+14152000001', to: '+14155550107' }
  const content = { type: 'SMS', body, mediaUrls: [], metadata: { order: '1042' } } as const
  const rest = { numSegments: 1, priceMicros: 0n, automatic: null, scheduledAt: null }
  const path = { path: { kind: 'handoff' }, once: null, validitySeconds: null } as const
  return { ...address, ...content, ...rest, ...path, route: LANE.route }
}

/** The page of each row, by ID. */
async function pagesOf(db: Database): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; page: string }>(sql`
    select id, split_part(ctid::text, ',', 1) as page from messages`)
  return new Map(rows.map(({ id, page }) => [id, page]))
}

/** How many rows leave their page when they are sent, and when they are delivered. */
async function countMoved(db: Database, text: string): Promise<number[]> {
  const ids = Array.from({ length: COUNT }, () => newId('msg', NOW))
  const messages = ids.map(() => message(text))
  const written = await insertAccepted(db, LANE.accountId, { now: NOW, ids, messages })
  assert.equal(written.count, COUNT)
  const accepted = await pagesOf(db)

  const move = async (target: Move['target'], entry: string, note: string) => {
    const moves = ids.map((messageId) => ({ messageId, target, errorCode: null, entry, note }))
    const { moved } = await moveMessages(db, LANE.accountId, moves, NOW)
    assert.equal(moved.size, COUNT)
    const pages = await pagesOf(db)
    return ids.filter((id) => pages.get(id) !== accepted.get(id)).length
  }
  const sent = encodeEntry(NOW, 'sent', 'via twilio')
  return [
    await move('SENT', sent, ` SM${'5f'.repeat(16)}`),
    await move('DELIVERED', encodeEntry(NOW, 'delivered'), ''),
  ]
}

for (const text of TEXTS) {
  test(`a batch of texts of ${text.length} characters is sent and delivered on the pages of its rows`, async (t) => {
    const { db, campaign } = await queueRows(t)
    await db.query(sql`
      insert into accounts (account_id, name, created_at) values (${LANE.accountId}, 'Test', ${NOW})`)
    await campaign(LANE)
    // While a transaction that writes is open on the server, such as one of another test, old versions need room.
    await eventually(
      async () => (await countMoved(db, text)).every((count) => count === 0),
      'a batch that stays on its pages',
    )
  })
}
