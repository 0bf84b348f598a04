// A span is cut into what sums know and what only messages know, without a gap and without an overlap.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Range, type SplitSpan, splitSpan } from './summed-span.js'

const day = (text: string) => new Date(`2027-03-${text}Z`)
const span = (from: string, to: string): Range => ({ from: day(from), to: day(to) })

/** The parts that are not empty, in order of time. */
function parts({ days, hours, messages }: SplitSpan): string[] {
  const named = [
    ['messages', messages[0]],
    ['hours', hours[0]],
    ['days', days],
    ['hours', hours[1]],
    ['messages', messages[1]],
  ] as const
  return named
    .filter(([, { from, to }]) => from < to)
    .map(([name, { from, to }]) => `${name} ${short(from)}–${short(to)}`)
}

const short = (moment: Date) => moment.toISOString().slice(8, 16)

test('whole days and hours come from sums, the rest from messages', () => {
  const whole = span('01T00:00', '11T00:00')
  assert.deepEqual(parts(splitSpan(whole, day('10T15:00'), 'day')), [
    'days 01T00:00–10T00:00',
    'hours 10T00:00–10T15:00',
    'messages 10T15:00–11T00:00',
  ])
  assert.deepEqual(parts(splitSpan(whole, day('10T15:00'), 'hour')), [
    'hours 01T00:00–10T15:00',
    'messages 10T15:00–11T00:00',
  ])
  assert.deepEqual(parts(splitSpan(span('01T10:20', '05T06:40'), day('10T15:00'), 'day')), [
    'messages 01T10:20–01T11:00',
    'hours 01T11:00–02T00:00',
    'days 02T00:00–05T00:00',
    'hours 05T00:00–05T06:00',
    'messages 05T06:00–05T06:40',
  ])
})

test('a span that is not summed, or has no whole hour, is read from messages', () => {
  const none = parts(splitSpan(span('01T00:00', '11T00:00'), new Date(0), 'day'))
  assert.deepEqual(none, ['messages 01T00:00–11T00:00'])
  const brief = parts(splitSpan(span('01T10:20', '01T10:50'), day('10T15:00'), 'hour'))
  assert.deepEqual(brief, ['messages 01T10:20–01T10:50'])
  const later = parts(splitSpan(span('10T16:00', '11T00:00'), day('10T15:00'), 'day'))
  assert.deepEqual(later, ['messages 10T16:00–11T00:00'])
  const hours = parts(splitSpan(span('09T22:00', '10T02:00'), day('10T15:00'), 'day'))
  assert.deepEqual(hours, ['hours 09T22:00–10T02:00'])
})
