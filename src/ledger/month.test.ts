// Where months begin and end.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMonth, startOfMonth } from './month.js'

test('a month begins at midnight of its first day and ends where the next begins, in UTC', () => {
  for (const [name, start, end] of [
    ['2027-01', '2027-01-01', '2027-02-01'],
    ['2028-02', '2028-02-01', '2028-03-01'],
    ['2027-12', '2027-12-01', '2028-01-01'],
    ['9999-12', '9999-12-01', '+010000-01-01'],
  ] as const) {
    const month = readMonth(name)!
    assert.equal(month.start.toISOString(), `${start}T00:00:00.000Z`)
    assert.equal(month.end.toISOString(), `${end}T00:00:00.000Z`)
  }
})

test('invalid months are refused', () => {
  for (const name of [
    '',
    '2027',
    '2027-0',
    '2027-00',
    '2027-13',
    '1999-12',
    ' 2027-01',
    '2027-01\n',
  ]) {
    assert.equal(readMonth(name), null, JSON.stringify(name))
  }
})

test('the last millisecond of a month belongs to it', () => {
  const start = startOfMonth(new Date('2028-02-29T23:59:59.999Z'))
  assert.equal(start.toISOString(), '2028-02-01T00:00:00.000Z')
})
