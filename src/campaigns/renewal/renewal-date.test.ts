// Renewal dates in short months, in leap years, and across years.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneMonthLater } from './renewal-date.js'

function chain(start: string, months: number): string[] {
  let moment = new Date(start)
  const day = moment.getUTCDate()
  return Array.from({ length: months }, () => {
    moment = oneMonthLater(moment, day)
    return moment.toISOString()
  })
}

const days = (moments: string[]): string[] => moments.map((moment) => moment.slice(0, 10))

test('a renewal is on the same day of the next month, at the same time', () => {
  assert.deepEqual(chain('2026-11-15T12:34:56.789Z', 2), [
    '2026-12-15T12:34:56.789Z',
    '2027-01-15T12:34:56.789Z',
  ])
})

test('the 31st is clamped to the month’s end and restored later', () => {
  assert.deepEqual(days(chain('2027-01-31T00:00:00.000Z', 12)), [
    '2027-02-28',
    '2027-03-31',
    '2027-04-30',
    '2027-05-31',
    '2027-06-30',
    '2027-07-31',
    '2027-08-31',
    '2027-09-30',
    '2027-10-31',
    '2027-11-30',
    '2027-12-31',
    '2028-01-31',
  ])
})

test('February has a 29th only in leap years', () => {
  assert.deepEqual(days(chain('2028-01-30T23:59:59.999Z', 2)), ['2028-02-29', '2028-03-30'])
  assert.deepEqual(days(chain('2028-01-29T00:00:00.000Z', 1)), ['2028-02-29'])
  assert.deepEqual(days(chain('2027-01-29T00:00:00.000Z', 2)), ['2027-02-28', '2027-03-29'])
  assert.deepEqual(days(chain('2100-01-31T00:00:00.000Z', 1)), ['2100-02-28'])
  assert.deepEqual(days(chain('2028-02-29T00:00:00.000Z', 12)).at(-1), '2029-02-28')
})

test('every day of four years renews in the next month, on its day or the month’s last', () => {
  for (let i = 0; i < 4 * 366; i += 1) {
    const start = new Date(Date.UTC(2026, 0, 1 + i, 5, 6, 7, 8))
    const day = start.getUTCDate()
    const later = oneMonthLater(start, day)
    const months = (later.getUTCFullYear() - start.getUTCFullYear()) * 12
    assert.equal(months + later.getUTCMonth() - start.getUTCMonth(), 1, start.toISOString())
    const isLast = new Date(later.getTime() + 86_400_000).getUTCDate() === 1
    assert.ok(later.getUTCDate() === day || (isLast && later.getUTCDate() < day))
    assert.equal(later.getTime() % 86_400_000, start.getTime() % 86_400_000)
  }
})
