// The price of a number until the campaign renews.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS } from '../kit/clock.js'
import { MICROS_PER_CENT, parseDollars } from '../kit/money.js'
import { prorate } from './prorate.js'

const START = new Date('2026-11-15T09:30:00.000Z')

const later = (ms: number): Date => new Date(START.getTime() + ms)

test('a number costs its share of the days left', () => {
  const rows: [price: string, days: number, passedMs: number, due: string][] = [
    ['1.00', 30, 0, '1.00'],
    ['1.00', 30, 1, '1.00'], // the first day has begun
    ['1.00', 30, DAY_MS, '0.97'], // 29/30 = 0.9667
    ['1.00', 30, 15 * DAY_MS, '0.50'],
    ['1.00', 30, 15 * DAY_MS + HOUR_MS, '0.50'],
    ['1.00', 30, 29 * DAY_MS, '0.04'], // 1/30 = 0.0333
    ['1.00', 30, 30 * DAY_MS - 1, '0.04'],
    ['1.00', 30, 30 * DAY_MS, '0.00'],
    ['1.00', 30, 33 * DAY_MS, '0.00'], // the renewal is overdue
    ['1.00', 30, -DAY_MS, '1.00'], // never more than the month
    ['1.00', 28, 14 * DAY_MS, '0.50'],
    ['1.00', 31, DAY_MS, '0.97'], // 30/31 = 0.9677
    ['2.50', 31, 16 * DAY_MS, '1.21'], // 15/31 = 1.2097
    ['0.01', 31, 30 * DAY_MS, '0.01'],
    ['0.00', 30, 0, '0.00'],
    ['1.005', 30, 0, '1.01'],
    ['1.00', 0, 0, '0.00'],
  ]
  for (const [price, days, passedMs, due] of rows) {
    const period = { periodStart: START, renewsAt: later(days * DAY_MS) }
    assert.equal(
      prorate(parseDollars(price)!, period, later(passedMs)),
      parseDollars(due),
      `${price} with ${passedMs} ms of ${days} days passed`,
    )
  }
})

const purchase = fc.record({
  price: fc.bigInt({ min: 0n, max: 1_000_000_000n }),
  days: fc.integer({ min: 1, max: 31 }),
  passedMs: fc.integer({ min: 0, max: 31 * DAY_MS }),
})

test('the price is in whole cents: its share or less than a cent more', () => {
  fc.assert(
    fc.property(purchase, ({ price, days, passedMs }) => {
      const due = prorate(
        price,
        { periodStart: START, renewsAt: later(days * DAY_MS) },
        later(passedMs),
      )
      const daysLeft = BigInt(Math.max(Math.ceil(days - passedMs / DAY_MS), 0))
      assert.equal(due % MICROS_PER_CENT, 0n)
      assert.ok(due * BigInt(days) >= price * daysLeft, 'never below its share')
      assert.ok((due - MICROS_PER_CENT) * BigInt(days) < price * daysLeft, 'rounded up once')
    }),
  )
})

test('waiting never makes a number more expensive', () => {
  fc.assert(
    fc.property(purchase, fc.nat(31 * DAY_MS), ({ price, days, passedMs }, waitMs) => {
      const period = { periodStart: START, renewsAt: later(days * DAY_MS) }
      const soon = prorate(price, period, later(passedMs))
      assert.ok(prorate(price, period, later(passedMs + waitMs)) <= soon)
    }),
  )
})

test('a more expensive number never costs less', () => {
  fc.assert(
    fc.property(purchase, fc.bigInt({ min: 0n, max: 1_000_000_000n }), (bought, more) => {
      const period = { periodStart: START, renewsAt: later(bought.days * DAY_MS) }
      const now = later(bought.passedMs)
      assert.ok(prorate(bought.price + more, period, now) >= prorate(bought.price, period, now))
    }),
  )
})
