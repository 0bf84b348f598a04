// Values of a carrier's own TLVs: every format written, and networks and IDs read as text or as numbers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readNetwork, readTlvText, writeTlvValue } from './tlv-values.js'

const TAG = 0x1500
const tlv = (...bytes: number[]) => [{ tag: TAG, value: Buffer.from(bytes) }]
const text = (value: string) => [{ tag: TAG, value: Buffer.from(value, 'latin1') }]

test('a value is written in its format, as text, a number of its width, or bytes', () => {
  for (const [format, value, bytes] of [
    ['cstring', 'abc', [0x61, 0x62, 0x63, 0]],
    ['cstring', '', [0]],
    ['text', 'aé', [0x61, 0xe9]],
    ['hex', '00fF', [0, 0xff]],
    ['int1', '0', [0]],
    ['int1', '255', [255]],
    ['int2', '258', [1, 2]],
    ['int2', '65535', [0xff, 0xff]],
    ['int4', '16909060', [1, 2, 3, 4]],
    ['int4', '4294967295', [0xff, 0xff, 0xff, 0xff]],
  ] as const) {
    assert.deepEqual([...writeTlvValue(format, value)], bytes, `${format} ${value}`)
  }
  for (const [format, value] of [
    ['int1', '256'],
    ['int2', '65536'],
    ['int4', '4294967296'],
    ['int1', '-1'],
  ] as const) {
    assert.throws(() => writeTlvValue(format, value), RangeError, `${format} ${value}`)
  }
})

test('a network is read as text first, then as a number of one to four bytes', () => {
  const networks = new Map([
    ['ATT', 'att'],
    ['7', 'tmo'],
    ['16909060', 'vzw'],
    ['1', 'vzw'],
  ] as const)
  const setting = { tag: TAG, networks }
  for (const [tlvs, network] of [
    [text('ATT'), 'att'],
    [text(' ATT \0after'), 'att'],
    [text('7'), 'tmo'],
    [tlv(7), 'tmo'],
    [tlv(0, 7), 'tmo'],
    [tlv(1, 2, 3, 4), 'vzw'],
    [tlv(0, 0, 0, 0, 1), null], // five bytes are no number
    [text('ATTX'), null],
    [tlv(8), null],
    [text('something else'), null],
    [text(''), undefined], // the carrier sent none
    [[{ tag: TAG + 1, value: Buffer.from('ATT') }], undefined],
    [[], undefined],
  ] as const) {
    assert.equal(readNetwork(tlvs, setting), network, JSON.stringify(tlvs))
  }
  assert.equal(readNetwork(text('ATT'), null), undefined, 'the link has no setting for it')
  const second = [...text('first'), ...text('ATT')]
  assert.equal(readNetwork(second, setting), null, 'the first of two with the same tag counts')
})

test('an ID is text up to its NUL if it is printable, hex otherwise, and null if it is empty', () => {
  for (const [tlvs, id] of [
    [text('in-7'), 'in-7'],
    [text('in-7\0rest'), 'in-7'],
    [text('  in 7 '), 'in 7'],
    [text('~'), '~'],
    [text('a\x7f'), '617f'],
    [text('a\x1fb'), '611f62'],
    [text('é'), 'e9'],
    [tlv(0, 1, 0xff), '0001ff'],
    [tlv(0), '00'],
    [text(''), null],
    [[], null],
    [[{ tag: TAG + 1, value: Buffer.from('x') }], null],
  ] as const) {
    assert.equal(readTlvText(tlvs, TAG), id, JSON.stringify(tlvs))
  }
  assert.equal(readTlvText(text('in-7'), null), null, 'the link has no setting for it')
})
