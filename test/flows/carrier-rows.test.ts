// The rows that processes share about carriers: reports of links, reload requests, shares of a rate, and looked-up
// networks. Which rows count, which are replaced, and which are deleted.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  deleteLinkReport,
  deleteShare,
  findReloadRequest,
  listLinkReports,
  lockShares,
  purgeShares,
  saveLinkReport,
  saveReloadRequest,
  saveShare,
} from '../../src/carriers/link-queries.js'
import type { LinkReport } from '../../src/carriers/link-reporter.js'
import {
  deleteNumberLookups,
  findNumberLookups,
  listNumberLookups,
  type NumberLookup,
  saveNumberLookups,
} from '../../src/carriers/routing/number-lookup-queries.js'
import { type Database, openDatabase } from '../../src/kit/postgres/db.js'
import { cloneDatabase } from '../harness.js'

const NOW = new Date('2026-11-16T12:00:00Z')
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)

async function open(t: TestContext): Promise<Database> {
  const { url, drop } = await cloneDatabase()
  const db = openDatabase({ url, poolMax: 4, applicationName: 'test', onError: () => {} })
  t.after(async () => {
    await db.end()
    await drop()
  })
  return db
}

const reportOf = (process: string, more: Partial<LinkReport> = {}): LinkReport => ({
  ...{ process, links: [], loadedAt: NOW, reloadId: null, reloadError: null },
  ...more,
})

test('a report of a process counts for 30 seconds, and its next one replaces it', async (t) => {
  const db = await open(t)
  const [b, a] = [reportOf('b'), reportOf('a', { reloadId: 'r1', reloadError: 'wrong' })]
  await saveLinkReport(db, b, at(0))
  await saveLinkReport(db, a, at(1))
  assert.deepEqual(await listLinkReports(db, at(30)), [a, b], 'in the order of names')
  assert.deepEqual(await listLinkReports(db, at(30.001)), [a])
  const links = [{ link: 'acme' }] as unknown as LinkReport['links']
  const next = reportOf('a', { links, loadedAt: at(5), reloadId: 'r2' })
  await saveLinkReport(db, next, at(20))
  assert.deepEqual(await listLinkReports(db, at(50)), [next])
})

test('a process that ends deletes its report, and those of processes that ended without', async (t) => {
  const db = await open(t)
  for (const [name, seconds] of [
    ['a', 40],
    ['b', 10],
    ['c', 9.999],
  ] as const) {
    await saveLinkReport(db, reportOf(name), at(seconds))
  }
  await deleteLinkReport(db, 'a', at(40))
  const left = await listLinkReports(db, at(0))
  assert.deepEqual(
    left.map(({ process }) => process),
    ['b'],
  )
})

test('the latest reload request replaces the one before', async (t) => {
  const db = await open(t)
  assert.equal(await findReloadRequest(db), null)
  for (const [id, seconds] of [
    ['one', 1],
    ['two', 2],
  ] as const) {
    const request = { id, requestedAt: at(seconds) }
    await db.transaction((tx) => saveReloadRequest(tx, request, 'me'))
    assert.deepEqual(await findReloadRequest(db), request)
  }
})

test('shares are stored by link and process, and deleted ten minutes after the last renewal', async (t) => {
  const db = await open(t)
  const rowOf = (process: string, perSecond: number) => ({
    ...{ process, perSecond, perSecondBefore: perSecond + 1, wanted: perSecond + 2 },
    renewals: perSecond + 3,
  })
  const save = (link: string, process: string, perSecond: number, seconds = 0) =>
    db.transaction((tx) => saveShare(tx, link, rowOf(process, perSecond), at(seconds)))
  const sharesOf = (link: string) => db.transaction((tx) => lockShares(tx, link))
  await save('a', 'two', 5)
  await save('a', 'one', 6)
  await save('b', 'one', 7)
  assert.deepEqual(await sharesOf('a'), [rowOf('one', 6), rowOf('two', 5)])
  await save('a', 'two', 9, 1)
  assert.deepEqual(await sharesOf('a'), [rowOf('one', 6), rowOf('two', 9)])

  await purgeShares(db, 'a', at(600))
  assert.equal((await sharesOf('a')).length, 2)
  await purgeShares(db, 'a', at(600.5))
  assert.deepEqual(await sharesOf('a'), [rowOf('two', 9)])
  await save('a', 'one', 1)
  await deleteShare(db, 'a', 'two')
  assert.deepEqual(await sharesOf('a'), [rowOf('one', 1)])
  assert.deepEqual(await sharesOf('b'), [rowOf('one', 7)], 'another link keeps its rows')
})

const lookupOf = (number: string, more: Partial<NumberLookup> = {}): NumberLookup => ({
  ...{ number, network: 'att', isLandline: false, link: 'a', seenAt: NOW },
  ...more,
})

test('a looked-up number is replaced by newer data that differs, and by the same data once it is stale', async (t) => {
  const db = await open(t)
  const number = '+14155550101'
  const save = async (staleBefore: Date, more: Partial<NumberLookup>) => {
    await saveNumberLookups(db, [lookupOf(number, more)], staleBefore)
    return (await findNumberLookups(db, [number]))[0]!
  }
  const first = await save(at(0), {})
  assert.deepEqual(first, lookupOf(number))
  assert.deepEqual(
    await save(at(0), { seenAt: at(1), link: 'b' }),
    first,
    'the same, and not stale',
  )
  assert.deepEqual(await save(at(9), { seenAt: at(0), link: 'b' }), first, 'not newer')
  assert.deepEqual(await save(at(9), { seenAt: at(-1), network: 'tmo' }), first, 'older')
  const renewed = await save(at(0.001), { seenAt: at(2), link: 'b' })
  assert.deepEqual(renewed, lookupOf(number, { seenAt: at(2), link: 'b' }))
  for (const [i, more] of (
    [{ network: 'tmo' }, { network: null }, { network: null, isLandline: true }] as const
  ).entries()) {
    const seenAt = at(3 + i)
    assert.deepEqual(await save(at(0), { ...more, seenAt }), lookupOf(number, { ...more, seenAt }))
  }
})

test('the latest looked-up numbers come first, and old ones are deleted a portion at a time', async (t) => {
  const db = await open(t)
  const numbers = [0, 1, 2, 3].map((i) => `+1415555010${i}`)
  const rows = numbers.map((number, i) => lookupOf(number, { seenAt: at(i) }))
  await saveNumberLookups(db, rows, at(0))
  assert.deepEqual(await listNumberLookups(db, 3), [rows[3], rows[2], rows[1]])
  assert.deepEqual(await findNumberLookups(db, [numbers[1]!, '+1']), [rows[1]])
  assert.equal(await deleteNumberLookups(db, at(3), 2), 2)
  assert.equal(await deleteNumberLookups(db, at(3), 2), 1)
  assert.equal(await deleteNumberLookups(db, at(3), 2), 0)
  assert.deepEqual(await listNumberLookups(db, 9), [rows[3]])
})
