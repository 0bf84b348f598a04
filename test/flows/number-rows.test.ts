// The statements of numbers, on rows of several accounts, campaigns, and links: what each statement reads, and which rows it
// changes.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AccountId } from '../../src/accounts/account.js'
import { sql } from '../../src/kit/postgres/sql.js'
import * as forwarding from '../../src/numbers/forwarding-queries.js'
import * as hosting from '../../src/numbers/hosting-queries.js'
import * as inventory from '../../src/numbers/inventory-queries.js'
import * as numbers from '../../src/numbers/number-queries.js'
import * as tasks from '../../src/numbers/provider-number-queries.js'
import { listRefusedSenders, updateRefusal } from '../../src/numbers/refused-sender-queries.js'
import {
  listAccountsWithTroubledNumbers,
  listTroubledNumbers,
} from '../../src/numbers/trouble-queries.js'
import { testService } from '../harness.js'
import { changedBy } from './changed-rows.js'

const START = new Date('2026-11-15T12:00:00.000Z')
const at = (ms: number) => new Date(START.getTime() + ms)
const OF = (tail: string) => `+1415555010${tail}`
const tail = (phoneNumber: string) => phoneNumber.slice(-1)
const phones = (rows: readonly { phoneNumber: string }[]) =>
  rows.map(({ phoneNumber }) => tail(phoneNumber)).join('')

/** Numbers by their last digit: 1 to 5 of the campaign `a`, 6 of `b`, and 7 of another account’s `c`. */
async function open(t: TestContext) {
  const service = await testService(t)
  const { db } = service.world
  const other = (await service.otherAccount()).accountId as AccountId
  const own = service.accountId as AccountId
  const insert = (digit: string, more: Partial<Parameters<typeof numbers.insertNumber>[1]>) =>
    db.transaction((tx) =>
      numbers.insertNumber(tx, {
        ...{ phoneNumber: OF(digit), accountId: own, campaignId: 'a', isDefault: false },
        ...{ status: 'ACTIVE', statusReason: null, refusedAt: null, refusedAs: null, link: null },
        ...{ hosts: null, forwardNumber: null, forwardingStoppedAt: null, location: 'SF' },
        ...{ monthlyPriceMicros: BigInt(digit), purchasedAt: at(0), ...more },
      }),
    )
  await insert('1', { purchasedAt: at(2) })
  await insert('2', { status: 'PENDING', link: 'x', purchasedAt: at(1) })
  await insert('3', { status: 'PENDING', link: 'x', purchasedAt: at(1) })
  await insert('4', { status: 'FAILED', link: 'x', purchasedAt: at(3) })
  await insert('5', { isDefault: true, hosts: ['x', 'y'], purchasedAt: at(4) })
  await insert('6', { campaignId: 'b', isDefault: true, forwardNumber: OF('1') })
  await insert('7', { campaignId: 'c', accountId: other, isDefault: true })
  for (const [digit, phase] of [
    ['2', 'move'],
    ['3', 'bind'],
    ['4', 'release'],
  ] as const) {
    await db.transaction((tx) =>
      tasks.insertTask(tx, {
        ...{
          accountId: own,
          id: `rnt_${digit}`,
          phoneNumber: OF(digit),
          campaignId: 'a',
          link: 'x',
        },
        ...{ phase, since: at(0), chargedMicros: 1n, purchasedAt: at(0), orderedAt: null },
        ...{ numberId: null, isForwardingDue: false, attempts: 0, lastError: null },
        dueAt: at(Number(digit)),
      }),
    )
  }
  await db.query(sql`update rented_numbers set attempts = 3`)
  /** The numbers whose rows a statement changes or removes, and what it answers. */
  const change = async (work: Parameters<typeof changedBy>[2], table = 'numbers') => {
    const { changed, result } = await changedBy(db, { table, key: 'phone_number' }, work)
    return [changed.map(tail).join(''), result] as const
  }
  return { db, own, other, insert, change }
}

test('numbers are read by number, campaign, account, status, and page', async (t) => {
  const { db, own, other } = await open(t)
  const all = '1234567'.split('').map(OF)
  assert.equal((await numbers.findNumber(db, OF('7')))?.accountId, other)
  assert.equal(await numbers.findNumber(db, OF('9')), null)
  const holders = await numbers.findHolders(db, [OF('6'), OF('7'), OF('9')])
  assert.deepEqual(
    [...holders],
    [
      [OF('6'), { accountId: own, purchasedAt: at(0) }],
      [OF('7'), { accountId: other, purchasedAt: at(0) }],
    ],
  )
  for (const phoneNumber of [OF('7'), OF('9'), null]) {
    await assert.rejects(numbers.getNumber(db, own, phoneNumber), { code: 'number_missing' })
    await assert.rejects(
      db.transaction((tx) => numbers.lockNumber(tx, own, phoneNumber)),
      {
        code: 'number_missing',
      },
    )
  }
  assert.equal((await numbers.getNumber(db, own, OF('1'))).phoneNumber, OF('1'))
  assert.equal(phones(await numbers.listCampaignNumbers(db, own, 'a')), '52314')
  assert.equal(phones(await numbers.listCampaignNumbers(db, other, 'a')), '')
  assert.equal(phones(await numbers.listNumbersToLeave(db, own, 'a', 4)), '2314')
  assert.equal(phones(await numbers.listNumbersToLeave(db, own, 'a', 9)), '23145')
  assert.equal((await numbers.findDefaultNumber(db, own, 'a'))?.phoneNumber, OF('5'))
  assert.equal(await numbers.findDefaultNumber(db, own, 'c'), null)
  const page = { limit: 9, after: null as string | null, skip: 0 }
  for (const [more, found, campaigns] of [
    [{}, '541326'],
    [{ limit: 2 }, '541'],
    [{ limit: 2, skip: 3 }, '326'],
    [{ after: OF('3') }, '26'],
    [{ after: OF('7') }, ''],
    [{}, '6', ['b', 'c']],
  ] as const) {
    const listed = await numbers.listNumbers(db, own, { ...page, ...more }, campaigns ?? null)
    assert.equal(phones(listed), found, JSON.stringify(more))
  }
  assert.equal(phones(await numbers.listNumbersAfter(db, own, OF('1'), 3)), '234')
  assert.equal(phones(await numbers.listNumbersAfter(db, own, OF('5'), 9)), '6')
  assert.deepEqual([...(await numbers.findPendingNumbers(db, [OF('1'), OF('2')]))], [OF('2')])
  const unavailable = [...(await numbers.findUnavailable(db, [OF('3'), OF('4'), OF('9')]))]
  assert.deepEqual(unavailable, [OF('3')])
  assert.equal(phones(await numbers.listNumberFees(db, own, 'a')), '521')
  const sum = { count: 5, monthlyPriceMicros: 8n }
  assert.deepEqual(await numbers.sumCampaignNumbers(db, own, 'a'), sum)
  const stocked = await numbers.countStocked(db, [
    { accountId: own, campaignId: 'a' },
    { accountId: own, campaignId: 'c' },
    { accountId: other, campaignId: 'c' },
  ])
  assert.deepEqual([...stocked].sort(), [
    ['a', 2],
    ['c', 1],
  ])

  const hosted = await hosting.findHostedNumbers(db, [OF('2'), OF('5')])
  assert.deepEqual([...hosted].sort(), [
    [OF('2'), { link: 'x', hosts: null }],
    [OF('5'), { link: null, hosts: ['x', 'y'] }],
  ])
  assert.deepEqual(await hosting.listHostings(db, own, 'a'), [
    { link: null, hosts: null, example: OF('1'), count: 1 },
    { link: 'x', hosts: null, example: OF('2'), count: 2 },
    { link: null, hosts: ['x', 'y'], example: OF('5'), count: 1 },
  ])
  assert.equal(phones(await hosting.listAssignedNumbers(db, OF('1'), 3)), '235')
  assert.equal(phones(await forwarding.listForwardings(db, OF('1'), 3)), '234')
  assert.equal((await inventory.findKnownNumbers(db, all)).size, 7)
  assert.equal(await forwarding.findForwardingTarget(db, OF('6')), OF('1'))
  assert.equal(await forwarding.findForwardingTarget(db, OF('9')), undefined)
})

test('a change of numbers changes no others', async (t) => {
  const { db, own, other, insert, change } = await open(t)
  assert.equal(await insert('7', {}), false, 'it has an owner')
  const six = await numbers.getNumber(db, own, OF('6'))
  const foreign = { ...six, accountId: other }
  const stopped = { ...six, forwardingStoppedAt: START }
  const failed = { ...six, status: 'FAILED' as const, statusReason: 'No.', isDefault: false }
  const refusal = { link: 'x', reason: 'No.', since: at(0), until: at(1) }
  const of = (...digits: string[]) => digits.map(OF)
  for (const [work, changed] of [
    [(tx) => numbers.updateForwarding(tx, { ...foreign, forwardNumber: null }), ''],
    [(tx) => numbers.updateForwarding(tx, { ...six, forwardNumber: null }), '6'],
    [(tx) => numbers.updateForwardingStop(tx, { ...stopped, accountId: other }), ''],
    [(tx) => numbers.updateForwardingStop(tx, stopped), '6'],
    [(tx) => numbers.updateStatus(tx, { ...failed, accountId: other }), ''],
    [(tx) => numbers.updateStatus(tx, failed), '6'],
    [(tx) => updateRefusal(tx, other, OF('6'), refusal), ''],
    [(tx) => updateRefusal(tx, own, OF('6'), refusal), '6'],
    [(tx) => updateRefusal(tx, other, OF('7'), { ...refusal, since: at(1) }), '7'],
    [(tx) => numbers.updatePending(tx, own, of('1', '7'), 'Moving'), '1'],
    [(tx) => numbers.updateCampaignOf(tx, own, of('1', '7'), 'b'), '1'],
    [async (tx) => numbers.updateDefault(tx, await numbers.getNumber(tx, own, OF('2'))), '25'],
    [(tx) => hosting.updateHosts(tx, of('1', '2', '9'), ['z']), '1'],
    [(tx) => numbers.deleteNumbers(tx, own, of('1', '7')), '1'],
  ] as [Parameters<typeof change>[0], string][]) {
    assert.equal((await change(work))[0], changed, String(work))
  }
  const [refused, ...more] = await listRefusedSenders(db, 1)
  const expected = { phoneNumber: OF('7'), accountId: other, ...refusal, since: at(1) }
  assert.deepEqual([refused, more], [expected, []])
  assert.equal(phones(await listRefusedSenders(db, 9)), '76')
  assert.equal(phones(await listTroubledNumbers(db, own)), '4326')
  assert.equal(phones(await listTroubledNumbers(db, other)), '7')
  const troubled = (after: string, limit: number) =>
    listAccountsWithTroubledNumbers(db, after as AccountId, limit)
  const accounts = [own, other].sort()
  assert.deepEqual(await troubled('', 9), accounts)
  assert.deepEqual(await troubled('', 1), accounts.slice(0, 1))
  assert.deepEqual(await troubled(accounts[0]!, 9), accounts.slice(1))
  await db.transaction((tx) => updateRefusal(tx, other, OF('7'), null))
  assert.deepEqual(await troubled('', 9), [own])
})

test('a change of numbers at a provider changes no others', async (t) => {
  const { db, own, other, change } = await open(t)
  const of = (accountId: AccountId, ...digits: string[]) => ({
    ...{ accountId, phoneNumbers: digits.map(OF), now: at(9) },
  })
  const moving = await tasks.findMovingNumbers(db, own, ['2', '3'].map(OF))
  assert.deepEqual([...moving], [OF('2')])
  assert.equal((await tasks.findMovingNumbers(db, other, [OF('2')])).size, 0)
  const due = async (now: Date, limit: number) =>
    (await tasks.listDueTasks(db, { now, aliveBy: at(0) }, limit)).map(({ id }) => id)
  assert.deepEqual(await due(at(3), 9), ['rnt_2', 'rnt_3'])
  assert.deepEqual(await due(at(9), 2), ['rnt_2', 'rnt_3'])
  assert.deepEqual(await due(at(1), 9), [])
  const stuck = await tasks.findStuckProvisioning(db, at(0))
  assert.deepEqual([stuck.count, stuck.since, stuck.link], [3, at(0), 'x'])
  assert.equal((await tasks.findStuckProvisioning(db, at(-1))).count, 0)
  const there = (work: Parameters<typeof change>[0]) => change(work, 'rented_numbers')
  for (const [work, changed] of [
    [(tx) => tasks.forwardTasks(tx, of(other, '2')), ''],
    [(tx) => tasks.forwardTasks(tx, of(own, '2', '4')), '2'],
    [(tx) => tasks.forwardAllTasks(tx, other, at(10)), ''],
    [(tx) => tasks.forwardAllTasks(tx, own, at(10)), '23'],
    [(tx) => tasks.releaseTasks(tx, of(other, '2')), ''],
    [(tx) => tasks.releaseTasks(tx, of(own, '2', '4')), '2'],
  ] as [Parameters<typeof change>[0], string][]) {
    assert.equal((await there(work))[0], changed, String(work))
  }
  await db.query(sql`update rented_numbers set phase = 'held' where id = 'rnt_4'`)
  assert.deepEqual((await there((tx) => tasks.rebindTasks(tx, of(other, '3'))))[1], [])
  const rebound = await there((tx) => tasks.rebindTasks(tx, of(own, '2', '3', '4')))
  assert.deepEqual(rebound, ['34', [OF('4')]])
  const rows = await db.query(sql`
    select phase, attempts, due_at as "dueAt" from rented_numbers order by id`)
  const fresh = { attempts: 0, dueAt: at(9) }
  assert.deepEqual(rows, [
    { phase: 'release', ...fresh },
    { phase: 'bind', ...fresh },
    { phase: 'move', ...fresh },
  ])
})

test('numbers for sale are found by area code, price, and host, and taken once', async (t) => {
  const { db } = await open(t)
  const offer = (number: string, price: number, hosts: string[] | null = null) => ({
    ...{ number, areaCode: number.slice(2, 5), location: `in ${number.slice(2, 5)}` },
    ...{ monthlyPriceMicros: BigInt(price), hosts },
  })
  assert.equal(await inventory.isInventoryUntouched(db), false, 'numbers are sold')
  const stock = [
    ...[offer('+12125550001', 5, ['x', 'y']), offer('+12125550002', 4), offer('+18005550003', 1)],
    ...[offer('+13105550004', 9, ['y']), offer('+13105550005', 3)],
  ]
  assert.equal(await inventory.addToInventory(db, [...stock, offer(OF('1'), 1)]), 5)
  assert.equal(await inventory.addToInventory(db, stock), 0, 'they are known')
  const short = (found: readonly { number: string }[]) =>
    found.map(({ number }) => tail(number)).join('')
  assert.equal(await inventory.findLowestPrice(db), 3n, 'not a toll-free one')
  const named = { links: ['x'], isUnnamedHosted: false }
  const unnamed = { links: ['y'], isUnnamedHosted: true }
  const any = new Set<string>()
  assert.equal(short(await inventory.findInventory(db, 9, null, any)), '12453')
  assert.equal(short(await inventory.findInventory(db, 9, null, new Set(['800', '212']))), '45')
  assert.equal(short(await inventory.findInventory(db, 2, null, any)), '12')
  assert.equal(short(await inventory.findInventory(db, 9, named, any)), '1')
  assert.equal(short(await inventory.findInventory(db, 9, unnamed, any)), '12453')
  assert.equal(short(await inventory.findInventoryIn(db, '212', 9, null)), '12')
  assert.equal(short(await inventory.findInventoryIn(db, '212', 1, null)), '1')
  assert.equal(short(await inventory.findInventoryIn(db, '212', 9, named)), '1')
  assert.equal(
    short(await inventory.findInventoryAlong(db, ['310', '999', '212'], 9, null)),
    '4512',
  )
  assert.equal(short(await inventory.findInventoryAlong(db, ['310', '212'], 3, null)), '451')
  assert.equal(short(await inventory.findInventoryAlong(db, ['310', '212'], 9, named)), '1')
  const areas = (await inventory.countStock(db)).map((one) => Object.values(one).join(' '))
  assert.deepEqual(areas, ['212 in 212 2 0 4', '310 in 310 2 0 3', '415  0 7 ', '800 in 800 1 0 1'])
  const take = (number: string) => db.transaction((tx) => inventory.takeFromInventory(tx, number))
  assert.deepEqual(await take('+12125550001'), stock[0])
  assert.equal(await take('+12125550001'), null)
  const where = await inventory.findKnownNumbers(db, ['+12125550002', '+12125550001', OF('1')])
  assert.deepEqual(
    [...where],
    [
      ['+12125550002', 'for_sale'],
      [OF('1'), 'taken'],
    ],
  )
  const hosted = await db.transaction((tx) =>
    hosting.updateHosts(tx, ['+12125550002', OF('2')], ['z']),
  )
  assert.deepEqual([...hosted], ['+12125550002'])
  assert.deepEqual(
    (await inventory.findInventory(db, 9, null, any)).map(({ hosts }) => hosts?.[0]),
    [...['z', 'y', undefined, undefined]],
  )
  const gone = ['+13105550004', '+19995550009']
  const withdrawn = await db.transaction((tx) => inventory.withdrawFromInventory(tx, gone))
  assert.deepEqual([...withdrawn], gone.slice(0, 1))
  assert.equal(short(await inventory.findInventory(db, 9, null, any)), '253')
})

test('an account’s changes of targets are counted by hour, and its stop by its last change', async (t) => {
  const { db, own, other } = await open(t)
  const HOUR_MS = 60 * 60 * 1000
  const count = async (accountId: AccountId, ms: number) => {
    const counted = await db.transaction((tx) =>
      forwarding.countForwardingChange(tx, accountId, at(ms - HOUR_MS), at(ms)),
    )
    return [counted.changes, counted.beganAt.getTime() - START.getTime()]
  }
  assert.deepEqual(await count(own, 0), [1, 0])
  assert.deepEqual(await count(own, HOUR_MS - 1), [2, 0])
  assert.deepEqual(await count(other, 5), [1, 5])
  assert.deepEqual(await count(own, HOUR_MS), [1, HOUR_MS], 'a new hour')
  const stop = (accountId: AccountId, isStopped: boolean) =>
    db.transaction((tx) => forwarding.recordForwardingStop(tx, accountId, isStopped))
  const isStopped = async (digit: string) =>
    (await forwarding.findForwarding(db, OF(digit)))?.isStopped
  await stop(own, true)
  assert.deepEqual([await isStopped('6'), await isStopped('7')], [true, false])
  const stops = (since: bigint, after: string, limit = 9) =>
    forwarding.listForwardingStops(db, since, after as AccountId, limit)
  assert.deepEqual(await stops(0n, ''), [{ accountId: own, isStopped: true }])
  // Not findSettledBelow: transactions of other databases of the server delay it.
  const next = async () => {
    const [row] = await db.query<{ xid: string }>(sql`
      select pg_snapshot_xmax(pg_current_snapshot())::text as xid`)
    return BigInt(row!.xid)
  }
  const later = await next()
  await stop(other, false)
  assert.deepEqual(await stops(later, ''), [{ accountId: other, isStopped: false }])
  const accounts = [own, other].sort()
  assert.deepEqual(
    (await stops(0n, '', 1)).map((one) => one.accountId),
    accounts.slice(0, 1),
  )
  assert.deepEqual(
    (await stops(0n, accounts[0]!)).map((one) => one.accountId),
    accounts.slice(1),
  )
  await forwarding.deleteForwardingStops(db, later)
  assert.equal((await stops(0n, '')).length, 2, 'one is stopped, and one is new')
  await stop(own, false)
  assert.equal(await isStopped('6'), false)
  await forwarding.deleteForwardingStops(db, await next())
  assert.deepEqual(await stops(0n, ''), [])
})
