// Receipts that we write: as in the specification, and as our own parser reads them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageState } from './message-state.js'
import { makePdu } from './pdu/pdu.js'
import { isReceipt, readReceipt } from './receipt.js'
import { parseReceiptText } from './receipt-text.js'
import { writeReceipt } from './write-receipt.js'

const RECEIPT = {
  messageId: 'msg_1',
  state: 'UNDELIVERABLE',
  error: 27,
  submittedAt: new Date('2026-11-16T05:00:30.000Z'),
  doneAt: new Date('2026-11-16T05:01:00.000Z'),
  text: 'Hello [you] and all the rest',
} as const

test('a receipt has the format of the specification', () => {
  assert.equal(
    writeReceipt(RECEIPT).shortMessage.toString(),
    'id:msg_1 sub:001 dlvrd:000 submit date:2611160500 done date:2611160501 stat:UNDELIV err:027 text:Hello ?you? and all ',
  )
})

test('the TLVs and the text of a receipt have the same content', () => {
  const states: MessageState[] = [
    'ENROUTE',
    'DELIVERED',
    'EXPIRED',
    'DELETED',
    'UNDELIVERABLE',
    'ACCEPTED',
    'UNKNOWN',
    'REJECTED',
  ]
  for (const state of states) {
    const { tlvs, ...body } = writeReceipt({ ...RECEIPT, state })
    const pdu = makePdu('deliver_sm', 1, body, tlvs)
    assert.ok(isReceipt(pdu))
    const read = readReceipt(pdu)
    assert.deepEqual(
      [read.carrierIds[0], read.state, read.error, read.doneAt],
      ['msg_1', state, '027', RECEIPT.doneAt],
    )
    const byText = parseReceiptText(body.shortMessage.toString('latin1'))
    assert.deepEqual([byText.id, byText.state], ['msg_1', state])
  }
})
