// Checks the table of area codes against the rules of the numbering plan and well-known places, and the order of
// "nearby".

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isAreaCode } from '../text/phone-number.js'
import { AREA_CODES } from './area-codes.js'
import { areaCodesNear, distanceKm, findAreaCode, milesBetween } from './nearby.js'

const REGIONS = new Set(
  (
    'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM ' +
    'NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY ' +
    'PR VI GU MP AS AB BC MB NB NL NS NT ON QC SK'
  ).split(' '),
)

function place(code: string) {
  const found = findAreaCode(code)
  assert.ok(found, code)
  return found
}

test('every row has a valid code, a city with its region, and coordinates', () => {
  for (const row of AREA_CODES) {
    assert.ok(isAreaCode(row.code), row.code)
    assert.match(row.location, /^\p{Lu}[\p{L}.' ]+, [A-Z]{2}$/u)
    assert.ok(row.location.endsWith(`, ${row.region}`), row.code)
    assert.ok(REGIONS.has(row.region), row.code)
    assert.ok(row.latitude > -15 && row.latitude < 63, row.code)
    assert.ok(Math.abs(row.longitude) > 52 && Math.abs(row.longitude) < 172, row.code)
  }
})

test('no code is listed twice, and the codes are in order', () => {
  const codes = AREA_CODES.map((row) => row.code)
  assert.deepEqual(codes, [...new Set(codes)].sort())
})

test('the table is as long as the numbering plan and has every region', () => {
  assert.ok(AREA_CODES.length > 380 && AREA_CODES.length < 480, String(AREA_CODES.length))
  assert.deepEqual(new Set(AREA_CODES.map((row) => row.region)), REGIONS)
})

test('codes outside the United States and Canada are not found', () => {
  const tollFree = ['800', '822', '833', '844', '855', '866', '877', '888']
  const services = ['211', '311', '411', '911', '500', '521', '533', '566', '588', '600', '700']
  const otherCountries = [
    '242',
    '246',
    '284',
    '345',
    '441',
    '473',
    '649',
    '758',
    '809',
    '868',
    '876',
  ]
  for (const code of [...tollFree, ...services, ...otherCountries, '900', '999', '', '4155']) {
    assert.equal(findAreaCode(code), null, code)
  }
})

test('well-known codes are in their well-known places', () => {
  const known = {
    202: 'Washington, DC',
    206: 'Seattle, WA',
    212: 'New York, NY',
    305: 'Miami, FL',
    312: 'Chicago, IL',
    415: 'San Francisco, CA',
    512: 'Austin, TX',
    617: 'Boston, MA',
    808: 'Honolulu, HI',
    907: 'Anchorage, AK',
    416: 'Toronto, ON',
    604: 'Vancouver, BC',
    787: 'San Juan, PR',
  }
  for (const [code, location] of Object.entries(known)) assert.equal(place(code).location, location)
})

test('an overlay has the place of its parent', () => {
  const overlays = [
    ['628', '415'],
    ['646', '212'],
    ['659', '205'],
    ['726', '210'],
    ['771', '202'],
    ['839', '803'],
    ['945', '214'],
    ['263', '514'],
    ['942', '416'],
  ] as const
  for (const [overlay, parent] of overlays) {
    assert.deepEqual({ ...place(overlay), code: '' }, { ...place(parent), code: '' })
  }
})

test('distances agree with the map within one percent', () => {
  const expected = [
    ['212', '310', 3950],
    ['312', '214', 1291],
    ['907', '206', 2330],
    ['415', '415', 0],
  ] as const
  for (const [a, b, km] of expected) {
    const distance = distanceKm(place(a), place(b))
    assert.ok(Math.abs(distance - km) <= km / 100, `${a} to ${b}: ${distance}`)
  }
})

test('near San Francisco come its overlay, then Oakland, then the peninsula', () => {
  assert.deepEqual(areaCodesNear('415').slice(0, 4), ['628', '341', '510', '650'])
})

test('near Manhattan come its overlays, then the cities across the rivers', () => {
  const nearest = areaCodesNear('212')
  assert.deepEqual(nearest.slice(0, 3), ['332', '646', '917'])
  assert.deepEqual(new Set(nearest.slice(3, 9)), new Set('201 551 347 465 718 929'.split(' ')))
})

test('nearby codes never cross a border or 300 miles', () => {
  const regionsNear = (code: string) => new Set(areaCodesNear(code).map((one) => place(one).region))
  assert.deepEqual(areaCodesNear('907'), [], 'Alaska: only Canada is nearer than 300 miles')
  assert.deepEqual(areaCodesNear('671'), ['670'], 'Guam and Saipan')
  assert.deepEqual(areaCodesNear('684'), [])
  assert.ok(!regionsNear('313').has('ON'), 'Detroit does not get Windsor')
  assert.ok(!regionsNear('416').has('NY'), 'Toronto does not get Buffalo')
  for (const { code } of AREA_CODES) {
    for (const other of areaCodesNear(code)) {
      const miles = milesBetween(code, other)
      assert.ok(miles !== null && miles <= 300, `${code} to ${other}: ${miles}`)
    }
  }
})

test('each nearby code is listed once, in order of distance', () => {
  const anyCode = fc.constantFrom(...AREA_CODES.map((row) => row.code))
  fc.assert(
    fc.property(anyCode, (code) => {
      const order = areaCodesNear(code)
      assert.equal(new Set([code, ...order]).size, order.length + 1)
      const distances = order.map((other) => distanceKm(place(code), place(other)))
      assert.deepEqual(
        distances,
        distances.toSorted((a, b) => a - b),
      )
    }),
  )
})

test('an unknown code has nothing nearby', () => {
  assert.deepEqual(areaCodesNear('800'), [])
})
