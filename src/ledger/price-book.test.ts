// Which price applies when: the account's, the general one, or the setting; and none before its start.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transaction } from '../kit/postgres/db.js'
import type { World } from '../kit/world.js'
import { createPriceBook, type Price, pricesAt, setPrice } from './price-book.js'

const SETTINGS = { smsPriceMicros: 7900n, mmsPriceMicros: 20_000n, callPriceMicros: 0n }
const price = (accountId: string | null, amountMicros: bigint | null, day: string): Price => ({
  accountId,
  kind: 'sms',
  amountMicros,
  effectiveAt: new Date(day),
})

// Latest first, as the query returns them.
const LIST: Price[] = [
  price('acc_1', null, '2027-05-01'),
  price(null, null, '2027-04-01'),
  price('acc_1', 5000n, '2027-03-01'),
  price(null, 6000n, '2027-02-01'),
  { ...price(null, 0n, '2027-01-01'), kind: 'mms' },
]

test("the latest price that has started applies, the account's before the general one", () => {
  for (const [now, sms, mms] of [
    ['2026-12-31T23:59:59.999Z', 7900n, 20_000n],
    ['2027-01-01T00:00:00.000Z', 7900n, 0n],
    ['2027-02-01T00:00:00.000Z', 6000n, 0n],
    ['2027-02-28T23:59:59.999Z', 6000n, 0n],
    ['2027-03-01T00:00:00.000Z', 5000n, 0n],
    ['2027-04-15T00:00:00.000Z', 5000n, 0n],
    ['2027-05-01T00:00:00.000Z', 7900n, 0n],
  ] as const) {
    const prices = pricesAt(LIST, SETTINGS, new Date(now))
    const expected = { smsPriceMicros: sms, mmsPriceMicros: mms, callPriceMicros: 0n }
    assert.deepEqual(prices, expected, now)
  }
})

test('without any price, the settings apply', () => {
  assert.deepEqual(pricesAt([], SETTINGS, new Date()), SETTINGS)
})

/** A price book over a list of prices, at a time set by the test. */
function bookOf(list: () => Price[]) {
  const time = { ms: Date.parse('2027-02-28T23:59:58.000Z') }
  let asked = 0
  const query = async () => {
    asked += 1
    return list()
  }
  const db = { query }
  const clock = { now: () => new Date(time.ms), nowMs: () => time.ms }
  const book = createPriceBook({ db, clock, config: SETTINGS } as unknown as World)
  const sms = async () => (await book.get('acc_1')).smsPriceMicros
  return { book, time, sms, asked: () => asked }
}

test('a cached price ends when the next one starts', async () => {
  const { time, sms, asked } = bookOf(() => LIST)
  assert.equal(await sms(), 6000n)
  time.ms += 1999
  assert.equal(await sms(), 6000n)
  assert.equal(asked(), 1)
  time.ms += 1 // midnight
  assert.equal(await sms(), 5000n)
  assert.equal(asked(), 2)
})

test('a new price applies after three seconds, and concurrent readers share one query', async () => {
  let list: Price[] = []
  const { book, time, sms, asked } = bookOf(() => list)
  assert.deepEqual(await Promise.all([sms(), sms(), sms()]), [7900n, 7900n, 7900n])
  assert.equal(asked(), 1)
  list = [price('acc_1', 1n, '2027-01-01')]
  time.ms += 2999
  assert.equal(await sms(), 7900n)
  time.ms += 1
  assert.equal(await sms(), 1n)
  assert.equal(asked(), 2)
  assert.equal(book.peek('acc_1')?.smsPriceMicros, 1n, 'a cached price needs no promise')
  assert.equal(book.peek('acc_2'), undefined)
})

test('a price starts now or later and is between 0 and a million dollars', async () => {
  const now = new Date('2027-01-01')
  let written = 0
  const query = async () => {
    written += 1
    return []
  }
  const tx = { query } as unknown as Transaction
  const set = (given: Partial<Price>) =>
    setPrice(tx, { ...price(null, 1n, '2027-01-01'), ...given }, now)
  for (const amountMicros of [null, 0n, 1n, 1_000_000_000_000n]) await set({ amountMicros })
  await set({ effectiveAt: new Date(now.getTime() + 1) })
  assert.equal(written, 5)
  await assert.rejects(set({ effectiveAt: new Date(now.getTime() - 1) }), /effectiveAt|past/)
  for (const amountMicros of [-1n, 1_000_000_000_001n]) {
    await assert.rejects(set({ amountMicros }), /amount/)
  }
  assert.equal(written, 5)
})
