// Joining the parts of long messages, part by part: which set each one belongs to, how it is answered, and when sets are
// old.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AccountId } from '../../src/accounts/account.js'
import { sql } from '../../src/kit/postgres/sql.js'
import type { World } from '../../src/kit/world.js'
import { endSet, INCOMPLETE, REFUSED, storePart } from '../../src/smpp-server/join-parts.js'
import * as rows from '../../src/smpp-server/part-queries.js'
import { smppPurgeLoop } from '../../src/smpp-server/purge-loop.js'
import { testService } from '../harness.js'
import { changedBy } from './changed-rows.js'

const START = new Date('2026-11-15T12:00:00.000Z')
const at = (ms: number) => new Date(START.getTime() + ms)
const MINUTE_MS = 60_000

async function open(t: TestContext) {
  const service = await testService(t)
  const { db } = service.world
  const accountId = service.accountId as AccountId
  const key = {
    accountId,
    tokenId: 'tok',
    sender: '+14155550101',
    peer: '+14155550102',
    reference: 1,
  }
  const part = (sequence: number, more: Partial<Parameters<typeof storePart>[1]> = {}) => ({
    ...{ ...key, sequence, total: 3, body: `text ${sequence}\u0000`, receipt: 1, bindId: 'bind 1' },
    ...more,
  })
  /** The kind of the answer, and its sequence or those of the whole message. */
  const store = async (one: ReturnType<typeof part>, ms = 0, isBindAlive = false) => {
    const context = { now: at(ms), isBindAlive: async () => isBindAlive }
    const stored = await db.transaction((tx) => storePart(tx, one, context))
    if (stored.kind === 'whole') return stored.parts.map(({ sequence }) => sequence)
    return stored.id.replace(/^prt_\w+-/, '')
  }
  const list = () => rows.listParts(db, key)
  const receipts = async () => {
    const found = await db.query<{ ids: string[]; error: number }>(sql`
      select data -> 'ids' as ids, (data ->> 'error')::int as error from events
      where event_type = 'smpp.receipt' order by id`)
    return found.map(({ ids, error }) => [error, ...ids.map((id) => id.split('-')[1])].join(' '))
  }
  return { service, db, accountId, key, part, store, list, receipts }
}

test('a part belongs to the message under its reference, and a repeat after a broken bind is the same part', async (t) => {
  const { db, part, store, list, receipts } = await open(t)
  assert.equal(await store(part(2), 1), '2')
  assert.equal(await store(part(1), 2), '1')
  assert.equal(await store(part(1), 3), '1', 'a repeat')
  assert.deepEqual(await store(part(3), 4), [1, 2, 3])
  assert.deepEqual(await store(part(3), 5), [1, 2, 3], 'a repeat of the last one')
  const parts = await list()
  assert.deepEqual([parts.length, parts[0]!.body], [3, 'text 1\u0000'])
  await rows.markSetDone(db, parts[0]!, 'msg_1')
  const again = part(3, { bindId: 'bind 2' })
  assert.equal(
    await store(again, 10 * MINUTE_MS + 3),
    'msg_1',
    'the last part has the message’s ID',
  )
  assert.equal((await list())[2]!.bindId, 'bind 2')
  assert.equal(await store(part(1, { bindId: 'bind 2' }), 5), '1')
  assert.deepEqual(await receipts(), [], 'nothing has ended')
  for (const [name, one, ms, isAlive] of [
    ['over the same bind', part(2), 5, false],
    ['while its bind lives', part(2, { bindId: 'bind 2' }), 5, true],
    ['after ten minutes', part(2, { bindId: 'bind 2' }), 10 * MINUTE_MS + 1, false],
    ['with another text', part(2, { bindId: 'bind 2', body: 'other' }), 5, false],
    ['of another message', part(4, { total: 4 }), 5, false],
  ] as const) {
    await db.query(sql`delete from smpp_parts`)
    for (const [i, sequence] of [2, 1, 3].entries()) await store(part(sequence), i + 1)
    await rows.markSetDone(db, (await list())[0]!, 'msg_1')
    await store(one, ms, isAlive)
    const left = (await list()).map(({ messageId }) => messageId)
    assert.deepEqual(left, [null], `${name}, it begins another message`)
  }
  assert.deepEqual(await receipts(), [], 'the messages exist')
})

test('a part that does not fit ends the incomplete message before it, with the receipts that it requested', async (t) => {
  const { db, part, store, list, receipts } = await open(t)
  const begin = async () => {
    await db.query(sql`delete from smpp_parts`)
    await store(part(1, { receipt: 2 }), 1)
    await store(part(2, { receipt: 0 }), 2)
  }
  for (const [one, ended] of [
    [part(2, { body: 'other' }), ['1 1']],
    [part(3, { total: 4 }), ['1 1', '1 1']],
  ] as const) {
    await begin()
    await store(one, 3)
    assert.deepEqual(
      [(await list()).map(({ sequence }) => sequence), await receipts()],
      [...[[one.sequence], ended]],
    )
  }
  await begin()
  await db.query(sql`update smpp_parts set receipt = 1`)
  const parts = await list()
  await db.transaction((tx) => endSet(tx, parts, REFUSED, at(9), 2))
  assert.deepEqual(await receipts(), ['1 1', '1 1', '2 1'], 'without the part that was refused')
  await db.query(sql`delete from events`)
  await db.transaction((tx) => endSet(tx, parts, INCOMPLETE, at(9)))
  assert.deepEqual([await receipts(), await list()], [['1 1 2'], []])
})

test('a statement of parts reads and changes those of one message', async (t) => {
  const { service, db, accountId, key, part, store, list } = await open(t)
  const other = (await service.otherAccount()).accountId as AccountId
  await store(part(1), 0)
  await store(part(2), 1)
  for (const [i, more] of [
    ...[{ accountId: other }, { tokenId: 'other' }, { sender: 'other' }, { peer: 'other' }],
    { reference: 2 },
  ].entries()) {
    await store(part(1, more), 10 + i)
  }
  const mine = await list()
  assert.deepEqual(
    mine.map(({ sequence }) => sequence),
    [1, 2],
  )
  const { setId } = mine[0]!
  assert.deepEqual(await rows.listSet(db, accountId, setId), mine)
  assert.deepEqual(await rows.listSet(db, other, setId), [])
  const foreign = { ...mine[0]!, accountId: other }
  for (const [work, changed] of [
    [(tx) => rows.updateBind(tx, foreign, 'x'), []],
    [(tx) => rows.updateBind(tx, mine[1]!, 'x'), ['2']],
    [(tx) => rows.markSetDone(tx, foreign, 'msg_1'), []],
    [(tx) => rows.markSetDone(tx, mine[0]!, 'msg_1'), ['1', '2']],
    [(tx) => rows.deleteParts(tx, foreign), []],
    [(tx) => rows.deleteParts(tx, foreign, 1), []],
    [(tx) => rows.deleteParts(tx, mine[0]!, 2), ['2']],
    [(tx) => rows.deleteParts(tx, mine[0]!), ['1']],
  ] as [Parameters<typeof changedBy>[2], string[]][]) {
    const found = await changedBy(db, { table: 'smpp_parts', key: 'sequence::text' }, work)
    assert.deepEqual(found.changed, changed, String(work))
  }
  const count = async (waitingMs: number, doneMs: number, limit = 9) => {
    const bounds = { waitingSince: at(waitingMs), doneSince: at(doneMs) }
    return (await rows.findOldSets(db, bounds, limit)).length
  }
  assert.deepEqual([await count(9, 0), await count(10, 0), await count(14, 0)], [0, 1, 5])
  assert.equal(await count(14, 0, 2), 2)
  const [last] = await rows.listParts(db, { ...key, reference: 2 })
  await rows.markSetDone(db, last!, 'msg_1')
  assert.deepEqual([await count(14, 13), await count(14, 14)], [4, 5])
})

test('parts of an incomplete message are removed after five minutes, and of a complete one after an hour', async (t) => {
  const { service, db, key, part, store, receipts } = await open(t)
  const now = { ms: 0 }
  const clock = { now: () => at(now.ms), nowMs: () => at(now.ms).getTime() }
  const loop = smppPurgeLoop({ ...service.world, clock } as unknown as World)
  const step = (ms: number) => {
    now.ms = ms
    return loop.step(new AbortController().signal)
  }
  await store(part(1), 0)
  await store(part(1, { reference: 2 }), 0)
  const [done] = await rows.listParts(db, { ...key, reference: 2 })
  await rows.markSetDone(db, done!, 'msg_1')
  assert.equal(await step(5 * MINUTE_MS - 1), 0)
  assert.equal(await step(5 * MINUTE_MS), 1)
  assert.deepEqual(await receipts(), ['1 1'])
  assert.equal(await step(60 * MINUTE_MS - 1), 0)
  assert.equal(await step(60 * MINUTE_MS), 1)
  assert.equal(await step(60 * MINUTE_MS), 0, 'nothing is left')
  assert.deepEqual(await receipts(), ['1 1'], 'the other message exists')
})
