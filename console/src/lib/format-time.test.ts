// Times as parts of sentences. A relative time such as "5 min ago" fits after a verb, but not after "since" or "until".

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatSince, formatWhen } from './format-time'

const NOW = new Date(2026, 10, 17, 14, 54)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const plain = (text: string) => text.replaceAll('\u202f', ' ')
const after = (ms: number) => new Date(NOW.getTime() + ms)

test('a time after a verb is relative within an hour and has a preposition otherwise', () => {
  const cases: [number, string][] = [
    [0, 'just now'],
    [-42_000, '42 sec ago'],
    [-5 * MINUTE, '5 min ago'],
    [-59 * MINUTE, '59 min ago'],
    [-2 * HOUR, 'at 12:54 PM'],
    [-3 * DAY, 'on Nov 14 at 2:54 PM'],
    [-366 * DAY, 'on Nov 16, 2025 at 2:54 PM'],
    [30_000, 'in 30 sec'],
    [40 * MINUTE, 'in 40 min'],
    [2 * HOUR, 'at 4:54 PM'],
    [7 * DAY, 'on Nov 24 at 2:54 PM'],
  ]
  for (const [ms, text] of cases) assert.equal(plain(formatWhen(after(ms), NOW)), text)
})

test('a time after since or until is never relative', () => {
  const cases: [number, string][] = [
    [0, '2:54 PM'],
    [-5 * MINUTE, '2:49 PM'],
    [40 * MINUTE, '3:34 PM'],
    [-3 * DAY, 'Nov 14, 2:54 PM'],
    [-366 * DAY, 'Nov 16, 2025, 2:54 PM'],
  ]
  for (const [ms, text] of cases) assert.equal(plain(formatSince(after(ms), NOW)), text)
})
