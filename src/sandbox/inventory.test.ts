// The sandbox's inventory: the same plausible numbers on every machine, for every area code except a few that are
// empty on purpose.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { AREA_CODES } from '../numbers/area-codes.js'
import { areaCodesNear, findAreaCode } from '../numbers/nearby.js'
import { canExist, isTollFree } from '../text/phone-number.js'
import { inventoryNumbers, SOLD_OUT_AREA_CODES, UNLISTED_AREA_CODES } from './inventory.js'

const ALL = [...inventoryNumbers()]
const LOCAL = ALL.filter(({ number }) => !isTollFree(number))

function countIn(code: string): number {
  return LOCAL.filter(({ areaCode }) => areaCode === code).length
}

test('every number is valid by our rules and by libphonenumber', () => {
  for (const { number } of ALL) {
    assert.ok(canExist(number), number)
    assert.equal(parsePhoneNumberFromString(number)?.isValid(), true, number)
  }
})

test('every number has the area code and location of its place', () => {
  for (const { number, areaCode, location } of LOCAL) {
    assert.equal(number.slice(2, 5), areaCode)
    assert.equal(location, findAreaCode(areaCode)?.location)
  }
})

test('no number is listed twice, fictional, or special', () => {
  assert.equal(new Set(ALL.map(({ number }) => number)).size, ALL.length)
  for (const { number } of LOCAL) assert.doesNotMatch(number.slice(5, 8), /^(555|950|976|.11)$/)
})

test('the numbers are the same every time, on every machine', () => {
  const text = [...inventoryNumbers()].map((row) => `${row.number} ${row.monthlyPriceMicros}`)
  assert.deepEqual(
    text,
    ALL.map((row) => `${row.number} ${row.monthlyPriceMicros}`),
  )
  // Changing this list changes what a running sandbox sells, so it should be a decision.
  assert.equal(
    createHash('sha256').update(text.join('\n')).digest('hex').slice(0, 16),
    '32a3648031083904',
  )
})

test('each area code in service has 20 numbers, spread over the lines', () => {
  for (const { code } of AREA_CODES) {
    const isEmpty = SOLD_OUT_AREA_CODES.has(code) || UNLISTED_AREA_CODES.has(code)
    assert.equal(countIn(code), isEmpty ? 0 : 20, code)
  }
  const thousands = new Set(
    LOCAL.filter(({ areaCode }) => areaCode === '415').map(({ number }) => number[8]),
  )
  assert.ok(thousands.size >= 8)
})

test('a sold-out area code has a stocked one nearby', () => {
  for (const code of SOLD_OUT_AREA_CODES) {
    assert.ok(findAreaCode(code), code)
    if (code === '907') assert.deepEqual(areaCodesNear(code), [], 'Alaska is far from all others')
    else assert.ok(areaCodesNear(code).slice(0, 3).some(countIn), code)
  }
})

test('the unlisted area codes are exactly those in service that libphonenumber does not know', () => {
  // Any exchange will do: if the library knows an area code, it knows one of these.
  const exchanges = ['226', '234', '254', '300', '633', '777']
  const unknown = AREA_CODES.map(({ code }) => code).filter((code) =>
    exchanges.every((n) => parsePhoneNumberFromString(`+1${code}${n}2468`)?.isValid() !== true),
  )
  assert.deepEqual(unknown, [...UNLISTED_AREA_CODES])
})

test('most numbers cost a dollar, memorable ones a little more', () => {
  const endings: Record<string, RegExp> = {
    1000000: /\d{4}$/,
    1500000: /(\d\d)\1$|000$/,
    2000000: /(\d)\1\1\1$/,
  }
  for (const { number, monthlyPriceMicros } of LOCAL) {
    assert.match(number, endings[String(monthlyPriceMicros)] ?? /no such price/)
  }
  const ordinary = LOCAL.filter(({ monthlyPriceMicros }) => monthlyPriceMicros === 1_000_000n)
  assert.ok(ordinary.length > LOCAL.length * 0.8 && ordinary.length < LOCAL.length)
})

test('a few toll-free numbers are listed, so buying one can be refused', () => {
  const tollFree = ALL.filter(({ number }) => isTollFree(number))
  assert.equal(tollFree.length, 5)
  for (const { location } of tollFree) assert.equal(location, 'Toll-free')
})
