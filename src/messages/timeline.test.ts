// What people read of a message: every kind of entry has its words.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from './message.js'
import { encodeEntry, readTimeline } from './timeline.js'

const AT = new Date('2026-11-15T12:00:00.250Z')
const MESSAGE = { direction: 'OUTBOUND', scheduledAt: null, createdAt: AT } as Message

test('entries are read back as they were written, in words', () => {
  for (const [kind, detail, text] of [
    ['queued', '', 'The scheduled time has come: queued for sending'],
    ['sent', '', 'The carrier took the message'],
    ['delivered', '', 'The carrier says that the message was delivered'],
    ['read', '', 'The recipient opened the message'],
    ['failed', '1350 No such number', 'Failed: 1350 No such number'],
    [
      'expired',
      'not sent within its validity of 4 hours',
      'Gave up: not sent within its validity of 4 hours',
    ],
    ['slow', '4.1 s', 'The carrier asked to slow down, next try in 4.1 s'],
    ['unclear', '1.0 s', "The carrier's answer made no sense, next try in 1.0 s"],
    ['waited', 'the limit: 3.0 s', 'Waited for the limit: 3.0 s'],
    ['stale', 'DELIVERED', 'A late or repeated receipt said DELIVERED: nothing to change'],
    ['failed', 'a|b||c', 'Failed: a|b||c'],
    ['unheard-of', 'why', 'unheard-of why'],
  ] as const) {
    const [, entry] = readTimeline(MESSAGE, [encodeEntry(AT, kind, detail)])
    assert.deepEqual(entry, { at: AT, kind, text })
  }
})

test('the first entry says how the message began', () => {
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

test('no entry shows an earlier time than the one before it, whichever process wrote them', () => {
  const times = [500, 200, 900].map((ms) => new Date(AT.getTime() + ms))
  const entries = times.map((at) => encodeEntry(at, 'sent'))
  const shown = readTimeline(MESSAGE, entries).map(({ at }) => at.getTime() - AT.getTime())
  assert.deepEqual(shown, [0, 500, 500, 900])
})
