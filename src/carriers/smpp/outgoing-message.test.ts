// How the outcomes of its parts, in any order, determine the outcome of a message, and what follows an unknown one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submission } from '../../../test/smpp-fixtures.js'
import { OutgoingMessage, type OutgoingPart, type PartOutcome } from './outgoing-message.js'

const SLOW: PartOutcome = { kind: 'not_taken', answer: { kind: 'slow_down', retryAfterMs: 1 } }
const DOWN: PartOutcome = { kind: 'not_taken', answer: { kind: 'down' } }
const FAILED: PartOutcome = { kind: 'failed', errorCode: 1350, carrierCode: 'ESME_RINVDSTADR' }
const UNKNOWN: PartOutcome = { kind: 'unknown', detail: 'cut' }
const taken = (carrierId: string): PartOutcome => ({ kind: 'taken', carrierId, network: undefined })

function message(parts: number): OutgoingMessage {
  const each = { fields: {}, tlvs: [] }
  return new OutgoingMessage('a', submission(), Array(parts).fill(each), 0)
}

/** Sends as many parts as allowed. */
function sendAll(sent: OutgoingMessage): OutgoingPart[] {
  const parts: OutgoingPart[] = []
  for (let part = sent.next(); part; part = sent.next()) {
    sent.left(part)
    parts.push(part)
  }
  return parts
}

test('the outcome of a single part is the outcome of the message', () => {
  for (const [outcome, answer] of [
    [taken('7'), { kind: 'sent', link: 'a', carrierIds: ['7'] }],
    [
      { kind: 'taken', carrierId: '7', network: null },
      { kind: 'sent', link: 'a', carrierIds: ['7'], network: null },
    ],
    [taken(''), { kind: 'sent', link: 'a', carrierIds: [] }],
    [SLOW, { kind: 'slow_down', retryAfterMs: 1 }],
    [DOWN, { kind: 'down' }],
    [FAILED, { kind: 'failed', errorCode: 1350, carrierCode: 'ESME_RINVDSTADR' }],
    [UNKNOWN, { kind: 'unknown', detail: 'cut', link: 'a' }],
  ] as const) {
    const sent = message(1)
    const [part] = sendAll(sent)
    assert.deepEqual(sent.settle(part!, outcome), { kind: 'answer', answer })
  }
})

test('a message is sent when all parts are accepted, in any order, with their ids in order', () => {
  const sent = message(3)
  const [a, b, c] = sendAll(sent)
  assert.equal(sent.settle(c!, taken('3')), null)
  assert.equal(sent.settle(a!, taken('1')), null)
  const answer = { kind: 'sent', link: 'a', carrierIds: ['1', '2', '3'] }
  assert.deepEqual(sent.settle(b!, taken('2')), { kind: 'answer', answer })
})

test('a message with no accepted part is returned to the queue', () => {
  const sent = message(3)
  const [a, b] = [sent.next()!, null]
  sent.left(a)
  assert.equal(b, null)
  assert.equal(sent.settle(a, SLOW)?.kind, 'answer')
  assert.equal(sent.next(), null)

  const both = message(2)
  const [first, second] = sendAll(both)
  assert.equal(both.settle(first!, SLOW), null)
  assert.equal(both.next(), null, 'no part is sent until the other has its response')
  assert.deepEqual(both.settle(second!, DOWN), { kind: 'answer', answer: { kind: 'down' } })
})

test('a message with some accepted parts continues with the rest', () => {
  const sent = message(2)
  const [first, second] = sendAll(sent)
  assert.equal(sent.settle(first!, taken('1')), null)
  assert.equal(sent.settle(second!, SLOW), null)
  assert.ok(sent.isWaiting)
  const again = sent.next()
  assert.equal(again, second)
  sent.left(again!)
  assert.equal(sent.settle(again!, taken('2'))?.kind, 'answer')
})

test('a permanently refused part fails the message, and the other parts no longer matter', () => {
  const sent = message(3)
  const [a, b, c] = sendAll(sent)
  assert.equal(sent.settle(a!, taken('1')), null)
  assert.equal(sent.settle(b!, FAILED)?.kind, 'answer')
  assert.equal(sent.settle(c!, UNKNOWN), null)
  assert.equal(sent.settle(c!, taken('3')), null)
})

test('an outcome that arrives after an unknown one is reported once as a late answer', () => {
  const sent = message(2)
  const [a, b] = sendAll(sent)
  assert.equal(sent.settle(a!, UNKNOWN)?.kind, 'answer')
  assert.equal(sent.settle(b!, taken('2')), null)
  const answer = { kind: 'sent', link: 'a', carrierIds: ['1', '2'] }
  assert.deepEqual(sent.settle(a!, taken('1')), { kind: 'late', answer })

  const refused = message(1)
  const [part] = sendAll(refused)
  refused.settle(part!, UNKNOWN)
  assert.deepEqual(refused.settle(part!, DOWN), { kind: 'late', answer: { kind: 'slow_down' } })

  const failed = message(1)
  const [only] = sendAll(failed)
  failed.settle(only!, UNKNOWN)
  assert.equal(failed.settle(only!, FAILED)?.kind, 'late')
})

test('a refused part does not requeue a message that has a part without a response', () => {
  for (const refused of [SLOW, DOWN]) {
    const sent = message(2)
    const [a, b] = sendAll(sent)
    assert.equal(sent.settle(a!, UNKNOWN)?.kind, 'answer')
    assert.equal(sent.hasLeft, true, 'it may have arrived')
    assert.equal(sent.settle(b!, refused), null)
    assert.equal(sent.settle(a!, refused)?.kind, 'late', 'now no part has arrived')
  }
})

test('an unknown message with parts that were never sent gets no late answer', () => {
  const sent = message(3)
  const a = sent.next()!
  sent.left(a)
  assert.equal(sent.settle(a, UNKNOWN)?.kind, 'answer')
  assert.equal(sent.next(), null)
  assert.equal(sent.settle(a, taken('1')), null)
})

test('a message whose time is over is unknown if a part was sent, and returned to the queue otherwise', () => {
  const waiting = message(1)
  const slow = { kind: 'slow_down' } as const
  assert.deepEqual(waiting.giveUp('late', slow), { kind: 'answer', answer: slow })

  const sent = message(1)
  const [part] = sendAll(sent)
  const unknown = { kind: 'unknown', detail: 'late', link: 'a' }
  assert.deepEqual(sent.giveUp('late', slow), { kind: 'answer', answer: unknown })
  assert.equal(sent.settle(part!, taken('1'))?.kind, 'late')
})
