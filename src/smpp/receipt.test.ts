// Receipts in the dialects of carriers: in TLVs, in text, with ids in every spelling.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { makePdu } from './pdu/pdu.js'
import { makeStandardTlv, type Tlv } from './pdu/tlv.js'
import { isReceipt, readReceipt } from './receipt.js'
import { idCandidates, normalId } from './receipt-ids.js'
import { parseReceiptDate, parseReceiptText } from './receipt-text.js'

const DONE = '2026-11-16T04:55:00.000Z'

const DIALECTS: [text: string, ...expected: (string | null)[]][] = [
  // From the specification, and from Logica.
  [
    'id:0123456789 sub:001 dlvrd:001 submit date:2611160454 done date:2611160455 stat:DELIVRD err:000 text:Hello id:9 stat:FAILED',
    '0123456789',
    'DELIVERED',
    null,
    DONE,
  ],
  // From Net::SMPP: capital Text, one-digit err.
  [
    'id:IIIIIIIIII sub:001 dlvrd:000 submit date:2611160454 done date:2611160455 stat:UNDELIV err:7 Text: . . .',
    'IIIIIIIIII',
    'UNDELIVERABLE',
    '7',
    DONE,
  ],
  // From Kannel, with seconds.
  [
    'id:4f1c0a2e-77 sub:001 dlvrd:001 submit date:261116045400 done date:261116045500 stat:DELIVRD err:000 text:',
    '4f1c0a2e-77',
    'DELIVERED',
    null,
    DONE,
  ],
  [
    'ID:AB SUB:1 DLVRD:0 DONE DATE:20261116045500 STAT:EXPIRED ERR:027',
    'AB',
    'EXPIRED',
    '027',
    DONE,
  ],
  ['id:7 done date:202611160455 stat:REJECTD err:1A', '7', 'REJECTED', '1A', DONE],
  [
    'id:7sub:001dlvrd:001submit date:2611160454done date:2611160455stat:DELIVRDerr:000',
    '7',
    'DELIVERED',
    null,
    DONE,
  ],
  [
    'id: 7, sub: 001, stat: FAILED, error: 34, donedate: 26-11-16 04:55',
    '7',
    'UNDELIVERABLE',
    '34',
    DONE,
  ],
  ['stat:ACCEPTD id:"7"', '7', 'ACCEPTED', null, null],
  ['id:7 status:DELIVERED done_date:2611160455', '7', 'DELIVERED', null, DONE],
  ['id:7 stat:2', '7', 'DELIVERED', null, null],
  ['id:7 stat:BUFFRED err:', '7', 'ENROUTE', null, null],
  ['id:7 stat:DELETED done date:2613160455', '7', 'DELETED', null, null],
  ['id:7 stat:GARBLED', '7', null, null, null],
  ['Hello, is this a receipt?', null, null, null, null],
  ['', null, null, null, null],
]

test('receipt texts are parsed in every known dialect', () => {
  for (const [text, id, state, error, doneAt] of DIALECTS) {
    const read = parseReceiptText(text)
    assert.deepEqual(
      [read.id, read.state, read.error, read.doneAt?.toISOString() ?? null],
      [id, state, error, doneAt],
      text,
    )
  }
})

test('dates are in the carrier’s time zone, and impossible dates are null', () => {
  assert.equal(parseReceiptDate('2611160455', -300)?.toISOString(), '2026-11-16T09:55:00.000Z')
  for (const written of ['', '26111604', '2613010000', '2602300000', '2611162500', 'yesterday']) {
    assert.equal(parseReceiptDate(written), null, written)
  }
})

function deliver(esmClass: number, text: string, tlvs: Tlv[] = [], dataCoding = 0) {
  const shortMessage = dataCoding === 8 ? Buffer.from(text, 'utf16le').swap16() : Buffer.from(text)
  return makePdu('deliver_sm', 1, { esmClass, shortMessage, dataCoding }, tlvs)
}

test('TLVs override the text, and the text fills the gaps', () => {
  const text = 'id:255 stat:EXPIRED err:027 done date:2611160455'
  const receipt = readReceipt(
    deliver(4, text, [
      makeStandardTlv('receiptedMessageId', 'abc-1'),
      makeStandardTlv('messageState', 5),
      makeStandardTlv('networkErrorCode', Buffer.from([3, 0, 27])),
    ]),
  )
  assert.equal(receipt.carrierIds[0], 'abc-1')
  assert.ok(receipt.carrierIds.includes('255'))
  assert.equal(receipt.state, 'UNDELIVERABLE')
  assert.equal(receipt.error, '027')
  assert.deepEqual(receipt.network, { type: 3, code: 27 })
  assert.equal(receipt.doneAt?.toISOString(), DONE)
})

test('a receipt is recognized without a text, in a payload, in UCS-2, and as data_sm', () => {
  const tlvs = [makeStandardTlv('receiptedMessageId', '9'), makeStandardTlv('messageState', 2)]
  assert.equal(readReceipt(deliver(4, '', tlvs)).state, 'DELIVERED')
  assert.equal(readReceipt(makePdu('data_sm', 1, { esmClass: 4 }, tlvs)).carrierIds[0], '9')
  assert.equal(readReceipt(deliver(4, 'id:9 stat:DELIVRD', [], 8)).state, 'DELIVERED')
  const payload = makeStandardTlv('messagePayload', Buffer.from('id:9 stat:DELIVRD'))
  assert.equal(readReceipt(deliver(4, '', [payload])).state, 'DELIVERED')
})

test('an inbound message is never a receipt, whatever it looks like', () => {
  const text = 'id:9 stat:DELIVRD err:000'
  assert.equal(isReceipt(deliver(0, text)), false)
  assert.equal(isReceipt(deliver(0x40, text)), false)
  assert.equal(isReceipt(deliver(0x08, text)), false)
  assert.equal(isReceipt(deliver(0x04, text)), true)
  assert.equal(isReceipt(deliver(0x44, text)), true)
  assert.equal(isReceipt(deliver(0x20, text)), true)
  const id = makeStandardTlv('receiptedMessageId', '9')
  assert.equal(isReceipt(deliver(0, text, [id])), true)
  assert.equal(isReceipt(deliver(0, '', [id, makeStandardTlv('messageState', 2)])), true)
})

test('an inbound message with only an id TLV, as sent by drive_smpp, is not a receipt', () => {
  const id = makeStandardTlv('receiptedMessageId', 'receipted_message_id')
  assert.equal(isReceipt(deliver(0, '17', [id])), false)
  assert.equal(isReceipt(deliver(0, 'STOP', [makeStandardTlv('receiptedMessageId', '')])), false)
})

test('an id matches in hex and decimal, with other leading zeros, and in another case', () => {
  for (const [answered, receipted] of [
    ['41394', 'A1B2'],
    ['0000A1B2', '41394'],
    ['a1b2', '0000041394'],
    ['A1B2', 'a1b2'],
    ['123456', '0000123456'],
    ['0000123456', '123456'],
    ['270544960', '10203040'],
    ['4F1C-77', '4f1c-77'],
    ['9223372036854775807', '7fffffffffffffff'],
  ] as const) {
    assert.ok(idCandidates(receipted).includes(answered), `${receipted} → ${answered}`)
    assert.equal(idCandidates(receipted)[0], receipted)
  }
  assert.deepEqual(idCandidates(' '), [])
})

test('a link with configured id forms uses one spelling for both', () => {
  assert.equal(normalId('0000A1B2', 'hex'), normalId('0000041394', 'decimal'))
  assert.equal(normalId(' x-1 ', 'hex'), 'x-1')
  assert.equal(normalId('007', 'as_written'), '007')
})

test('any bytes parse without an error', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 120 }), fc.nat(255), (text, dataCoding) => {
      const { carrierIds } = readReceipt(deliver(4, `id:${text}`, [], dataCoding))
      assert.ok(carrierIds.length < 20)
    }),
  )
})
