// Numbers and times on the wire, and back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addressOf, numberOf } from './address.js'
import { absoluteTime, readTime, relativeTime } from './time.js'

const NOW = new Date('2026-11-16T05:00:00.000Z')

test('numbers have the type and plan that carriers expect', () => {
  for (const [sender, ton, npi, digits] of [
    ['+14152004000', 1, 1, '14152004000'],
    ['14152004000', 1, 1, '14152004000'],
    ['72345', 3, 0, '72345'],
    ['ACME', 5, 0, 'ACME'],
  ] as const) {
    assert.deepEqual(addressOf(sender), { ton, npi, digits })
  }
})

test('an incoming number is converted to E.164 from every format', () => {
  for (const [ton, digits, number] of [
    [1, '14155550123', '+14155550123'],
    [1, '+14155550123', '+14155550123'],
    [0, '4155550123', '+14155550123'],
    [2, '4155550123', '+14155550123'],
    [0, '01114155550123', '+14155550123'],
    [0, '00442079460000', '+442079460000'],
    [3, '72345', '72345'],
    [5, 'ACME', 'ACME'],
    [0, '', ''],
  ] as const) {
    assert.equal(numberOf({ ton, npi: 1, digits }), number, digits)
  }
})

test('a validity keeps its length, up to the maximum of the format', () => {
  assert.equal(relativeTime(3_600), '000000010000000R')
  assert.equal(relativeTime(4 * 86_400 + 61), '000004000101000R')
  assert.equal(relativeTime(1e9), '000203000000000R')
  assert.equal(relativeTime(0), '000000000001000R')
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 63 * 86_400 }), (seconds) => {
      const end = readTime(relativeTime(seconds), NOW)!
      assert.equal(end.getTime() - NOW.getTime(), seconds * 1_000)
    }),
  )
})

test('absolute times are read with their offset, and invalid ones are null', () => {
  assert.equal(absoluteTime(NOW), '261116050000000+')
  assert.deepEqual(readTime(absoluteTime(NOW), NOW), NOW)
  assert.deepEqual(readTime('261116000000020-', NOW), NOW)
  assert.deepEqual(readTime('261116063000006+', NOW), NOW)
  for (const text of ['', '261116', '261116050000000X']) assert.equal(readTime(text, NOW), null)
})
