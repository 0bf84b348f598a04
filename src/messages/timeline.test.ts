// What people read in a message's timeline: every kind of entry has a sentence.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from './message.js'
import { encodeEntry, readTimeline } from './timeline.js'

const AT = new Date('2026-11-15T12:00:00.250Z')
const MESSAGE = { direction: 'OUTBOUND', scheduledAt: null, createdAt: AT } as Message

test('stored entries read back as sentences', () => {
  for (const [kind, detail, text] of [
    ['queued', '', 'Scheduled time reached. Queued for sending'],
    ['sent', '', 'Accepted by the carrier'],
    ['delivered', '', 'Delivered (confirmed by the carrier)'],
    ['read', '', 'Opened by the recipient'],
    ['failed', '1350 No such number', 'Failed: 1350 No such number'],
    [
      'expired',
      'not sent within its validity of 4 hours',
      'Expired: not sent within its validity of 4 hours',
    ],
    ['slow', '4.1 s', 'Throttled by the carrier. Next attempt in 4.1 s'],
    ['unclear', '1.0 s', "The carrier's response was not understood. Next attempt in 1.0 s"],
    ['waited', 'the limit: 3.0 s', 'Waited for the limit: 3.0 s'],
    ['stale', 'DELIVERED', 'Late or repeated delivery receipt (DELIVERED). No change'],
    ['failed', 'a|b||c', 'Failed: a|b||c'],
    ['unheard-of', 'why', 'unheard-of why'],
  ] as const) {
    const [, entry] = readTimeline(MESSAGE, [encodeEntry(AT, kind, detail)])
    assert.deepEqual(entry, { at: AT, kind, text })
  }
})

test('the first entry shows how the message started', () => {
  const scheduledAt = new Date('2026-12-24T18:00:00Z')
  for (const [change, text] of [
    [{}, 'Accepted and queued for sending'],
    [{ scheduledAt }, 'Accepted, scheduled for 2026-12-24T18:00:00.000Z'],
    [{ direction: 'INBOUND' }, 'Received'],
  ] as const) {
    assert.deepEqual(readTimeline({ ...MESSAGE, ...change }, []), [
      { at: AT, kind: 'created', text },
    ])
  }
})

test('entries never go back in time, even when two processes wrote them', () => {
  const times = [500, 200, 900].map((ms) => new Date(AT.getTime() + ms))
  const entries = times.map((at) => encodeEntry(at, 'sent'))
  const shown = readTimeline(MESSAGE, entries).map(({ at }) => at.getTime() - AT.getTime())
  assert.deepEqual(shown, [0, 500, 500, 900])
})
