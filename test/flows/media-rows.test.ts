// The statements and limits of media at their bounds: files to fetch, uploads, and the quota.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId } from '../../src/accounts/account.js'
import type { QuotaBook } from '../../src/accounts/quota-book.js'
import * as fetches from '../../src/messages/media/fetch-queries.js'
import { findFullRefusal, findMediaRefusal } from '../../src/messages/media/media-quota.js'
import { insertUpload, sumUploads } from '../../src/messages/media/upload-queries.js'
import { Uploads } from '../../src/messages/media/uploads.js'
import { findFilesToCheck } from '../../src/messages/media-queries.js'
import { findMediaTotals } from '../../src/messages/media-totals-queries.js'
import { testService } from '../harness.js'
import { changedBy } from './changed-rows.js'

const START = new Date('2026-11-15T12:00:00.000Z')
const at = (ms: number) => new Date(START.getTime() + ms)
const HOUR_MS = 60 * 60_000

test('a file is fetched by one process at a time, and only that one decides about it', async (t) => {
  const service = await testService(t)
  const { db } = service.world
  const [own, other] = [service.accountId, (await service.otherAccount()).accountId] as AccountId[]
  const of = (id: string, messageId: string, accountId = own!) => ({
    ...{ id, accountId, messageId, link: 'x', url: `https://x.test/${id}` },
  })
  await fetches.insertFetches(db, [], at(0))
  await fetches.insertFetches(db, [of('c', 'm1'), of('d', 'm2', other)], at(2))
  await fetches.insertFetches(db, [of('a', 'm1')], at(0))
  await fetches.insertFetches(db, [of('b', 'm3')], at(1))
  const listed = await fetches.listFetching(db, own!, ['m1', 'm2'])
  assert.deepEqual([...listed], ['m1'])
  const claim = async (ms: number, limit = 9) => {
    const claimed = await fetches.claimFetches(db, { now: at(ms), leaseUntil: at(100), limit })
    return claimed.sort((one, two) => one.id.localeCompare(two.id))
  }
  assert.deepEqual(await claim(0), [{ ...of('a', 'm1'), attempts: 1 }])
  assert.deepEqual(
    (await claim(2, 1)).map(({ id }) => id),
    ['b'],
    'the oldest of those that are due',
  )
  assert.deepEqual(
    (await claim(99)).map(({ id }) => id),
    ['c', 'd'],
  )
  const again = await claim(100, 9)
  assert.deepEqual(
    again.map(({ id, attempts }) => `${id}${attempts}`),
    ['a2', 'b2', 'c2', 'd2'],
  )
  for (const [work, changed] of [
    [(tx) => fetches.retryFetch(tx, { id: 'a', attempts: 1 }, at(7)), ''],
    [(tx) => fetches.retryFetch(tx, { id: 'a', attempts: 2 }, at(7)), 'a'],
    [(tx) => fetches.abandonFetch(tx, { id: 'b', attempts: 1 }), ''],
    [(tx) => fetches.abandonFetch(tx, { id: 'b', attempts: 2 }), 'b'],
    [(tx) => fetches.deleteFetch(tx, 'c'), 'c'],
  ] as [Parameters<typeof changedBy>[2], string][]) {
    const found = await changedBy(db, { table: 'media_fetches', key: 'id' }, work)
    assert.equal(found.changed.join(''), changed, String(work))
    assert.ok(found.result === undefined || found.result === (changed !== ''), String(work))
  }
  assert.equal(await fetches.deleteFetch(db, 'c'), false)
  assert.deepEqual(
    [await fetches.isFetching(db, 'c'), await fetches.isFetching(db, 'd')],
    [false, true],
  )
  assert.deepEqual(
    (await claim(7)).map(({ id }) => id),
    ['a'],
    'it was postponed',
  )
})

test('uploads count until they expire, and are checked two days later', async (t) => {
  const service = await testService(t)
  const { db } = service.world
  const [own, other] = [service.accountId, (await service.otherAccount()).accountId] as AccountId[]
  const store = (hash: string, untilMs: number, accountId = own!) => {
    const file = {
      accountId,
      hash,
      contentType: 'image/png',
      content: Buffer.alloc(10),
      until: at(untilMs),
    }
    return insertUpload(db, file, at(0))
  }
  await store('one', 5)
  await store('two', 9)
  await store('three', 9, other)
  const sum = (hash: string, ms: number) => sumUploads(db, { accountId: own!, hash }, at(ms))
  assert.deepEqual(await sum('new', 4), { files: 2, bytes: 20 })
  assert.deepEqual(await sum('new', 5), { files: 1, bytes: 10 }, 'one has expired')
  assert.deepEqual(
    await sum('two', 4),
    { files: 1, bytes: 10 },
    'without the one that is stored again',
  )
  assert.deepEqual(await sum('new', 9), { files: 0, bytes: 0 })
  const due = async (ms: number) => (await findFilesToCheck(db, at(48 * HOUR_MS + ms), 9)).length
  assert.deepEqual([await due(4), await due(5), await due(9)], [0, 1, 3])

  const used = (await findMediaTotals(db, own!)).bytes
  assert.equal(used, 20)
  const quotas = (mediaBytes: number) =>
    ({ get: async () => ({ mediaBytes }) }) as unknown as QuotaBook
  for (const [limit, bytes, code] of [
    [0, 999, undefined],
    [30, 10, undefined],
    [30, 11, 'media_full'],
  ] as const) {
    assert.equal(
      (await findFullRefusal(db, quotas(limit), own!, bytes))?.code,
      code,
      `${limit} ${bytes}`,
    )
  }
  const key = (hash: string) => ({ accountId: own!, hash, bytesMax: 0 })
  const refusal = async (hash: string) =>
    (await findMediaRefusal(db, quotas(1), key(hash), 1))?.code
  assert.deepEqual([await refusal('one'), await refusal('new')], [undefined, 'media_full'])
})

test('two uploads of an account arrive at a time, and eight in all', () => {
  const uploads = new Uploads({} as never, {} as never)
  const begin = (account: number) => uploads.begin(`acc_${account}` as AccountId)
  const busy = { code: 'uploads_busy' }
  const ends = [begin(1), begin(1)]
  assert.throws(() => begin(1), busy)
  for (const account of [2, 2, 3, 3, 4, 4]) ends.push(begin(account))
  assert.throws(() => begin(5), busy)
  ends[0]!()
  ends[0]!() // counts once
  const last = begin(5)
  assert.throws(() => begin(6), busy)
  last()
  begin(1)
  assert.throws(() => begin(1), busy)
})
