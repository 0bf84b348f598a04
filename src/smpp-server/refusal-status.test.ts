// Every refusal of a send maps to an SMPP status, and its sentence fits in the TLV.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldRefusal, Refusal } from '../kit/contract/refusal.js'
import { STATUS } from '../smpp/pdu/status.js'
import { answerOf, isTemporary, noOf } from './refusal-status.js'

test('fields and codes map to their statuses', () => {
  const ofField = (field: string) => noOf(fieldRefusal(field, 'is wrong')).status
  assert.equal(ofField('body'), 'ESME_RINVMSGLEN')
  assert.equal(ofField('to'), 'ESME_RINVDSTADR')
  assert.equal(ofField('from'), 'ESME_RINVSRCADR')
  assert.equal(ofField('validitySeconds'), 'ESME_RINVEXPIRY')
  assert.equal(ofField('scheduledAt'), 'ESME_RINVSCHED')
  assert.equal(ofField('metadata.x'), 'ESME_RSUBMITFAIL')
  assert.equal(noOf(new Refusal('recipient_opted_out')).status, 'ESME_RPROHIBITED')
  assert.equal(noOf(new Refusal('balance_insufficient')).status, 'ESME_RSUBMITFAIL')
  assert.equal(noOf(new Refusal('path_unknown')).status, 'ESME_RSUBMITFAIL')
})

test('a temporary refusal has a temporary status', () => {
  const isLater = (code: ConstructorParameters<typeof Refusal>[0]) =>
    isTemporary(noOf(new Refusal(code)))
  for (const code of [
    'rate_limited',
    'database_busy',
    'carrier_absent',
    'sends_too_many',
    'server_failure',
  ] as const) {
    assert.ok(isLater(code), code)
  }
  for (const code of ['recipient_opted_out', 'balance_insufficient', 'campaign_state'] as const) {
    assert.ok(!isLater(code), code)
  }
})

test('a sentence is shortened to fit in the TLV, in plain ASCII', () => {
  const sentence = `It’s ${'long '.repeat(100)}`
  const { status, tlvs } = answerOf({ status: 'ESME_RTHROTTLED', sentence })
  assert.equal(status, STATUS.ESME_RTHROTTLED.code)
  assert.equal(tlvs[0]!.value.length, 256)
  assert.match(tlvs[0]!.value.toString('latin1'), /^It\?s long/)
})
