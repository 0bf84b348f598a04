// SMPP statuses and receipt codes mapped to our codes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SmppReceipt } from '../smpp/receipt.js'
import { receiptMeaning, statusMeaning } from './smpp-errors.js'

const RECEIPT: SmppReceipt = {
  writtenIds: ['1'],
  carrierIds: ['1'],
  state: 'UNDELIVERABLE',
  error: null,
  network: null,
  submittedAt: null,
  doneAt: null,
  quoted: null,
  reference: null,
}

test('a status means that the message was accepted, can be retried, or failed with a reason', () => {
  assert.deepEqual(statusMeaning(0x00), { kind: 'sent' })
  for (const status of [0x58, 0x14, 0x08, 0x64]) {
    assert.deepEqual(statusMeaning(status), { kind: 'slow_down' }, String(status))
  }
  assert.deepEqual(statusMeaning(0x04), { kind: 'down' })
  for (const [status, errorCode, carrierCode, concerns] of [
    [0x01, 1375, 'ESME_RINVMSGLEN', null],
    [0x0a, 1345, 'ESME_RINVSRCADR', 'sender'],
    [0x0b, 1350, 'ESME_RINVDSTADR', null],
    [0x43, 1375, 'ESME_RINVESMCLASS', 'link'],
    [0x45, 1375, 'ESME_RSUBMITFAIL', 'link'],
    [0xff, 1499, 'ESME_RUNKNOWNERR', 'link'],
    [0x456, 1499, '0x456', 'link'],
  ] as const) {
    const failed = { kind: 'failed', errorCode, carrierCode, ...(concerns && { concerns }) }
    assert.deepEqual(statusMeaning(status), failed)
  }
})

test('a link can configure the meaning of its carrier’s own statuses and codes', () => {
  const codes = {
    statuses: new Map([[0x456, 1370 as const]]),
    receiptErrors: new Map([['470', 1370 as const]]),
  }
  const failed = { kind: 'failed', errorCode: 1370, carrierCode: '0x456' }
  assert.deepEqual(statusMeaning(0x456, codes), failed)
  assert.equal(receiptMeaning({ ...RECEIPT, error: '470' }, codes)?.errorCode, 1370)
})

test('a receipt gives the final status of a message and the reason', () => {
  for (const [receipt, errorCode, carrierCode] of [
    [{ state: 'DELIVERED', error: '1' }, null, null],
    [{ state: 'EXPIRED' }, 1380, 'EXPIRED'],
    [{ state: 'REJECTED', error: '12' }, 1375, 'REJECTED 12'],
    [{ network: { type: 3, code: 1 } }, 1350, 'UNDELIVERABLE 3:1'],
    [{ network: { type: 3, code: 27 } }, 1380, 'UNDELIVERABLE 3:27'],
    [{ network: { type: 3, code: 999 } }, 1499, 'UNDELIVERABLE 3:999'],
    [{ network: { type: 7, code: 0x0b } }, 1350, 'UNDELIVERABLE 7:11'],
    [{ network: { type: 7, code: 0x58 } }, 1499, 'UNDELIVERABLE 7:88'],
    [{}, 1499, 'UNDELIVERABLE'],
  ] as const) {
    const meaning = receiptMeaning({ ...RECEIPT, ...receipt })
    assert.deepEqual([meaning?.errorCode, meaning?.carrierCode], [errorCode, carrierCode])
  }
})

test('an intermediate receipt, or one without a status, ends no message', () => {
  for (const state of ['ENROUTE', 'ACCEPTED', 'SCHEDULED', null] as const) {
    assert.equal(receiptMeaning({ ...RECEIPT, state }), null)
  }
})
