// Only waits that the service caused are measured.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../kit/ids.js'
import { Metrics } from '../../kit/metrics.js'
import type { AttemptResult } from './attempt-delivery.js'
import type { LeasedDelivery } from './claim-account.js'
import { WebhookTiming } from './webhook-timing.js'

const NOW_MS = Date.parse('2026-11-15T12:00:00.000Z')
const at = (second: number) => new Date(NOW_MS + second * 1000)

function stage() {
  const metrics = new Metrics()
  const timing = new WebhookTiming(metrics)
  const [histogram] = metrics.histograms()
  /** An event of one second, attempted in another. */
  const attempt = (event: number, second: number, change: object = {}, kind = 'success') => {
    const webhook = { id: 'whk_1', failingSince: null, updatedAt: at(0), ...change }
    const delivery = { webhook, eventId: newId('evt', at(event)), attempts: 0, ...change }
    timing.attempted(
      delivery as unknown as LeasedDelivery,
      { kind, at: at(second) } as AttemptResult,
    )
    return [histogram!.count, histogram!.sum]
  }
  return { attempt }
}

test('a first attempt counts with the time since its event, and a retry does not count', () => {
  const { attempt } = stage()
  assert.deepEqual(attempt(1, 2.5), [1, 1.5])
  assert.deepEqual(attempt(1, 9, { attempts: 1 }), [1, 1.5])
})

test('events that waited behind a failing endpoint do not count, and later ones do', () => {
  const { attempt } = stage()
  assert.deepEqual(attempt(1, 2, {}, 'failure'), [1, 1], 'the attempt that failed was on time')
  assert.deepEqual(attempt(2, 60, { failingSince: at(2) }), [1, 1])
  assert.deepEqual(attempt(3, 61), [1, 1], 'it was created before the endpoint worked again')
  assert.deepEqual(attempt(62, 64), [2, 3])
})

test('events held while the webhook was disabled do not count', () => {
  const { attempt } = stage()
  assert.deepEqual(attempt(1, 60, { updatedAt: at(59) }), [0, 0])
})
