// The days of the balance chart on the first day of an account, and later.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysOf, describeDay, sentenceOf, sinceBeginning } from './balance-days'

const day = (date: string, balance = 0, spent = 0, added = 0) => ({ date, balance, spent, added })
const now = new Date('2026-11-17T15:00:00Z')
const never = { perDay: 0, points: [{ at: now, balance: 99 }], endsAt: null }
const month = [day('2026-11-15'), day('2026-11-16'), day('2026-11-17', 99, 1, 100)]

test('days before the account existed are not shown', () => {
  const shown = sinceBeginning(month, '2026-11-17T09:00:00.000Z')
  assert.deepEqual(
    shown.map(({ date }) => date),
    ['2026-11-17'],
  )
  assert.match(sentenceOf(shown, never), /^\$1\.00 spent and \$100\.00 added today\./)
  assert.equal(sinceBeginning(month, '2026-01-01T00:00:00.000Z').length, 3)
  assert.match(sentenceOf(month, never), /added in the last 3 days\./)
})

test('today has not ended', () => {
  const days = daysOf(month, never)
  assert.match(describeDay(days[1]!), /at the end of the day, \$0\.00 spent$/)
  assert.match(describeDay(days[2]!), /\$99\.00 now, \$1\.00 spent so far, \$100\.00 added$/)
})
