// Texts over SMPP: split texts join to the original in every alphabet and style, and part information from peers is
// read wherever they put it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { GSM7_CHARACTERS } from '../../text/gsm7.js'
import { measureText } from '../../text/segments.js'
import { makePdu, type PduOf } from '../pdu/pdu.js'
import { makeStandardTlv, standardTlv } from '../pdu/tlv.js'
import { type Alphabet, decodeText, encodeText } from './alphabet.js'
import { alphabetOf, type Coding, chooseCoding, USUAL_CODINGS } from './data-coding.js'
import { readMessage } from './read-message.js'
import { type LongStyle, type MessagePart, splitMessage } from './split-message.js'
import { readHeader } from './user-data-header.js'

const STYLES: readonly LongStyle[] = ['udh8', 'udh16', 'sar', 'payload']
const ALPHABETS: readonly Alphabet[] = ['gsm7', 'gsm7-packed', 'ascii', 'latin1', 'ucs2']

const units: Record<Alphabet, fc.Arbitrary<string>> = {
  gsm7: fc.constantFrom(...GSM7_CHARACTERS),
  // A final `@` cannot be distinguished from padding.
  'gsm7-packed': fc.constantFrom(...GSM7_CHARACTERS.filter((character) => character !== '@')),
  ascii: fc.integer({ min: 1, max: 0x7f }).map((code) => String.fromCharCode(code)),
  latin1: fc.integer({ min: 1, max: 0xff }).map((code) => String.fromCharCode(code)),
  ucs2: fc.constantFrom('a', '€', 'ж', '😀', '漢', '\u200d'),
}

function delivered({ esmClass, dataCoding, shortMessage, tlvs }: MessagePart): PduOf<'deliver_sm'> {
  return makePdu('deliver_sm', 1, { esmClass, dataCoding, shortMessage }, tlvs)
}

test('a split text joins to the original in any order, alphabet, and style', () => {
  for (const alphabet of ALPHABETS) {
    const text = fc.string({ unit: units[alphabet], maxLength: 900, size: 'max' })
    fc.assert(
      fc.property(text, fc.constantFrom(...STYLES), fc.nat(0xffff), (text, style, reference) => {
        const coding = { alphabet, dataCoding: 0xf5 }
        const parts = splitMessage(text, coding, style, reference)
        const read = parts.map(delivered).map((pdu) => readMessage(pdu, [coding]))
        read.reverse().sort((a, b) => (a.part?.sequence ?? 0) - (b.part?.sequence ?? 0))
        assert.equal(read.map((message) => message.text).join(''), text)
        for (const [i, { part }] of read.entries()) {
          const said = style === 'udh8' ? reference & 0xff : reference
          const facts = { reference: said, total: parts.length, sequence: i + 1 }
          assert.deepEqual(part, parts.length === 1 ? null : facts)
        }
      }),
      { numRuns: 150 },
    )
  }
})

test('no part exceeds an SMS, and no surrogate pair is split', () => {
  const text = fc.string({ unit: units.ucs2, minLength: 71, maxLength: 600, size: 'max' })
  fc.assert(
    fc.property(text, fc.constantFrom('udh8', 'udh16'), (text, style) => {
      const coding = { alphabet: 'ucs2', dataCoding: 8 } as const
      for (const part of splitMessage(text, coding, style, 1)) {
        assert.ok(part.shortMessage.length <= 140)
        assert.equal(readMessage(delivered(part), [coding]).text!.isWellFormed(), true)
      }
    }),
    { numRuns: 100 },
  )
  for (const [alphabet, style, lengths] of [
    ['gsm7', 'udh8', [159, 159, 16]],
    ['gsm7', 'udh16', [159, 159, 19]],
    ['gsm7-packed', 'udh8', [140, 140, 15]],
    ['gsm7-packed', 'udh16', [140, 140, 18]],
    ['gsm7', 'sar', [153, 153, 10]],
    ['latin1', 'udh8', [140, 140, 54]],
    ['ucs2', 'udh8', [140, 140, 140, 140, 102]],
    ['ucs2', 'udh16', [139, 139, 139, 139, 111]],
  ] as const) {
    const parts = splitMessage('a'.repeat(316), { alphabet, dataCoding: 0 }, style, 7)
    const found = parts.map(({ shortMessage }) => shortMessage.length)
    assert.deepEqual(found, lengths, `${alphabet} ${style}`)
  }
})

test('a link with defaults sends as many parts as were counted for the message', () => {
  const text = fc.string({
    unit: fc.constantFrom(...GSM7_CHARACTERS.slice(-20), 'a', 'ж', '😀'),
    maxLength: 700,
    size: 'max',
  })
  fc.assert(
    fc.property(text, (text) => {
      const coding = chooseCoding(text, USUAL_CODINGS)!
      assert.equal(splitMessage(text, coding, 'udh8', 1).length, measureText(text).parts)
    }),
    { numRuns: 200 },
  )
})

test('encoded bytes match the specifications', () => {
  for (const [alphabet, text, bytes] of [
    ['gsm7', '@€[a', '001b651b3c61'],
    ['gsm7-packed', 'hellohello', 'e8329bfd4697d9ec37'],
    ['ascii', '@[a', '405b61'],
    ['latin1', 'é£', 'e9a3'],
    ['ucs2', 'é😀', '00e9d83dde00'],
  ] as const) {
    assert.equal(encodeText(alphabet, text).toString('hex'), bytes, alphabet)
    assert.equal(decodeText(alphabet, Buffer.from(bytes, 'hex')), text, alphabet)
  }
  const long = 'a'.repeat(161)
  const gsm7 = { alphabet: 'gsm7', dataCoding: 0 } as const
  const first = (style: LongStyle) => splitMessage(long, gsm7, style, 0x1234)[0]!
  assert.equal(first('udh8').shortMessage.subarray(0, 7).toString('hex'), '05000334020161')
  assert.equal(first('udh16').shortMessage.subarray(0, 8).toString('hex'), '0608041234020161')
  assert.equal(first('udh8').esmClass, 0x40)
  assert.equal(first('sar').esmClass, 0)
  assert.equal(standardTlv(first('sar').tlvs, 'sarMsgRefNum'), 0x1234)
  assert.equal(standardTlv(first('payload').tlvs, 'messagePayload')!.length, 161)
})

test('a data_coding is read by the link’s setting, or else by the specifications', () => {
  const latin1Default: Coding[] = [{ alphabet: 'latin1', dataCoding: 0 }]
  for (const [dataCoding, codings, alphabet] of [
    [0x00, USUAL_CODINGS, 'gsm7'],
    [0x00, [], 'gsm7'],
    [0x00, latin1Default, 'latin1'],
    [0x01, USUAL_CODINGS, 'ascii'],
    [0x03, USUAL_CODINGS, 'latin1'],
    [0x08, latin1Default, 'ucs2'],
    [0x04, USUAL_CODINGS, null],
    [0x05, USUAL_CODINGS, null],
    [0x10, USUAL_CODINGS, 'gsm7'],
    [0x10, latin1Default, 'latin1'],
    [0x18, USUAL_CODINGS, 'ucs2'],
    [0x14, USUAL_CODINGS, null],
    [0x20, USUAL_CODINGS, null],
    [0xc0, USUAL_CODINGS, 'gsm7'],
    [0xe0, USUAL_CODINGS, 'ucs2'],
    [0xf0, USUAL_CODINGS, 'gsm7'],
    [0xf5, USUAL_CODINGS, null],
    [0x90, USUAL_CODINGS, null],
  ] as const) {
    assert.equal(alphabetOf(dataCoding, codings), alphabet, dataCoding.toString(16))
  }
})

test('the first alphabet of the link that fits the text is used', () => {
  const codings: Coding[] = [
    { alphabet: 'ascii', dataCoding: 1 },
    { alphabet: 'latin1', dataCoding: 3 },
    { alphabet: 'ucs2', dataCoding: 8 },
  ]
  assert.equal(chooseCoding('plain', codings)?.dataCoding, 1)
  assert.equal(chooseCoding('ça', codings)?.dataCoding, 3)
  assert.equal(chooseCoding('€', codings)?.dataCoding, 8)
  assert.equal(chooseCoding('€', USUAL_CODINGS)?.dataCoding, 0)
  assert.equal(chooseCoding('ж', codings.slice(0, 2)), null)
})

test('part headers are found among other elements, and invalid ones are ignored', () => {
  const part = { reference: 0x12, total: 2, sequence: 1 }
  for (const [bytes, expected] of [
    ['05 0003 12 02 01', { length: 6, part }],
    ['06 0804 0012 02 01', { length: 7, part }],
    ['0b 0504 158a 158a 0003 12 02 01', { length: 12, part }],
    ['05 0003 12 02 03', { length: 6, part: null }],
    ['05 0003 12 02 00', { length: 6, part: null }],
    ['05 0009 12 02 01', { length: 6, part: null }],
    ['00', { length: 1, part: null }],
    ['05 0003 12', null],
    ['', null],
  ] as const) {
    assert.deepEqual(readHeader(Buffer.from(bytes.replaceAll(' ', ''), 'hex')), expected, bytes)
  }
})

test('payloads, data_sm, and broken headers are read', () => {
  const payload = makeStandardTlv('messagePayload', Buffer.from('hello'))
  assert.deepEqual(readMessage(makePdu('data_sm', 1, {}, [payload]), []), {
    text: 'hello',
    part: null,
  })
  const header = { esmClass: 0x40, shortMessage: Buffer.from('\x7fhello') }
  assert.equal(readMessage(makePdu('deliver_sm', 1, header), []).part, null)
  assert.equal(readMessage(makePdu('deliver_sm', 1, { dataCoding: 4 }), []).text, null)
  const halves = [makeStandardTlv('sarMsgRefNum', 1), makeStandardTlv('sarTotalSegments', 2)]
  assert.equal(readMessage(makePdu('deliver_sm', 1, {}, halves), []).part, null)
})

test('GSM-7 with the data_coding of ASCII is decoded as GSM-7', () => {
  const read = (hex: string) => {
    const shortMessage = Buffer.from(hex, 'hex')
    return readMessage(makePdu('submit_sm', 1, { dataCoding: 1, shortMessage }), []).text
  }
  assert.equal(read('48691b651b281b291b14001e'), 'Hi€{}^@ß')
  assert.equal(read('48690d0a2440095f7b7d'), 'Hi\r\n$@\t_{}')
})

test('any bytes decode in any alphabet without an error', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.nat(255), fc.nat(255), (bytes, esmClass, dataCoding) => {
      const shortMessage = Buffer.from(bytes)
      for (const alphabet of ALPHABETS) {
        const codings = [{ alphabet, dataCoding }]
        readMessage(makePdu('deliver_sm', 1, { esmClass, dataCoding, shortMessage }), codings)
      }
    }),
    { numRuns: 500 },
  )
})
