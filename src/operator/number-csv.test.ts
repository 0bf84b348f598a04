// Which CSV files of numbers are understood, and what is said of each row that is not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readNumberCsv } from './number-csv.js'

test('columns may come in any order, quoted or not, with any line ends', () => {
  const text =
    '\uFEFFlocation,number,monthlyPrice\r\n"San Francisco, CA",+14152004000,1.50\r\n\r\n"Say ""hi""\nthere",+14152004001,0\nOakland,bad,0'
  assert.deepEqual(readNumberCsv(text), {
    problems: [
      {
        field: 'row 6',
        problem: '"bad" must be a phone number in E.164 form such as +14155550123',
      },
    ],
    rows: [
      {
        row: 2,
        number: '+14152004000',
        areaCode: '415',
        location: 'San Francisco, CA',
        monthlyPriceMicros: 1_500_000n,
      },
      {
        row: 4,
        number: '+14152004001',
        areaCode: '415',
        location: 'Say "hi"\nthere',
        monthlyPriceMicros: 0n,
      },
    ],
  })
})

test('a row without a location takes the place of its area code', () => {
  const { rows } = readNumberCsv('number,monthlyPrice\n+12125550123,1')
  assert.match(rows[0]!.location, /New York/)
})

test('every bad row is told, with its line and what to mend', () => {
  const { problems } = readNumberCsv(
    [
      'number,monthlyPrice',
      '+14152004000,1',
      '4152004001,1',
      '+14152004000,1',
      '+18002004000,1',
      '+10002004000,1',
      '+14152004002,free',
      '+14152004003,-1',
      '+14152004004,1,Oakland',
      '+14152004005',
      '+14152004006,99999999',
      '"+14152004007"x,1',
    ].join('\n'),
  )
  assert.deepEqual(problems, [
    {
      field: 'row 3',
      problem: '"4152004001" must be a phone number in E.164 form such as +14155550123',
    },
    { field: 'row 4', problem: '+14152004000 is in row 2 already' },
    { field: 'row 5', problem: '+18002004000 is toll-free: such numbers cannot be sold' },
    { field: 'row 6', problem: '+10002004000 cannot exist in the numbering plan' },
    { field: 'row 7', problem: 'monthlyPrice "free" is no amount in dollars such as 1.00' },
    { field: 'row 8', problem: 'monthlyPrice "-1" is no amount in dollars such as 1.00' },
    { field: 'row 9', problem: 'has 3 fields where the heading has 2' },
    { field: 'row 10', problem: 'has 1 fields where the heading has 2' },
    { field: 'row 11', problem: 'monthlyPrice is over $10,000' },
    { field: 'row 12', problem: 'has 1 fields where the heading has 2' },
  ])
})

test('a file without its heading or without rows is refused as a whole', () => {
  const heading = 'the heading must name the columns number, monthlyPrice and, if wanted, location'
  for (const text of [
    '',
    '+14152004000,1',
    'number,price',
    'number',
    'number,monthlyPrice,number',
  ]) {
    assert.deepEqual(readNumberCsv(text), {
      rows: [],
      problems: [{ field: 'row 1', problem: heading }],
    })
  }
  assert.deepEqual(readNumberCsv('number,monthlyPrice\n').problems, [
    { field: 'row 2', problem: 'there are no numbers below the heading' },
  ])
})
