// Sequence numbers of requests, and late responses.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PendingRequests } from './pending-requests.js'

const request = (token: string) => ({ command: 'submit_sm', sentAt: 0, work: { token } }) as const

test('a sequence number in use is not assigned again, not even after wraparound', () => {
  const pending = new PendingRequests<string>(0x7ffffffe)
  pending.add(1, request('a'))
  pending.add(2, request('b'))
  pending.add(0x7ffffffe, request('c'))
  assert.equal(pending.nextSequence(), 0x7fffffff)
  pending.add(0x7fffffff, request('d'))
  assert.equal(pending.nextSequence(), 3)
  pending.remove(1)
  assert.equal(pending.nextSequence(), 1)
})

test('a timed-out request is recognized once, until its sequence number is reused', () => {
  const pending = new PendingRequests<string>()
  pending.add(1, request('a'))
  pending.giveUp(1, 'a')
  assert.equal(pending.workCount, 0)
  assert.deepEqual(pending.takeLate(1), { token: 'a' })
  assert.equal(pending.takeLate(1), null)
  pending.add(2, request('b'))
  pending.giveUp(2, 'b')
  pending.add(2, request('c'))
  assert.equal(pending.takeLate(2), null)
})

test('only the last thousand timed-out requests are remembered', () => {
  const pending = new PendingRequests<string>()
  for (let sequence = 1; sequence <= 1_001; sequence++) {
    pending.add(sequence, request('a'))
    pending.giveUp(sequence, 'a')
  }
  assert.equal(pending.takeLate(1), null)
  assert.notEqual(pending.takeLate(2), null)
})

test('messages are counted, and the session’s own requests are not', () => {
  const pending = new PendingRequests<string>()
  pending.add(1, { command: 'enquire_link', sentAt: 0, work: null })
  pending.add(2, request('a'))
  assert.equal(pending.workCount, 1)
  assert.equal(pending.oldest()?.[0], 1)
  pending.remove(1)
  pending.remove(1)
  pending.remove(2)
  assert.equal(pending.workCount, 0)
  assert.equal(pending.oldest(), null)
})
