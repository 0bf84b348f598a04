// The statements of call counts and call records at their bounds: first and last day, pages, portions, and rows of other
// accounts and numbers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId } from '../../src/accounts/account.js'
import { idFloor } from '../../src/kit/ids.js'
import { sql } from '../../src/kit/postgres/sql.js'
import {
  addCalls,
  deleteOldCalls,
  findLastDay,
  listCalls,
  listDays,
  listOldCallers,
} from '../../src/voice/call-queries.js'
import type { CallRecord } from '../../src/voice/records/call-record.js'
import {
  addForwarded,
  addTrunkCalls,
  deleteOldRecords,
  deleteOldTrunkCalls,
  eraseOldCallers,
  findRecorded,
  insertRecords,
  listOldRecords,
  lockCalls,
  searchCalls,
} from '../../src/voice/records/call-record-queries.js'
import { recordCalls } from '../../src/voice/records/record-calls.js'
import { testService } from '../harness.js'

const [ONE, TWO] = ['+14155550101', '+14155550102']
const START = new Date('2026-11-15T12:00:00.000Z')
const after = (ms: number) => new Date(START.getTime() + ms)

test('calls are counted by account, number, and day, and listed and deleted by day', async (t) => {
  const { world, accountId: text, otherAccount } = await testService(t)
  const { db } = world
  const [own, other] = [text, (await otherAccount()).accountId] as [AccountId, AccountId]
  const of = (accountId: AccountId, phoneNumber: string, day: string, ms = 0) => ({
    ...{ accountId, phoneNumber, day, redirected: 2, refused: 3, lastCallAt: after(ms) },
  })
  const days = ['2026-11-13', '2026-11-14', '2026-11-15'] as const
  await addCalls(db, [
    ...days.map((day) => of(own, ONE, day)),
    ...[of(own, TWO, days[0]), of(other, ONE, days[0])],
  ])
  const { redirected, ...sum } = (await addCalls(db, [of(own, ONE, days[2], -1)]))[0]!
  assert.deepEqual([redirected, sum], [4, { phoneNumber: ONE, day: days[2] }])
  await addCalls(db, [of(own, TWO, days[0], 1)])

  const listed = await listDays(db, own, ONE, days[1])
  const last = { day: days[2], redirected: 4, refused: 6, lastCallAt: START }
  assert.deepEqual(listed, [last, { ...last, day: days[1], redirected: 2, refused: 3 }])
  assert.deepEqual(await findLastDay(db, own, ONE), last)
  assert.deepEqual((await findLastDay(db, own, TWO))?.lastCallAt, after(1))
  assert.equal(await findLastDay(db, other, TWO), null)

  const pages = async (page: Parameters<typeof listCalls>[2]) =>
    (await listCalls(db, own, page)).map(({ phoneNumber, day }) => `${phoneNumber} ${day}`)
  const keys = [...days.map((day) => `${ONE} ${day}`), `${TWO} ${days[0]}`]
  assert.deepEqual(await pages({ limit: 9, after: null, skip: 0 }), keys)
  assert.deepEqual(await pages({ limit: 1, after: keys[0]!, skip: 0 }), keys.slice(1, 3))
  assert.deepEqual(await pages({ limit: 1, after: null, skip: 2 }), keys.slice(2))

  assert.deepEqual(await listOldCallers(db, days[0]), [])
  const old = (await listOldCallers(db, days[1])).map(({ accountId }) => accountId)
  assert.deepEqual(old.sort(), [own, other].sort())
  await deleteOldCalls(db, own, days[1])
  assert.deepEqual(await pages({ limit: 9, after: null, skip: 0 }), keys.slice(1, 3))
  assert.ok(await findLastDay(db, other, ONE), 'the one of another account')
})

const record = (id: string, more: Partial<CallRecord> = {}): CallRecord => ({
  ...{
    id,
    phoneNumber: ONE,
    trunk: 'a',
    callId: id,
    outcome: 'not_forwarded',
    caller: '+12125550100',
  },
  ...{ accountId: '' as AccountId, priceMicros: 7n, ...more },
})

test('call records are searched and purged at their bounds', async (t) => {
  const { world, accountId: text, otherAccount } = await testService(t)
  const { db } = world
  const [own, other] = [text, (await otherAccount()).accountId] as [AccountId, AccountId]
  // At the first possible ID of each second, so a filter by time meets its bound.
  const ids = [0, 1000, 2000, 3000].map((ms) => idFloor('cal', after(ms)))
  const [a, b, c, d] = ids as [string, string, string, string]
  await db.transaction(async (tx) => {
    await insertRecords(tx, own, [
      ...[record(a), record(b, { phoneNumber: TWO, trunk: 'b' }), record(c, { callId: 'c' })],
    ])
    await insertRecords(tx, other, [record(d, { caller: null })])
  })
  const all = {
    accountId: null,
    phoneNumber: null,
    trunk: null,
    callId: null,
    since: null,
    until: null,
  }
  const page = { limit: 9, after: null as string | null, skip: 0 }
  for (const [filter, paging, found] of [
    [{}, {}, [d, c, b, a]],
    [{ accountId: own }, {}, [c, b, a]],
    [{ phoneNumber: TWO }, {}, [b]],
    [{ trunk: 'a' }, {}, [d, c, a]],
    [{ callId: 'c' }, {}, [c]],
    [{ since: after(1000) }, {}, [d, c, b]],
    [{ until: after(2000) }, {}, [b, a]],
    [{}, { limit: 1 }, [d, c]],
    [{}, { after: c }, [b, a]],
    [{}, { limit: 1, skip: 1 }, [c, b]],
  ] as const) {
    const calls = await searchCalls(db, { ...all, ...filter }, { ...page, ...paging })
    assert.deepEqual(
      calls.map(({ id }) => id),
      found,
      JSON.stringify([filter, paging]),
    )
  }
  const [newest] = await searchCalls(db, all, page)
  assert.deepEqual(newest, record(d, { accountId: other, caller: null }))
  const known = [
    { phoneNumber: ONE, callId: a },
    { phoneNumber: ONE, callId: 'c' },
  ]
  const recorded = await db.transaction((tx) => findRecorded(tx, own, known, b))
  assert.deepEqual(recorded, [{ id: c, phoneNumber: ONE, callId: 'c' }])

  const oldOf = async (ms: number, what: 'records' | 'callers') =>
    (await listOldRecords(db, after(ms), what)).map(({ accountId }) => accountId).sort()
  assert.deepEqual(await oldOf(0, 'records'), [])
  assert.deepEqual(await oldOf(1, 'records'), [own])
  assert.deepEqual(await oldOf(3001, 'records'), [own, other].sort())
  assert.deepEqual(await oldOf(3001, 'callers'), [own])
  const callers = async () =>
    (await searchCalls(db, all, page)).map(({ caller }) => caller !== null)
  assert.equal(await eraseOldCallers(db, own, after(2000), 1), 1)
  assert.deepEqual(await callers(), [false, true, true, false])
  assert.equal(await eraseOldCallers(db, own, after(2000), 9), 1, 'without the one that is erased')
  assert.deepEqual(await callers(), [false, true, false, false])
  assert.equal(await deleteOldRecords(db, own, after(2000), 1), 1)
  const left = async () => (await searchCalls(db, all, page)).map(({ id }) => id)
  assert.deepEqual(await left(), [d, c, b])
  assert.equal(await deleteOldRecords(db, own, after(9000), 9), 2)
  assert.deepEqual(await left(), [d], 'the one of another account')
})

test('forwarded calls are counted by account and by trunk, from zero each day', async (t) => {
  const { world, accountId: text, otherAccount } = await testService(t)
  const { db } = world
  const [own, other] = [text, (await otherAccount()).accountId] as [AccountId, AccountId]
  const add = (accountId: AccountId, day: string, count: number) =>
    db.transaction(async (tx) => {
      await lockCalls(tx, accountId, day)
      return addForwarded(tx, accountId, count)
    })
  assert.equal(await add(own, '2026-11-14', 3), 3)
  assert.equal(await add(other, '2026-11-14', 9), 9)
  assert.equal(await add(own, '2026-11-14', 4), 7)
  assert.equal(await add(own, '2026-11-15', 2), 2, 'a new day')
  assert.equal(await add(own, '2026-11-14', 1), 3, 'a process with a slow clock')

  const trunk = (name: string, forwarded: number) => ({ trunk: name, forwarded })
  await addTrunkCalls(db, '2026-11-14', [trunk('a', 5), trunk('b', 6)])
  const sums = await addTrunkCalls(db, '2026-11-14', [trunk('b', 1)])
  assert.deepEqual(sums, [trunk('b', 7)])
  assert.deepEqual(await addTrunkCalls(db, '2026-11-15', [trunk('a', 1)]), [trunk('a', 1)])
  await deleteOldTrunkCalls(db, '2026-11-15')
  const rows = await db.query(sql`select trunk, day::text as day, forwarded from trunk_calls`)
  assert.deepEqual(rows, [{ ...trunk('a', 1), day: '2026-11-15' }])
})

test('a repeated call is the same call for 64 seconds, and the balance pays for the first calls', async (t) => {
  const { world, accountId: text } = await testService(t, { balance: '0.05' })
  const own = text as AccountId
  const { db } = world
  const at = (ms: number, more: Partial<CallRecord> = {}) =>
    record(idFloor('cal', after(ms)), {
      ...{ accountId: own, callId: 'x', outcome: 'forwarded', priceMicros: 0n, ...more },
    })
  const write = async (calls: CallRecord[], price = 0n) => {
    const done = await recordCalls(db, own, calls, price, START)
    return [done.forwarded.length, done.forwardedToday, done.isPaid]
  }
  assert.deepEqual(await write([at(0), at(64_000), at(1, { phoneNumber: TWO })]), [2, 2, true])
  assert.deepEqual(await write([at(64_000)]), [0, 2, true], 'known from the last write')
  assert.deepEqual(await write([at(64_001), at(70_000, { callId: 'y', outcome: 'loop' })]), [
    1,
    3,
    true,
  ])
  const dear = [1, 2, 3].map((n) => at(n * 1_000_000))
  assert.deepEqual(await write(dear, 20_000n), [3, 6, false])
  const rows = await db.query(sql`
    select outcome, price_micros as price from call_records where id >= ${dear[0]!.id} order by id`)
  assert.deepEqual(rows, [
    ...[
      { outcome: 'forwarded', price: 20_000n },
      { outcome: 'forwarded', price: 20_000n },
    ],
    { outcome: 'forwarded_unpaid', price: 0n },
  ])
  assert.deepEqual(await write([at(9_000_000)], 20_000n), [1, 7, false])
})
