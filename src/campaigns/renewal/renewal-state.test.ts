// How a paid or unpaid renewal changes a campaign in each state.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { owedPeriod, settled, unsettled } from './renewal-state.js'

const day = (text: string) => new Date(`${text}T08:00:00.000Z`)

const PAID = {
  status: 'ACTIVE' as const,
  suspendedFor: null,
  graceUntil: null,
  renewalDay: 31,
  periodStart: day('2027-01-31'),
  renewsAt: day('2027-02-28'),
}
const WARNED = { ...PAID, graceUntil: day('2027-03-07') }
const STOPPED = { ...WARNED, status: 'SUSPENDED' as const, suspendedFor: 'renewal' as const }
const STOPPED_BY_OPERATOR = { ...STOPPED, suspendedFor: 'operator' as const }

test('periods are due one after the other, however late it is', () => {
  for (const campaign of [PAID, WARNED]) {
    const period = owedPeriod(campaign, day('2027-09-01'))
    assert.deepEqual(period, { periodStart: day('2027-02-28'), renewsAt: day('2027-03-31') })
  }
})

test('a campaign suspended for non-payment owes only the current period', () => {
  for (const [now, start, end] of [
    ['2027-03-08', '2027-02-28', '2027-03-31'],
    ['2027-03-30', '2027-02-28', '2027-03-31'],
    ['2027-03-31', '2027-03-31', '2027-04-30'],
    ['2028-02-29', '2028-02-29', '2028-03-31'],
  ] as const) {
    for (const campaign of [STOPPED, STOPPED_BY_OPERATOR]) {
      const period = owedPeriod(campaign, day(now))
      assert.deepEqual(period, { periodStart: day(start), renewsAt: day(end) }, now)
    }
  }
  const endsNow = { ...STOPPED, graceUntil: day('2027-03-31') }
  assert.deepEqual(owedPeriod(endsNow, day('2027-03-31')).periodStart, day('2027-03-31'))
})

test("paying ends the grace period and the suspension, but not an operator's suspension", () => {
  const period = { periodStart: day('2027-02-28'), renewsAt: day('2027-03-31') }
  const paid = { ...PAID, ...period }
  assert.deepEqual(settled(PAID, period), paid)
  assert.deepEqual(settled(WARNED, period), paid)
  assert.deepEqual(settled(STOPPED, period), paid)
  const stillStopped = { ...paid, status: 'SUSPENDED', suspendedFor: 'operator' }
  assert.deepEqual(settled(STOPPED_BY_OPERATOR, period), stillStopped)
})

test('not paying starts a grace period of seven days, then suspends the campaign, then changes nothing', () => {
  const warned = { ...PAID, graceUntil: day('2027-03-12') }
  assert.deepEqual(unsettled(PAID, day('2027-03-05')), warned)
  assert.equal(unsettled(WARNED, new Date(day('2027-03-07').getTime() - 1)), null)
  assert.deepEqual(unsettled(WARNED, day('2027-03-07')), STOPPED)
  assert.equal(unsettled(STOPPED, day('2027-05-01')), null)
  assert.equal(unsettled(STOPPED_BY_OPERATOR, day('2027-05-01')), null)
})
