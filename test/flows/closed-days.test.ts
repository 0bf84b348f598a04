// Which day and month an entry belongs to, to the millisecond, what is stored once a day, and that sums with and
// without it are equal.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import type { World } from '../../src/kit/world.js'
import {
  entryFloor,
  findPosition,
  findStanding,
  insertClosing,
} from '../../src/ledger/entry-queries.js'
import type { Reason } from '../../src/ledger/ledger.js'
import { findClosingDrift, transfer } from '../../src/ledger/ledger-queries.js'
import { closingLoop } from '../../src/ledger/statement/close-days.js'
import { sumDays, sumMessageEntries } from '../../src/ledger/statement/day-queries.js'
import { type TestService, testService } from '../harness.js'

const MINUTE_MS = 60_000
const floorOf = (time: string) => entryFloor(new Date(time))

/** Moves money at a time given by the test. */
async function move(
  { world, accountId }: Pick<TestService, 'world' | 'accountId'>,
  time: string,
  micros: bigint,
  reason: Reason = 'credit',
): Promise<void> {
  const now = new Date(time)
  const wanted = { accountId, reason, reference: `${reason} ${time}`, amountMicros: micros, now }
  await world.db.transaction((tx) => transfer(tx, wanted))
}

interface Closing {
  accountId: string
  floorId: string
  wallet: bigint
}

async function closings({ db }: World): Promise<Closing[]> {
  return db.query<Closing>(sql`
    select account_id as "accountId", floor_id as "floorId", wallet_micros as wallet
    from ledger_closings order by floor_id, account_id`)
}

test('a day is closed once, an hour after it ended, with everything to its last millisecond', async (t) => {
  const service = await testService(t)
  const { world, accountId } = service
  const other = await service.otherAccount('7')
  // More accounts without entries than one portion, before those with entries.
  await world.db.query(sql`
    insert into account_ledgers (account_id)
    select 'acc_000' || n from generate_series(1, 250) n`)
  await move(service, '2027-03-01T23:59:59.999Z', 1n)
  await move(service, '2027-03-02T00:00:00.000Z', 10n)
  await move(service, '2027-03-02T23:59:59.999Z', 100n)
  await move(service, '2027-03-03T00:00:00.000Z', 1_000n)

  let time = '2027-03-02T00:59:59.999Z'
  let ms = 5
  const clock = { now: () => new Date(time) } as World['clock']
  const loop = closingLoop({ ...world, clock }, () => ms)
  const steps = async () => {
    const counts: number[] = []
    do counts.push(await loop.step(new AbortController().signal))
    while (counts.at(-1)! > 0 && counts.length < 9)
    return counts
  }
  const closed = async () => (await closings(world)).map((one) => [one.floorId, one.wallet])
  /** Ten minutes pass on the machine's clock, and the next time seen is the given one. */
  const tenMinutes = async (next: string) => {
    time = next
    ms += 10 * MINUTE_MS - 1
    assert.deepEqual(await steps(), [0], 'a time counts only if it was seen ten minutes ago')
    ms += 1
    return steps()
  }
  const first: [string, bigint][] = [
    [floorOf('2027-03-01'), 100_000_000n],
    [floorOf('2027-03-01'), 7_000_000n],
  ]
  const round = [100, 100, 52, 0]
  assert.deepEqual(await steps(), [0])
  assert.deepEqual(await tenMinutes('2027-03-02T01:00:00.000Z'), round)
  assert.deepEqual((await closed()).sort(), first.sort(), 'a millisecond short of an hour: not yet')
  assert.deepEqual(await steps(), [0])
  assert.deepEqual(await tenMinutes('2027-03-03T00:59:59.999Z'), round)
  const second: [string, bigint] = [floorOf('2027-03-02'), 100_000_001n]
  assert.deepEqual((await closed()).slice(2), [second])
  assert.deepEqual(await tenMinutes('2027-03-03T01:00:00.000Z'), [0], 'the same day again')
  assert.deepEqual(await tenMinutes('2027-03-04T00:00:00.000Z'), round)
  const third: [string, bigint] = [floorOf('2027-03-03'), 100_000_111n]
  assert.deepEqual((await closed()).slice(2), [second, third])
  assert.equal((await closings(world))[3]!.accountId, accountId)
  assert.equal(await insertClosing(world.db, accountId, third[0]), false, 'it already exists')
  assert.equal(await insertClosing(world.db, other.accountId, third[0]), false, 'nothing is new')

  assert.deepEqual(await findClosingDrift(world.db), [])
  await move({ world, accountId: other.accountId }, '2027-03-02T12:00:00.000Z', 1n)
  assert.deepEqual(await findClosingDrift(world.db), [], 'it has no later closing')
  await move(service, '2027-03-02T12:00:00.000Z', 1n) // far too late: the day was closed without it
  assert.deepEqual(await findClosingDrift(world.db), [{ accountId, floorId: third[0] }])
})

test('balances and spending are the same with and without closed days', async (t) => {
  const service = await testService(t)
  const { world, accountId } = service
  const { db } = world
  const other = { world, accountId: (await service.otherAccount('50')).accountId }
  for (const one of [other, service]) {
    await move(one, '2027-02-28T23:59:59.999Z', 20_000_000n, 'campaign_creation')
    await move(one, '2027-03-01T00:00:00.000Z', 1_000_000n, 'number_purchase')
    await move(one, '2027-03-02T10:00:00.000Z', 300_000n, 'message')
    await move(one, '2027-03-02T11:00:00.000Z', 100_000n, 'message_refund')
    await move(one, '2027-03-03T00:00:00.000Z', 5_000_000n, 'credit')
    await move(one, '2027-03-03T00:00:00.001Z', 2_000_000n, 'correction')
    await move(one, '2027-03-05T00:00:00.000Z', 10_000_000n, 'campaign_renewal')
  }
  await move(other, '2027-03-04T00:00:00.000Z', 3n, 'campaign_renewal')
  const WANTED: [time: string, wallet: bigint, spent: bigint][] = [
    ['2026-01-01', 0n, 0n],
    ['2027-02-28', 100_000_000n, 0n],
    ['2027-03-01', 80_000_000n, 20_000_000n],
    ['2027-03-01T00:00:00.001Z', 79_000_000n, 21_000_000n],
    ['2027-03-03', 78_800_000n, 21_200_000n],
    ['2027-03-04', 81_800_000n, 21_200_000n],
    ['2027-03-06', 71_800_000n, 31_200_000n],
  ]
  const check = async (what: string) => {
    for (const [time, walletMicros, spentMicros] of WANTED) {
      const position = await findPosition(db, accountId, floorOf(time))
      assert.deepEqual(position, { walletMicros, spentMicros }, `${what}: before ${time}`)
      const standing = await findStanding(db, accountId, floorOf(time))
      const since = { balanceMicros: 71_800_000n, spentMicros: 31_200_000n - spentMicros }
      assert.deepEqual(standing, since, `${what}: since ${time}`)
    }
  }
  await check('nothing closed')
  for (const day of ['2027-02-28', '2027-03-01', '2027-03-03', '2027-03-06']) {
    for (const one of [accountId, other.accountId]) await insertClosing(db, one, floorOf(day))
  }
  await insertClosing(db, other.accountId, floorOf('2027-03-05'))
  await check('closed')
  assert.equal((await closings(world)).length, 9)
  assert.deepEqual(await findClosingDrift(db), [])
})

test('the statement of a month is the same from daily sums and from entries', async (t) => {
  const service = await testService(t)
  const { world, accountId } = service
  const other = { world, accountId: (await service.otherAccount('50')).accountId }
  const days = [
    '02-28T23:59:59.999',
    '03-01T00:00:00.000',
    '03-02T10:00:00.000',
    '03-31T23:59:59.999',
  ]
  for (const one of [service, other]) {
    for (const [i, day] of days.entries()) {
      const micros = BigInt(7900 * (i + 1))
      await move(one, `2027-${day}Z`, micros, 'message')
      if (i % 2 === 1) await move(one, `2027-${day}Z`, micros, 'message_refund')
    }
  }
  await move(other, '2027-03-05T00:00:00.000Z', 7n, 'message')
  const sums = (from: string, to: string) =>
    sumMessageEntries(world.db, accountId, new Date(from), new Date(to))
  const months = async () => [
    await sums('2027-02-01', '2027-03-01'),
    await sums('2027-03-01', '2027-04-01'),
    await sums('2027-04-01', '2027-05-01'),
  ]
  const live = await months()
  assert.deepEqual(live[1], [
    { reason: 'message', campaignId: null, count: 3, amountMicros: -71_100n },
    { reason: 'message_refund', campaignId: null, count: 2, amountMicros: 47_400n },
  ])
  assert.deepEqual([live[0]!.length, live[2]!.length], [1, 0])
  for (const until of ['2027-02-28', '2027-03-02', '2027-03-02', '2027-04-02']) {
    await sumDays(world.db, accountId, new Date(until))
    assert.deepEqual(await months(), live, `summed until ${until}`)
  }
  const rows = await world.db.query(sql`
    select 1 from ledger_days where account_id = ${accountId} and entries > 0`)
  assert.equal(rows.length, 6, 'a row for each day and reason, once')
})
