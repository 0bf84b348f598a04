// Which texts are numbers, which numbers can exist, and how they are shown.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isValidPhoneNumber, parsePhoneNumber } from 'libphonenumber-js/max'
import {
  areaCodeOf,
  canExist,
  digitsToE164,
  formatNumber,
  isAreaCode,
  isE164,
  isTollFree,
  numberProblem,
  pathNumberProblem,
} from './phone-number.js'

test('a number is a plus, a one, and ten digits, and nothing around them', () => {
  assert.equal(isE164('+14155550123'), true)
  for (const text of [
    '',
    '14155550123',
    '+1415555012',
    '+141555501234',
    '+44155550123',
    '+1 4155550123',
    '+1415555012٣',
    '+14155550123\n',
    ' +14155550123',
  ]) {
    assert.equal(isE164(text), false, JSON.stringify(text))
  }
})

test('a number of another country is distinguished from an invalid one', () => {
  const only = 'is not a +1 number: only +1 numbers can be messaged'
  for (const text of ['+442071234567', ' 442071234567', '+33123456789', '+861012345678']) {
    assert.equal(numberProblem(text), only, text)
  }
  for (const text of [
    '442071234567',
    '+1415555012',
    '+0123456789',
    '+44',
    '+44 20 7123',
    ' 4155550123',
    null,
    7,
  ]) {
    assert.match(numberProblem(text), /^must be a phone number in E\.164 form/, String(text))
  }
  for (const text of ['442071234567', '+442071234567']) {
    assert.equal(pathNumberProblem(text), `The number in the path ${only}`)
  }
  assert.match(pathNumberProblem('4155550123'), /path must be a phone number in E\.164 form/)
})

test('numbers that the numbering plan rules out cannot exist', () => {
  for (const [number, why] of [
    ['+10155552345', 'area codes start with 2 to 9'],
    ['+11235552345', 'area codes start with 2 to 9'],
    ['+19115552345', 'N11 is a short service'],
    ['+12905552345', 'N9X is reserved'],
    ['+13705552345', '37X is reserved'],
    ['+19605552345', '96X is reserved'],
    ['+14150552345', 'exchanges start with 2 to 9'],
    ['+14151552345', 'exchanges start with 2 to 9'],
    ['+14159112345', 'an exchange is not N11'],
    ['4155552345', 'not E.164'],
  ] as const) {
    assert.equal(canExist(number), false, `${number}: ${why}`)
  }
})

test('every sandbox recipient exists, whatever its area code', () => {
  for (const areaCode of ['415', '212', '555', '999']) {
    for (let last = 0; last < 100; last++) {
      const number = `+1${areaCode}55501${String(last).padStart(2, '0')}`
      assert.equal(canExist(number), true, number)
    }
  }
})

test('every number that libphonenumber calls valid can exist, except N11 exchanges', () => {
  let valid = 0
  for (let areaCode = 200; areaCode < 1000; areaCode++) {
    for (const exchange of ['200', '234', '345', '456', '567', '678', '789', '890', '999']) {
      const number = `+1${areaCode}${exchange}4567`
      if (!isValidPhoneNumber(number)) continue
      valid += 1
      assert.equal(canExist(number), true, number)
    }
  }
  assert.ok(valid > 3000, 'the loop tested real numbers')
})

test('toll-free codes match libphonenumber plus the reserved 822', () => {
  for (let areaCode = 200; areaCode < 1000; areaCode++) {
    const number = `+1${areaCode}2345678`
    const expected = areaCode === 822 || parsePhoneNumber(number).getType() === 'TOLL_FREE'
    assert.equal(isTollFree(number), expected, number)
  }
})

test('an area code is three digits that the plan can assign', () => {
  for (const text of ['415', '800', '201', '989']) assert.equal(isAreaCode(text), true, text)
  for (const text of ['', '41', '4155', '115', '911', '390', '370', '4 5']) {
    assert.equal(isAreaCode(text), false, text)
  }
})

test('numbers are formatted as (415) 555-0123', () => {
  assert.equal(formatNumber('+14155550123'), '(415) 555-0123')
  assert.equal(formatNumber('SHORT'), 'SHORT')
  assert.equal(areaCodeOf('+14155550123'), '415')
})

test('a path accepts the digits with or without the plus, and nothing else', () => {
  assert.equal(digitsToE164('14155550123'), '+14155550123')
  assert.equal(digitsToE164('+14155550123'), '+14155550123')
  for (const text of ['', '4155550123', '++14155550123', '24155550123', '1415555012x', '1415']) {
    assert.equal(digitsToE164(text), null, text)
  }
})
