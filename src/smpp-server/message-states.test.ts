// Every message status, and every error of a failed message, has its state in SMPP.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MESSAGE_ERRORS } from '../messages/message-errors.js'
import { stateOf } from './message-states.js'

test('each status has its state, and receipts report only outcomes', () => {
  const expected = {
    CREATED: ['ENROUTE', null],
    SCHEDULED: ['ENROUTE', null],
    QUEUED: ['ENROUTE', null],
    SENT: ['ENROUTE', 'intermediate'],
    DELIVERED: ['DELIVERED', 'success'],
    READ: ['DELIVERED', null],
    EXPIRED: ['EXPIRED', 'failure'],
    FAILED: ['UNDELIVERABLE', 'failure'],
  } as const
  for (const [status, [state, news]] of Object.entries(expected)) {
    assert.deepEqual(stateOf(status as keyof typeof expected, null), { state, news }, status)
  }
})

test('a failed message is DELETED if canceled, REJECTED if refused, and else UNDELIVERABLE', () => {
  const codes = [...Object.keys(MESSAGE_ERRORS).map(Number), 9999]
  const codesOf = (wanted: string) =>
    codes.filter((code) => stateOf('FAILED', code).state === wanted)
  assert.deepEqual(codesOf('DELETED'), [1410])
  assert.deepEqual(codesOf('REJECTED'), [1320, 1330, 1340, 1345, 1370, 1375])
  assert.equal(codesOf('UNDELIVERABLE').length, codes.length - 7)
})
