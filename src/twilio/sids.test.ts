// Our IDs as Twilio's, and back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { newId } from '../kit/ids.js'
import { idOfSid, messageIdOf, messageSid, numberOfSid, numberSid, sidOf } from './sids.js'

test('an ID is the same after both conversions, and SIDs keep the order of IDs', () => {
  const id = 'msg_01km3v9w8m0000pqv3t5x7z9bd'
  assert.equal(messageSid({ id, type: 'SMS' }), 'SM019d07b4f11400000b5f63d17a7fa56d')
  fc.assert(
    fc.property(fc.nat(2 ** 31 - 1), fc.nat(2 ** 31 - 1), (a, b) => {
      const ids = [a, b].map((ms) => newId('cmp', new Date(ms * 1000)))
      const sids = ids.map((one) => sidOf('MG', one))
      for (const sid of sids) assert.match(sid, /^MG[0-9a-f]{32}$/)
      assert.deepEqual(
        sids.map((sid) => idOfSid('cmp', ['MG'], sid)),
        ids,
      )
      assert.equal(ids[0]! < ids[1]!, sids[0]! < sids[1]!)
    }),
  )
})

test('a message has either prefix, and other texts are no SIDs', () => {
  const hex = '019d07b4f11400000b5f63d17a7fa56d'
  assert.equal(messageIdOf(`SM${hex}`), messageIdOf(`MM${hex.toUpperCase()}`))
  for (const text of [
    '',
    hex,
    `MG${hex}`,
    `SM${hex}0`,
    `SM${hex.slice(1)}`,
    `SM${'g'.repeat(32)}`,
  ]) {
    assert.equal(messageIdOf(text), null, text)
  }
})

test('a number is its own SID', () => {
  assert.equal(numberSid('+14155550123'), 'PN00000000000000000000014155550123')
  assert.equal(numberOfSid('PN00000000000000000000014155550123'), '+14155550123')
  assert.equal(numberOfSid('PN00000000000000000000024155550123'), null)
})
