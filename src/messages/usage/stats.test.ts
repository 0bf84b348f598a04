// Statistics from counts: medians from steps, groups in order, buckets without a gap.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STEPS_PER_E } from '../moves/counter-queries.js'
import { type CountedMessages, readStats, type StatsSpan } from './stats.js'

const SPAN: StatsSpan = {
  from: new Date('2026-11-15T12:30:00.000Z'),
  to: new Date('2026-11-15T14:00:00.001Z'),
  bucket: 'hour',
  by: 'campaign',
  campaignId: null,
}
const NOTHING: CountedMessages = { inBuckets: [], inGroups: [], times: [] }

const stepOf = (ms: number) => Math.round(Math.log(ms / 1000) * STEPS_PER_E)

test('half of the messages took no longer than the median, in total and in each group', () => {
  const row = { direction: 'OUTBOUND', status: 'DELIVERED', errorCode: null, count: 4 } as const
  const { total, groups } = readStats(SPAN, {
    ...NOTHING,
    inGroups: [
      { key: 'a', ...row },
      { key: 'b', ...row, count: 5 },
    ],
    times: [
      { key: 'a', step: stepOf(60_000), count: 1 },
      { key: 'a', step: stepOf(100), count: 1 },
      { key: 'b', step: stepOf(2_000), count: 3 },
      { key: 'b', step: stepOf(9_000), count: 2 },
    ],
  })
  const near = (actual: number | null, ms: number) =>
    assert.ok(actual !== null && Math.abs(actual - ms) <= ms * 0.03, `${actual} is not ${ms}`)
  near(total.medianDeliveryMs, 2_000)
  assert.deepEqual(
    groups.map(({ key }) => key),
    ['b', 'a'],
    'busiest first',
  )
  near(groups[0]!.medianDeliveryMs, 2_000)
  near(groups[1]!.medianDeliveryMs, 100)
})

test('a step is 5%, so every time is within 3%', () => {
  for (let ms = 50; ms < 3_600_000; ms = Math.ceil(ms * 1.013)) {
    const { total } = readStats(SPAN, {
      ...NOTHING,
      times: [{ key: '', step: stepOf(ms), count: 1 }],
    })
    const told = total.medianDeliveryMs!
    assert.ok(Math.abs(told / ms - 1) <= 0.03 + 0.5 / ms, `${ms} ms is reported as ${told}`)
  }
})

test('without messages, every bucket is present and empty', () => {
  const { total, groups, buckets } = readStats(SPAN, NOTHING)
  assert.deepEqual(
    buckets.map(({ start, outbound, inbound }) => [start.toISOString(), outbound, inbound]),
    [
      ['2026-11-15T12:00:00.000Z', 0, 0],
      ['2026-11-15T13:00:00.000Z', 0, 0],
      ['2026-11-15T14:00:00.000Z', 0, 0],
    ],
  )
  assert.deepEqual(groups, [])
  const { deliveryRate, medianDeliveryMs, errors } = total
  assert.deepEqual([deliveryRate, medianDeliveryMs, errors], [null, null, []])
  const carriers = readStats({ ...SPAN, by: 'carrier' }, NOTHING).groups.map(({ key }) => key)
  assert.deepEqual(carriers, ['att', 'tmo', 'other'])
})
