// The first answer counts, apart for messages that a limit may delay.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Metrics } from '../../kit/metrics.js'
import type { SubmitAnswer } from '../carrier-port.js'
import { CarrierTiming } from './carrier-timing.js'
import type { Leased } from './leased.js'

test('sent and failed messages count once, by whether a limit applies', () => {
  const metrics = new Metrics()
  const timing = new CarrierTiming(metrics)
  const dueAt = new Date('2026-11-15T12:00:00.000Z')
  const answered = (kind: string, isLimited: boolean, attempts = 0) =>
    timing.answered(
      { message: { dueAt, attempts }, isLimited } as unknown as Leased,
      { kind } as SubmitAnswer,
      new Date(dueAt.getTime() + 1_500),
    )
  answered('sent', false)
  answered('failed', false)
  answered('sent', true)
  answered('sent', false, 1)
  for (const kind of ['slow_down', 'down', 'unknown', 'window_missed']) answered(kind, false)
  const counted = metrics.histograms().map(({ labels, count, sum }) => [labels.limited, count, sum])
  assert.deepEqual(counted, [
    ['true', 1, 1.5],
    ['false', 2, 3],
  ])
})
