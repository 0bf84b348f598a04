// The outcome of a delivery, by the responses to its deliver_sm.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../kit/ids.js'
import { makeFailure, makePdu } from '../smpp/pdu/pdu.js'
import { STATUS } from '../smpp/pdu/status.js'
import type { RequestOutcome } from '../smpp/session/session-event.js'
import { Outgoing } from './outgoing.js'

const NOW = new Date('2026-11-15T12:00:00.000Z')
const LEASE = new Date(NOW.getTime() + 60_000)
const OK: RequestOutcome = { kind: 'answered', pdu: makePdu('deliver_sm_resp', 1, {}) }
const CLOSED: RequestOutcome = { kind: 'unknown', reason: 'closed' }
const TIMEOUT: RequestOutcome = { kind: 'unknown', reason: 'timeout' }

function no(name: keyof typeof STATUS): RequestOutcome {
  return { kind: 'answered', pdu: makeFailure('deliver_sm_resp', 1, STATUS[name].code) }
}

function outgoing(count: number, { attempts = 0, since = NOW } = {}): Outgoing {
  const delivery = {
    id: newId('dlv', since),
    subscriberId: 'tok_1',
    eventId: 'evt_1',
    messageId: 'msg_1',
    sequence: 2,
    attempts,
    attemptsBefore: 0,
    isClaimed: true,
  }
  return new Outgoing('acc_1', delivery, Array(count).fill({ fields: {}, tlvs: [] }), LEASE)
}

/** Sends all PDUs and applies the responses. */
function settled(one: Outgoing, outcomes: readonly RequestOutcome[]) {
  for (const _ of outcomes) one.noteSent()
  for (const outcome of outcomes) one.noteOutcome(outcome)
  assert.ok(one.isDone)
  const { state, dueAt } = one.settle(NOW)
  return [state, dueAt && dueAt.getTime() - NOW.getTime()]
}

test('a delivery succeeds when every PDU is accepted, or immediately if there is none', () => {
  assert.deepEqual(settled(outgoing(2), [OK, OK]), ['delivered', null])
  assert.deepEqual(settled(outgoing(0), []), ['delivered', null])
  const half = outgoing(2)
  half.noteSent()
  half.noteOutcome(OK)
  assert.ok(!half.isDone)
  half.noteLost()
  assert.ok(half.isDone)
  assert.equal(half.settle(NOW).state, 'pending')
})

test('a delivery that is not accepted is retried with growing delays, and soon after a lost connection', () => {
  const busy = no('ESME_RMSGQFUL')
  assert.deepEqual(settled(outgoing(2), [OK, busy]), ['pending', 5_000])
  assert.deepEqual(settled(outgoing(1, { attempts: 3 }), [busy]), ['pending', 40_000])
  assert.deepEqual(settled(outgoing(1, { attempts: 99 }), [busy]), ['pending', 3_600_000])
  assert.deepEqual(settled(outgoing(1), [TIMEOUT]), ['pending', 5_000])
  assert.deepEqual(settled(outgoing(1, { attempts: 9 }), [CLOSED]), ['pending', 1_000])
  assert.deepEqual(settled(outgoing(1), [{ kind: 'nacked', status: 3 }]), ['pending', 5_000])
})

test('a delivery fails if the customer refuses it permanently, or after three days', () => {
  assert.deepEqual(settled(outgoing(1), [no('ESME_RX_P_APPN')]), ['failed', null])
  assert.deepEqual(settled(outgoing(1), [no('ESME_RX_R_APPN')]), ['failed', null])
  const old = { since: new Date(NOW.getTime() - 4 * 86_400_000) }
  assert.deepEqual(settled(outgoing(1, old), [no('ESME_RSYSERR')]), ['failed', null])
  assert.deepEqual(settled(outgoing(1, old), [OK]), ['delivered', null])
})

test('the remaining PDUs are not sent after one that is not accepted', () => {
  const one = outgoing(3)
  one.noteSent()
  one.noteOutcome(no('ESME_RSYSERR'))
  assert.equal(one.next, undefined)
  assert.ok(one.isDone)
})

test('a finished delivery releases the next event of its message', () => {
  const one = outgoing(0)
  const event = { subscriberId: 'tok_1', messageId: 'msg_1', sequence: 2 }
  assert.deepEqual(one.finishedEvent(one.settle(NOW)), [event])
  one.noteLost()
  assert.deepEqual(one.finishedEvent(one.settle(NOW)), [])
})
