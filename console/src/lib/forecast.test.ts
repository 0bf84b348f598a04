// How long a balance lasts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS } from './durations'
import { forecast } from './forecast'

const NOW = new Date('2026-11-15T12:00:00.000Z')
const later = (days: number): Date => new Date(NOW.getTime() + days * DAY_MS)
const OLD = later(-100)

test('without renewals, the balance is divided by the average day of the last week', () => {
  const { perDay, endsAt, points } = forecast({
    now: NOW,
    balance: 80,
    weekCost: 70,
    since: OLD,
    renewals: [],
  })
  assert.equal(perDay, 10)
  assert.deepEqual(endsAt, later(8))
  assert.deepEqual(points, [
    { at: NOW, balance: 80 },
    { at: later(8), balance: 0 },
  ])
})

test('the pace of a new account is averaged over its age, at least one day', () => {
  const given = { now: NOW, balance: 80, weekCost: 20, renewals: [] }
  assert.equal(forecast({ ...given, since: later(-2) }).perDay, 10)
  assert.equal(forecast({ ...given, since: later(-1 / 24) }).perDay, 20)
})

test('a renewal is charged on its day and can exhaust the balance', () => {
  const renewals = [{ id: 'a', at: later(2), amount: 11 }]
  const { endsAt, points } = forecast({ now: NOW, balance: 12, weekCost: 0, since: OLD, renewals })
  assert.deepEqual(endsAt, new Date('2026-12-17T12:00:00.000Z'), 'the second is not covered')
  assert.deepEqual(points.slice(0, 3), [
    { at: NOW, balance: 12 },
    { at: later(2), balance: 12 },
    { at: later(2), balance: 1 },
  ])
  assert.equal(points.at(-1)!.balance, 0)
})

test('renewals on the 31st fall on the last day of a short month', () => {
  const renewals = [{ id: 'a', at: new Date('2027-01-31T00:00:00.000Z'), amount: 1 }]
  const { points } = forecast({ now: NOW, balance: 9, weekCost: 0, since: OLD, renewals })
  const days = points.map(({ at }) => at.toISOString().slice(0, 10))
  assert.ok(days.includes('2027-02-28') && days.includes('2027-03-31'), days.join())
})

test('without spending a balance never ends, and an empty balance has ended', () => {
  const given = { now: NOW, weekCost: 0, since: OLD, renewals: [] }
  assert.equal(forecast({ ...given, balance: 5 }).endsAt, null)
  assert.deepEqual(forecast({ ...given, balance: 0, weekCost: 7 }).endsAt, NOW)
})
