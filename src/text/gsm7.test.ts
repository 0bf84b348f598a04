// The alphabet against the published tables, and its bytes against known messages.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  decodeGsm7,
  encodeGsm7,
  GSM7_CHARACTERS,
  isGsm7,
  packSeptets,
  septetsOf,
  unpackSeptets,
} from './gsm7.js'

const gsm7Text = fc.string({
  unit: fc.constantFrom(...GSM7_CHARACTERS),
  maxLength: 400,
  size: 'max',
})
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

test('the alphabet has 127 basic and 10 extended characters, each once', () => {
  assert.equal(new Set(GSM7_CHARACTERS).size, 137)
  assert.equal(GSM7_CHARACTERS.filter((character) => septetsOf(character) === 2).length, 10)
})

test('septets are those of TS 23.038', () => {
  for (const [text, bytes] of [
    ['@', '00'],
    ['$', '02'],
    ['Ç', '09'],
    ['\n\r', '0a0d'],
    ['_', '11'],
    ['ΔΦΓΛΩΠΨΣΘΞ', '1012131415161718191a'],
    ['ÆæßÉ', '1c1d1e1f'],
    ['¤', '24'],
    ['¡A', '4041'],
    ['ÄÖÑÜ§¿', '5b5c5d5e5f60'],
    ['äöñüà', '7b7c7d7e7f'],
    ['\f^{}\\[~]|€', '1b0a1b141b281b291b2f1b3c1b3d1b3e1b401b65'],
  ] as const) {
    assert.equal(hex(encodeGsm7(text)), bytes, text)
  }
})

test('back-tick, tab, and lowercase letters with acute do not fit', () => {
  for (const text of ['`', '\t', 'ç', 'á', 'í', 'ó', 'ú', '’', '\x1b', '\uffff', '😀']) {
    assert.equal(isGsm7(text), false, JSON.stringify(text))
    assert.equal(septetsOf(`a${text}`), null)
    assert.throws(() => encodeGsm7(text), RangeError)
  }
})

test('encoded text decodes to itself, packed or not, after a header or not', () => {
  fc.assert(
    fc.property(gsm7Text, fc.integer({ min: 0, max: 6 }), (text, fillBits) => {
      const septets = encodeGsm7(text)
      assert.equal(septets.length, septetsOf(text))
      assert.equal(decodeGsm7(septets), text)

      const packed = packSeptets(septets, fillBits)
      assert.equal(packed.length, Math.ceil((septets.length * 7 + fillBits) / 8))
      assert.deepEqual([...unpackSeptets(packed, septets.length, fillBits)], [...septets])
    }),
  )
})

test('hellohello packs to its well-known bytes', () => {
  assert.equal(hex(packSeptets(encodeGsm7('hellohello'))), 'e8329bfd4697d9ec37')
})

test('bytes with fewer septets than declared are refused', () => {
  assert.throws(() => unpackSeptets(new Uint8Array(7), 9), RangeError)
})

test('invalid bytes still decode to something', () => {
  for (const [bytes, text] of [
    [[0x41, 0x1b], 'A '],
    [[0x1b, 0x1b, 0x41], ' A'],
    [[0x1b, 0x41], 'A'],
    [[0x41, 0x92, 0x42], 'A\ufffdB'],
    [[0x1b, 0xff], '\ufffd'],
  ] as const) {
    assert.equal(decodeGsm7(Uint8Array.from(bytes)), text)
  }
})
