// A time range is split into counters and messages, without a gap or an overlap.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SplitSpan, splitSpan, type TimeRange, type UsageBucket } from './summed-span.js'

const day = (text: string) => new Date(`2027-03-${text}Z`)
const span = (from: string, to: string): TimeRange => ({ from: day(from), to: day(to) })

/** The parts that are not empty, in order of time. */
function parts({ days, hours, messages }: SplitSpan): string[] {
  const named = [
    ...messages.map((range) => ['messages', range] as const),
    ...hours.map((range) => ['hours', range] as const),
    ...days.map((range) => ['days', range] as const),
  ]
  return named
    .filter(([, { from, to }]) => from < to)
    .sort(([, a], [, b]) => a.from.getTime() - b.from.getTime())
    .map(([name, { from, to }]) => `${name} ${short(from)}–${short(to)}`)
}

const short = (moment: Date) => moment.toISOString().slice(8, 16)

const EPOCH = new Date(0)
/** There was nothing before messages were counted. */
const counted = (range: TimeRange, bucket: UsageBucket) =>
  splitSpan(range, { summedUntil: EPOCH, countedFrom: EPOCH }, bucket)
/** An older version left the messages between these times to be summed. */
const upgraded = (range: TimeRange, summedUntil: Date, countedFrom: Date, bucket: UsageBucket) =>
  splitSpan(range, { summedUntil, countedFrom }, bucket)

test('whole days and hours come from counters, partial hours from messages', () => {
  const whole = span('01T00:00', '10T15:00')
  assert.deepEqual(parts(counted(whole, 'day')), [
    'days 01T00:00–10T00:00',
    'hours 10T00:00–10T15:00',
  ])
  assert.deepEqual(parts(counted(whole, 'hour')), ['hours 01T00:00–10T15:00'])
  assert.deepEqual(parts(counted(span('01T10:20', '05T06:40'), 'day')), [
    'messages 01T10:20–01T11:00',
    'hours 01T11:00–02T00:00',
    'days 02T00:00–05T00:00',
    'hours 05T00:00–05T06:00',
    'messages 05T06:00–05T06:40',
  ])
  assert.deepEqual(parts(counted(span('01T10:20', '01T10:50'), 'hour')), [
    'messages 01T10:20–01T10:50',
  ])
})

test('after an upgrade, messages that are neither summed nor counted are read directly', () => {
  const [summed, from] = [day('09T15:00'), day('10T18:00')]
  assert.deepEqual(parts(upgraded(span('01T00:00', '13T00:00'), summed, from, 'day')), [
    'days 01T00:00–09T00:00',
    'hours 09T00:00–09T15:00',
    'messages 09T15:00–10T18:00',
    'hours 10T18:00–11T00:00',
    'days 11T00:00–13T00:00',
  ])
  assert.deepEqual(parts(upgraded(span('10T01:00', '10T20:00'), summed, from, 'hour')), [
    'messages 10T01:00–10T18:00',
    'hours 10T18:00–10T20:00',
  ])
  assert.deepEqual(parts(upgraded(span('10T16:00', '10T17:00'), summed, from, 'day')), [
    'messages 10T16:00–10T17:00',
  ])
  assert.deepEqual(parts(upgraded(span('01T00:00', '02T00:00'), EPOCH, from, 'day')), [
    'messages 01T00:00–02T00:00',
  ])
})

test('once everything is summed, all of it comes from counters', () => {
  const from = day('10T18:00')
  assert.deepEqual(parts(upgraded(span('09T00:00', '12T00:00'), from, from, 'day')), [
    'days 09T00:00–12T00:00',
  ])
})
