// Events as deliver_sm: which ones a system id gets, and their contents.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../events/event.js'
import { newId } from '../kit/ids.js'
import type { Message } from '../messages/message.js'
import { makePdu } from '../smpp/pdu/pdu.js'
import { standardTlv } from '../smpp/pdu/tlv.js'
import { readReceipt } from '../smpp/receipt.js'
import { USUAL_CODINGS } from '../smpp/text/data-coding.js'
import { readMessage } from '../smpp/text/read-message.js'
import { metadataOf, partId } from './receipt-request.js'
import { type DeliverSm, deliveriesOf } from './write-deliveries.js'

const NOW = new Date('2026-11-15T12:00:00.000Z')
const ID = newId('msg', NOW)
const SET = newId('prt', NOW)

const MESSAGE = {
  id: ID,
  number: '+14152000001',
  peer: '+14155550107',
  body: 'Hello',
  mediaUrls: [],
  metadata: metadataOf({ systemId: 'lc1', receipt: 1, reference: 7, set: null }),
  createdAt: NOW,
} as unknown as Message

function event(fields: Partial<Event>): Event {
  const base = { eventType: 'message.status', messageId: ID, createdAt: NOW, errorCode: null }
  return { ...base, ...fields } as Event
}

function pduOf({ fields, tlvs }: DeliverSm) {
  return makePdu('deliver_sm', 1, fields, tlvs)
}

/** The state, error, and esm_class of each. */
function told(fields: Partial<Event>, message: Partial<Message> = {}, systemId = 'lc1') {
  return deliveriesOf(event(fields), { ...MESSAGE, ...message }, systemId).map((one) => {
    const { state, carrierIds } = readReceipt(pduOf(one))
    const error = /err:(\d+)/.exec(one.fields.shortMessage!.toString())?.[1]
    return [carrierIds[0], state, error, one.fields.esmClass]
  })
}

test('a final status is reported once, with its state and error', () => {
  assert.deepEqual(told({ status: 'DELIVERED' }), [[ID, 'DELIVERED', '000', 4]])
  assert.deepEqual(told({ status: 'READ', previousStatus: 'DELIVERED' }), [])
  assert.deepEqual(told({ status: 'READ', previousStatus: 'SENT' }), [[ID, 'DELIVERED', '000', 4]])
  const failed = (errorCode: number) => told({ status: 'FAILED', errorCode })[0]!.slice(1, 3)
  assert.deepEqual(failed(1350), ['UNDELIVERABLE', '350'])
  assert.deepEqual(failed(1370), ['REJECTED', '370'])
  assert.deepEqual(failed(1410), ['DELETED', '410'])
  assert.deepEqual(told({ status: 'EXPIRED', errorCode: 1400 }), [[ID, 'EXPIRED', '400', 4]])
  assert.deepEqual(told({ status: 'QUEUED' }), [])
  assert.deepEqual(told({ status: 'SENT' }), [])
})

test('only the system id that submitted gets a receipt, and only if it requested one', () => {
  assert.deepEqual(told({ status: 'DELIVERED' }, {}, 'lc2'), [])
  assert.deepEqual(told({ status: 'DELIVERED' }, { metadata: {} }), [])
  const requested = (receipt: number) => ({
    metadata: metadataOf({ systemId: 'lc1', receipt, reference: null, set: null }),
  })
  assert.deepEqual(told({ status: 'DELIVERED' }, requested(0)), [])
  assert.deepEqual(told({ status: 'SENT' }, requested(0x10)), [[ID, 'ENROUTE', '000', 0x20]])
  const [one] = deliveriesOf(event({ status: 'DELIVERED' }), MESSAGE, 'lc1')
  assert.equal(standardTlv(one!.tlvs, 'userMessageReference'), 7)
  assert.equal(one!.fields.sourceAddr, '14155550107')
  assert.equal(one!.fields.destinationAddr, '14152000001')
})

test('each part that requested a receipt gets one', () => {
  const parts = [
    { sequence: 1, flags: 1 },
    { sequence: 2, flags: 2 },
  ]
  const metadata = metadataOf({
    systemId: 'lc1',
    receipt: 1,
    reference: null,
    set: { id: SET, parts },
  })
  const ids = (status: string, errorCode: number | null) =>
    told({ status, errorCode }, { metadata }).map(([id]) => id)
  assert.deepEqual(ids('DELIVERED', null), [partId(SET, 1), ID])
  assert.deepEqual(ids('FAILED', 1350), [partId(SET, 1), partId(SET, 2), ID])
})

test('inbound messages keep their text, in any alphabet and number of parts', () => {
  const texts = (fields: Partial<Message>) =>
    deliveriesOf(event({ eventType: 'message.incoming' }), { ...MESSAGE, ...fields }, 'lc1').map(
      (one) => readMessage(pduOf(one), USUAL_CODINGS),
    )
  assert.deepEqual(texts({ body: '{€} Hello' }), [{ text: '{€} Hello', part: null }])
  const mediaUrls = ['https://a.test/1', 'https://a.test/2']
  assert.equal(texts({ mediaUrls })[0]!.text, 'Hello\nhttps://a.test/1\nhttps://a.test/2')
  assert.equal(texts({ body: '', mediaUrls: ['https://a.test/1'] })[0]!.text, 'https://a.test/1')
  const long = texts({ body: 'Привет 👋 '.repeat(20) })
  assert.equal(long.map(({ text }) => text).join(''), 'Привет 👋 '.repeat(20))
  assert.deepEqual(
    long.map(({ part }) => part!.sequence),
    long.map((_, i) => i + 1),
  )
  assert.equal(new Set(long.map(({ part }) => part!.reference)).size, 1)
})

test('parts of an incomplete message each get a receipt', () => {
  const data = {
    ids: [partId(SET, 1), partId(SET, 2)],
    state: 'UNDELIVERABLE',
    error: 1,
    number: '14152000001',
    peer: '+14155550107',
    submittedAt: NOW.toISOString(),
  }
  const fields = { eventType: 'smpp.receipt', messageId: null, data } as Partial<Event>
  const receipts = deliveriesOf(event(fields), undefined, 'lc1').map((one) =>
    readReceipt(pduOf(one)),
  )
  assert.deepEqual(
    receipts.map(({ carrierIds, state }) => [carrierIds[0], state]),
    data.ids.map((id) => [id, 'UNDELIVERABLE']),
  )
})

test('an event without its message, or of another kind, causes no delivery', () => {
  for (const eventType of ['message.status', 'message.incoming', 'campaign.changed'] as const) {
    assert.deepEqual(deliveriesOf(event({ eventType, status: 'DELIVERED' }), undefined, 'lc1'), [])
  }
})
