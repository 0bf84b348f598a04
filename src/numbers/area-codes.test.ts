// Checks the table of area codes against the rules of the numbering plan and well-known places, and the order of
// "nearby".

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isAreaCode } from '../text/phone-number.js'
import { AREA_CODES } from './area-codes.js'
import { areaCodesNear, distanceKm, findAreaCode, milesBetween } from './nearby.js'

/** The southern, northern, western, and eastern end of each region, in degrees on a map. */
const BOUNDS = new Map(
  `
  AL 30.1 35.1 -88.5 -84.8
  AK 51 71.5 -180 -129
  AZ 31.3 37.1 -114.9 -109
  AR 33 36.5 -94.7 -89.6
  CA 32.5 42.1 -124.5 -114.1
  CO 36.9 41.1 -109.1 -102
  CT 40.9 42.1 -73.8 -71.7
  DE 38.4 39.9 -75.8 -75
  DC 38.7 39 -77.2 -76.9
  FL 24.4 31.1 -87.7 -79.9
  GA 30.3 35.1 -85.7 -80.7
  HI 18.8 22.3 -160.3 -154.7
  ID 41.9 49.1 -117.3 -111
  IL 36.9 42.6 -91.6 -87.4
  IN 37.7 41.8 -88.1 -84.7
  IA 40.3 43.6 -96.7 -90.1
  KS 36.9 40.1 -102.1 -94.5
  KY 36.4 39.2 -89.6 -81.9
  LA 28.9 33.1 -94.1 -88.7
  ME 42.9 47.5 -71.1 -66.9
  MD 37.8 39.8 -79.5 -75
  MA 41.2 42.9 -73.6 -69.9
  MI 41.6 48.4 -90.5 -82.3
  MN 43.4 49.4 -97.3 -89.4
  MS 30.1 35.1 -91.7 -88
  MO 35.9 40.7 -95.8 -89
  MT 44.3 49.1 -116.1 -104
  NE 39.9 43.1 -104.1 -95.2
  NV 34.9 42.1 -120.1 -114
  NH 42.6 45.4 -72.6 -70.6
  NJ 38.9 41.4 -75.6 -73.8
  NM 31.3 37.1 -109.1 -102.9
  NY 40.4 45.1 -79.8 -71.8
  NC 33.8 36.6 -84.4 -75.4
  ND 45.9 49.1 -104.1 -96.5
  OH 38.4 42 -84.9 -80.5
  OK 33.6 37.1 -103.1 -94.4
  OR 41.9 46.3 -124.6 -116.4
  PA 39.7 42.3 -80.6 -74.6
  RI 41.1 42.1 -71.9 -71.1
  SC 32 35.3 -83.4 -78.5
  SD 42.4 46 -104.1 -96.4
  TN 34.9 36.7 -90.4 -81.6
  TX 25.8 36.6 -106.7 -93.5
  UT 36.9 42.1 -114.1 -109
  VT 42.7 45.1 -73.5 -71.4
  VA 36.5 39.5 -83.7 -75.2
  WA 45.5 49.1 -124.8 -116.9
  WV 37.2 40.7 -82.7 -77.7
  WI 42.4 47.1 -92.9 -86.7
  WY 40.9 45.1 -111.1 -104
  PR 17.8 18.6 -67.4 -65.2
  VI 17.6 18.5 -65.1 -64.5
  GU 13.2 13.7 144.6 145
  MP 14 20.6 144.8 146.1
  AS -14.6 -11 -171.1 -168.1
  AB 48.9 60.1 -120.1 -109.9
  BC 48.2 60.1 -139.1 -114
  MB 48.9 60.1 -102.1 -88.9
  NB 44.5 48.1 -69.1 -63.7
  NL 46.6 60.5 -67.9 -52.5
  NS 43.3 47.1 -66.4 -59.6
  NT 59.9 78.8 -136.5 -101.9
  ON 41.6 56.9 -95.2 -74.3
  QC 44.9 62.6 -79.8 -57.1
  SK 48.9 60.1 -110.1 -101.3
`
    .trim()
    .split('\n')
    .map((line) => {
      const [region = '', ...ends] = line.trim().split(' ')
      return [region, ends.map(Number) as [number, number, number, number]]
    }),
)

const REGIONS = new Set(BOUNDS.keys())

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

test('every place is within its region', () => {
  for (const { code, region, latitude, longitude } of AREA_CODES) {
    const [south, north, west, east] = BOUNDS.get(region)!
    assert.ok(latitude >= south && latitude <= north, code)
    assert.ok(longitude >= west && longitude <= east, code)
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

test('the miles between cities of a region agree with the map', () => {
  const expected = [
    ['315', '585', 74],
    ['315', '518', 125],
    ['717', '215', 94],
    ['717', '412', 165],
    ['519', '416', 104],
    ['716', '585', 67],
    ['916', '415', 75],
    ['559', '415', 162],
    ['509', '206', 229],
    ['208', '801', 295],
    ['503', '206', 145],
    ['303', '719', 63],
    ['918', '405', 99],
    ['214', '713', 225],
    ['512', '210', 74],
    ['512', '713', 146],
    ['504', '225', 74],
    ['901', '615', 196],
    ['865', '615', 160],
    ['404', '912', 222],
    ['904', '850', 157],
    ['407', '813', 78],
    ['305', '407', 205],
    ['704', '919', 130],
    ['804', '757', 79],
    ['216', '614', 126],
    ['513', '614', 100],
    ['317', '812', 145],
    ['217', '312', 177],
    ['414', '608', 76],
    ['612', '218', 137],
    ['515', '402', 123],
    ['816', '314', 238],
    ['316', '816', 178],
    ['617', '413', 80],
    ['860', '203', 34],
    ['207', '617', 99],
    ['418', '514', 145],
    ['613', '416', 219],
    ['403', '780', 175],
  ] as const
  for (const [a, b, miles] of expected) {
    const found = milesBetween(a, b)!
    assert.ok(Math.abs(found - miles) <= 2, `${a} to ${b}: ${found}`)
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
