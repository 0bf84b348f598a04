// What is stored with a message about its submit, and which receipts it requests.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../kit/ids.js'
import {
  isWanted,
  metadataOf,
  type Origin,
  originOf,
  partId,
  setOfPart,
} from './receipt-request.js'

const SET = newId('prt', new Date('2026-11-15T12:00:00.000Z'))

test('the stored origin of a submit is read back unchanged', () => {
  const origins: Origin[] = [
    { systemId: 'lc1', receipt: 0, reference: null, set: null },
    { systemId: 'lc1', receipt: 0x11, reference: 0, set: null },
    {
      systemId: 'lc1',
      receipt: 1,
      reference: 65_535,
      set: {
        id: SET,
        parts: [
          { sequence: 1, flags: 1 },
          { sequence: 12, flags: 2 },
        ],
      },
    },
  ]
  for (const origin of origins) assert.deepEqual(originOf(metadataOf(origin)), origin)
  const parts = [
    { sequence: 1, flags: 0 },
    { sequence: 2, flags: 0 },
  ]
  const silent = metadataOf({ ...origins[0]!, set: { id: SET, parts } })
  assert.deepEqual(silent, { smpp: 'lc1' }, 'no receipt was requested')
})

test('metadata that a customer wrote themselves does no harm', () => {
  assert.equal(originOf({ order: '1' }), null)
  const odd = { smpp: 'lc1', smppReceipt: '999', smppReference: 'x', smppParts: 'a b=c' }
  assert.deepEqual(originOf(odd), {
    systemId: 'lc1',
    receipt: 0,
    reference: null,
    set: { id: 'a', parts: [{ sequence: Number.NaN, flags: 0 }] },
  })
})

test('a part id contains the id of its set, and other ids do not', () => {
  assert.equal(setOfPart(partId(SET, 3)), SET)
  for (const id of ['', SET, `${SET}-`, `${SET}-x`, 'msg_1-1', `${SET}-1234`]) {
    assert.equal(setOfPart(id), null, id)
  }
})

test('the two low bits request final receipts, and the fifth bit intermediate ones', () => {
  const wanted = (flags: number) =>
    (['success', 'failure', 'intermediate'] as const).filter((news) => isWanted(flags, news))
  assert.deepEqual(wanted(0), [])
  assert.deepEqual(wanted(1), ['success', 'failure'])
  assert.deepEqual(wanted(2), ['failure'])
  assert.deepEqual(wanted(3), ['success'])
  assert.deepEqual(wanted(0x10), ['intermediate'])
  assert.deepEqual(wanted(0x11), ['success', 'failure', 'intermediate'])
})
