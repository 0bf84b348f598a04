// When a message expires, and what its timeline shows.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deadlineOf, expiryMoves, isExpired } from './expiry.js'

const NOW = new Date('2026-11-15T12:00:00.000Z')
const at = (ms: number) => new Date(NOW.getTime() + ms)

test('a message expires at the time in its row, else at the end of its validity', () => {
  const message = { createdAt: at(-60_000), expiresAt: null, validitySeconds: 60 }
  assert.deepEqual(deadlineOf(message), NOW)
  assert.deepEqual(deadlineOf({ ...message, expiresAt: at(7) }), at(7))
  assert.equal(isExpired(message, NOW), true)
  assert.equal(isExpired(message, at(-1)), false)
})

test('the expiry entry shows the validity and the number of attempts', () => {
  const moves = (attempts: number, validitySeconds: number | null = null) =>
    expiryMoves({ id: 'msg_1', status: 'QUEUED', attempts, validitySeconds }, NOW)
  const reason = (more: string) =>
    `${NOW.getTime()}|expired|not sent within its validity of ${more}`
  assert.deepEqual(moves(0), [
    { messageId: 'msg_1', target: 'EXPIRED', errorCode: 1400, entry: reason('4 hours') },
  ])
  assert.equal(moves(1, 60)[0]!.entry, reason('1 minute (1 attempt)'))
  assert.equal(moves(2)[0]!.entry, reason('4 hours (2 attempts)'))
})

test('a scheduled message is queued before it expires', () => {
  const scheduled = {
    id: 'msg_1',
    status: 'SCHEDULED',
    attempts: 0,
    validitySeconds: null,
  } as const
  assert.deepEqual(
    expiryMoves(scheduled, NOW).map(({ target, errorCode, dueAt, entry }) => [
      target,
      errorCode,
      dueAt,
      entry.split('|')[1],
    ]),
    [
      ['QUEUED', null, NOW, 'queued'],
      ['EXPIRED', 1400, undefined, 'expired'],
    ],
  )
})
