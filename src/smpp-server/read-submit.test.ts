// How a submit_sm or data_sm becomes a send, field by field.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VALIDITY_SECONDS_MAX } from '../messages/validity.js'
import { type BodyOf, makePdu } from '../smpp/pdu/pdu.js'
import { makeStandardTlv, type Tlv } from '../smpp/pdu/tlv.js'
import { readSubmit, type Submit } from './read-submit.js'

const NOW = new Date('2026-11-15T12:00:00.000Z')
const WHOLE = { systemId: 'lc1', campaignId: null, number: null }
const OF_CAMPAIGN = { ...WHOLE, campaignId: 'cmp_1' }
const OF_NUMBER = { ...OF_CAMPAIGN, number: '+14152000001' }

const PLAIN = {
  sourceAddr: '14152000001',
  destinationAddr: '14155550107',
  shortMessage: Buffer.from('Hello'),
}

function read(fields: Partial<BodyOf<'submit_sm'>> = {}, tlvs: Tlv[] = [], system = WHOLE) {
  return readSubmit(makePdu('submit_sm', 1, { ...PLAIN, ...fields }, tlvs), system, NOW)
}

function input(...args: Parameters<typeof read>) {
  return (read(...args) as Submit).input
}

function status(...args: Parameters<typeof read>) {
  const result = read(...args)
  if (!('status' in result)) return 'accepted'
  assert.match(result.sentence, /^[\w ]{9}.{10}/, 'a sentence for the TLV')
  return result.status
}

test('numbers are read in common formats, and an empty sender uses the system id’s number', () => {
  assert.deepEqual(input(), { body: 'Hello', from: '+14152000001', to: '+14155550107' })
  assert.equal(input({ destinationAddr: '+14155550107' }).to, '+14155550107')
  assert.equal(input({ destinationAddr: '4155550107', destAddrTon: 2 }).to, '+14155550107')
  assert.equal(status({ sourceAddr: '' }), 'ESME_RINVSRCADR')
  assert.deepEqual(input({ sourceAddr: '' }, [], OF_CAMPAIGN as never), {
    body: 'Hello',
    to: '+14155550107',
    campaign: 'cmp_1',
  })
  assert.equal(input({ sourceAddr: '' }, [], OF_NUMBER as never).from, '+14152000001')
  assert.equal(status({ sourceAddr: '14152000002' }, [], OF_NUMBER as never), 'ESME_RINVSRCADR')
})

test('times are read in both formats, and a long validity is shortened', () => {
  const at = (scheduleDeliveryTime: string) => input({ scheduleDeliveryTime }).scheduledAt
  assert.equal(at('261115130000000+'), '2026-11-15T13:00:00.000Z')
  assert.equal(at('261115130000004+'), '2026-11-15T12:00:00.000Z')
  assert.equal(at('000000010000000R'), '2026-11-15T13:00:00.000Z')
  const valid = (validityPeriod: string, more = {}) =>
    input({ validityPeriod, ...more }).validitySeconds
  assert.equal(valid('000000000500000R'), 300)
  assert.equal(valid('000002000000000R'), 14_400)
  assert.equal(valid('010000000000000R'), VALIDITY_SECONDS_MAX)
  const later = { scheduleDeliveryTime: '000000010000000R' }
  assert.equal(valid('261115131000000+', later), 600, 'counted from the scheduled time')
  assert.equal(valid('000000001000000R', later), 600)
  assert.equal(status({ scheduleDeliveryTime: 'tomorrow' }), 'ESME_RINVSCHED')
  assert.equal(status({ validityPeriod: 'long' }), 'ESME_RINVEXPIRY')
})

test('unsupported options are refused with the status of their field', () => {
  assert.equal(status({ esmClass: 0x03 }), 'accepted', 'store and forward is allowed')
  assert.equal(status({ esmClass: 0x04 }), 'ESME_RINVESMCLASS')
  assert.equal(status({ esmClass: 0x20 }), 'ESME_RINVESMCLASS')
  assert.equal(status({ dataCoding: 4 }), 'ESME_RINVDCS')
  assert.equal(status({ replaceIfPresentFlag: 1 }), 'ESME_RINVREPFLAG')
  assert.equal(status({ smDefaultMsgId: 1 }), 'ESME_RINVDFTMSGID')
  const key = (value: string) => [{ tag: 0x1501, value: Buffer.from(value) }]
  assert.equal(status({}, key('\0')), 'ESME_RINVOPTPARAMVAL')
  assert.equal(status({}, key('x'.repeat(255))), 'accepted')
  assert.equal(status({}, key('x'.repeat(256))), 'ESME_RINVOPTPARAMVAL')
  for (const esmClass of [0x08, 0x10]) assert.equal(status({ esmClass }), 'ESME_RINVESMCLASS')
  assert.equal((read({}, key('order\0')) as Submit).key, 'order')
})

test('parts are distinguished from whole messages, with their total number', () => {
  const sar = (total: number, sequence: number) => [
    makeStandardTlv('sarMsgRefNum', 300),
    makeStandardTlv('sarTotalSegments', total),
    makeStandardTlv('sarSegmentSeqnum', sequence),
  ]
  assert.deepEqual((read({}, sar(2, 1)) as Submit).part, { reference: 300, total: 2, sequence: 1 })
  assert.equal((read({}, sar(1, 1)) as Submit).part, null)
  assert.equal((read({}, sar(2, 3)) as Submit).part, null)
  assert.equal(status({}, sar(50, 50)), 'accepted')
  assert.equal(status({}, sar(51, 1)), 'ESME_RINVMSGLEN')
})

test('receipt requests keep their own bits, and data_sm has its TLVs', () => {
  const submit = read({ registeredDelivery: 0xf1 }) as Submit
  assert.deepEqual([submit.receipt, submit.reference, submit.key], [0x11, null, null])
  const { shortMessage: _, ...addresses } = PLAIN
  const tlvs = [
    makeStandardTlv('messagePayload', Buffer.from('Data')),
    makeStandardTlv('qosTimeToLive', 120),
    makeStandardTlv('userMessageReference', 9),
  ]
  const data = readSubmit(makePdu('data_sm', 1, addresses, tlvs), WHOLE, NOW) as Submit
  assert.equal(data.input.body, 'Data')
  assert.equal(data.input.validitySeconds, 120)
  assert.equal(data.reference, 9)
})
