// Quotas in words.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atLimit, describeNear, formatBytes, nearLimit, spokenUse } from './describe-quota'

const QUOTA = { name: 'queuedMessages', unit: 'message', code: 'queue_full' } as const

test('bytes have one decimal and the unit that fits', () => {
  assert.deepEqual([0, 999, 1_000, 214_880, 1_000_000, 2_550_000_000].map(formatBytes), [
    '0 bytes',
    '999 bytes',
    '1 kB',
    '214.9 kB',
    '1 MB',
    '2.6 GB',
  ])
})

test('a quota without room says what is refused, and others say nothing', () => {
  assert.match(atLimit({ ...QUOTA, used: 5, limit: 5 })!, /^New messages are refused/)
  assert.match(atLimit({ ...QUOTA, used: 6, limit: 5 })!, /^New messages are refused/)
  assert.equal(atLimit({ ...QUOTA, used: 4, limit: 5 }), null)
  assert.equal(atLimit({ ...QUOTA, used: 4, limit: null }), null)
  assert.equal(atLimit({ ...QUOTA, used: null, limit: 5 }), null)
})

test('quotas from 80% on need attention', () => {
  const at = (used: number | null, limit: number | null) => nearLimit([{ ...QUOTA, used, limit }])
  assert.deepEqual([at(79, 100), at(5, null), at(null, 5)], [[], [], []])
  assert.equal(describeNear(at(80, 100)[0]!), 'Queued messages: 80 of 100 used.')
  const webhooks = { name: 'webhooks', unit: 'webhook', code: 'webhooks_full' } as const
  assert.equal(
    describeNear({ ...webhooks, used: 2, limit: 2 }),
    'Webhooks: 2 of 2 used. New webhooks are refused until one is deleted.',
  )
})

test('screen readers hear the unit', () => {
  assert.equal(spokenUse({ ...QUOTA, used: 312, limit: 1_000 }), '312 of 1,000 messages')
  const media = { name: 'mediaBytes', unit: 'byte', code: 'media_full' } as const
  assert.equal(spokenUse({ ...media, used: 2_000, limit: 1_000_000 }), '2 kB of 1 MB')
})
