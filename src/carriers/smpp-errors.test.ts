// SMPP statuses and receipt codes mapped to our codes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STATUS, type StatusName } from '../smpp/pdu/status.js'
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

test('statuses that make a bind useless put it down, and temporary ones ask for a retry', () => {
  const namesOf = (kind: string) =>
    (Object.keys(STATUS) as StatusName[]).filter(
      (name) => statusMeaning(STATUS[name].code).kind === kind,
    )
  assert.deepEqual(namesOf('sent'), ['ESME_ROK'])
  assert.deepEqual(namesOf('down').toSorted(), [
    'ESME_RALYBND',
    'ESME_RBINDFAIL',
    'ESME_RINVBNDSTS',
    'ESME_RINVPASWD',
    'ESME_RINVSYSID',
    'ESME_RINVSYSTYP',
  ])
  assert.deepEqual(namesOf('slow_down').toSorted(), [
    'ESME_RMSGQFUL',
    'ESME_RSERTYPUNAVAIL',
    'ESME_RSYSERR',
    'ESME_RTHROTTLED',
    'ESME_RX_T_APPN',
  ])
})

test('a vague refusal concerns the link, unless it is about the message or the link’s settings name it', () => {
  const failures = (Object.keys(STATUS) as StatusName[]).flatMap((name) => {
    const meaning = statusMeaning(STATUS[name].code)
    return meaning.kind === 'failed' ? [{ name, ...meaning }] : []
  })
  const about = (concerns: string | undefined) =>
    failures.filter((one) => one.concerns === concerns).map(({ name }) => name)
  assert.deepEqual(about(undefined).toSorted(), [
    'ESME_RDELIVERYFAILURE',
    'ESME_RINVDSTADR',
    'ESME_RINVMSGLEN',
    'ESME_RX_P_APPN',
    'ESME_RX_R_APPN',
  ])
  assert.deepEqual(about('sender'), ['ESME_RINVSRCADR'])
  assert.equal(about('link').length, failures.length - 6)
  for (const { name, errorCode, concerns } of failures) {
    const isVague = errorCode === 1375 || errorCode === 1499
    if (concerns === 'link') assert.ok(isVague, name)
  }
  for (const [meaning, concerns] of [
    [1375, undefined],
    [1499, undefined],
    [1345, 'sender'],
  ] as const) {
    const codes = { statuses: new Map([[0x456, meaning]]) }
    const failed = statusMeaning(0x456, codes)
    assert.equal(failed.kind === 'failed' && failed.concerns, concerns)
  }
  const sent = new Map([[0x45, 'slow_down' as const]])
  assert.deepEqual(statusMeaning(0x45, { statuses: sent }), { kind: 'slow_down' })
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

test('each error of a GSM network has its meaning, and an unknown one follows the state', () => {
  for (const [errorCode, codes] of [
    [1350, [1, 5, 9, 11, 12]],
    [1380, [6, 27, 31, 32, 33]],
    [1375, [13, 21]],
    [1499, [0, 2, 4, 7, 8, 10, 14, 20, 22, 26, 28, 30, 34]],
  ] as const) {
    for (const code of codes) {
      const meaning = receiptMeaning({ ...RECEIPT, network: { type: 3, code } })
      assert.equal(meaning?.errorCode, errorCode, String(code))
    }
  }
  for (const type of [0, 1, 2, 4, 6, 8]) {
    const meaning = receiptMeaning({ ...RECEIPT, network: { type, code: 1 } })
    assert.equal(meaning?.errorCode, 1499, `network type ${type}`)
  }
})

test('each final state fails with its own error, unless the receipt has a better one', () => {
  for (const [state, errorCode] of [
    ['EXPIRED', 1380],
    ['DELETED', 1375],
    ['UNDELIVERABLE', 1499],
    ['REJECTED', 1375],
    ['SKIPPED', 1375],
  ] as const) {
    assert.equal(receiptMeaning({ ...RECEIPT, state })?.errorCode, errorCode, state)
    const better = { ...RECEIPT, state, network: { type: 3, code: 1 } }
    assert.equal(receiptMeaning(better)?.errorCode, 1350, state)
  }
  const codes = {
    statuses: new Map([[0x58, 1370 as const]]),
    receiptErrors: new Map([['470', 1320 as const]]),
  }
  const both = { ...RECEIPT, error: '470', network: { type: 3, code: 1 } }
  assert.equal(receiptMeaning(both, codes)?.errorCode, 1320, 'the link’s own code wins')
  assert.equal(receiptMeaning({ ...both, error: '471' }, codes)?.errorCode, 1350)
  const own = { ...RECEIPT, network: { type: 7, code: 0x58 } }
  assert.equal(receiptMeaning(own, codes)?.errorCode, 1370, 'its own statuses, too')
})

test('a receipt with an unknown outcome leaves the message sent, with the carrier’s code', () => {
  const unknown = { ...RECEIPT, state: 'UNKNOWN' as const }
  const sent = { status: 'SENT', errorCode: null, isUnconfirmed: true }
  assert.deepEqual(receiptMeaning(unknown), { ...sent, carrierCode: 'UNKNOWN' })
  const network = { type: 3, code: 27 }
  assert.deepEqual(receiptMeaning({ ...unknown, network }), {
    ...sent,
    carrierCode: 'UNKNOWN 3:27',
  })
  const both = receiptMeaning({ ...unknown, network, error: '099' })
  assert.deepEqual(both, { ...sent, carrierCode: 'UNKNOWN 099' })
})

test('an intermediate receipt, or one without a status, ends no message', () => {
  for (const state of ['ENROUTE', 'ACCEPTED', 'SCHEDULED', null] as const) {
    assert.equal(receiptMeaning({ ...RECEIPT, state }), null)
  }
})
