// Which CSV files of numbers are accepted, and the error for each invalid row.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readNumberCsv } from './number-csv.js'

test('columns can be in any order, quoted or not, with any line endings', async () => {
  const text =
    '\uFEFFlocation,number,monthlyPrice\r\n"San Francisco, CA",+14152004000,1.50\r\n\r\n"Say ""hi""\nthere",+14152004001,0\nOakland,bad,0'
  assert.deepEqual(await readNumberCsv(text), {
    problems: [
      { row: 6, problem: '"bad" must be a phone number in E.164 format, for example +14155550123' },
    ],
    rows: [
      {
        row: 2,
        number: '+14152004000',
        areaCode: '415',
        location: 'San Francisco, CA',
        monthlyPriceMicros: 1_500_000n,
        hosts: null,
      },
      {
        row: 4,
        number: '+14152004001',
        areaCode: '415',
        location: 'Say "hi"\nthere',
        monthlyPriceMicros: 0n,
        hosts: null,
      },
    ],
  })
})

test('a row without a location gets the location of its area code', async () => {
  const { rows } = await readNumberCsv('number,monthlyPrice\n+12125550123,1')
  assert.match(rows[0]!.location, /New York/)
})

test('every invalid row is reported with its line and how to fix it', async () => {
  const { problems } = await readNumberCsv(
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
      row: 3,
      problem: '"4152004001" must be a phone number in E.164 format, for example +14155550123',
    },
    { row: 4, problem: '+14152004000 is already in row 2' },
    { row: 5, problem: '+18002004000 is toll-free. Toll-free numbers cannot be sold' },
    { row: 6, problem: '+10002004000 is not a valid number in the North American numbering plan' },
    { row: 7, problem: 'monthlyPrice "free" must be an amount in dollars, for example 1.00' },
    { row: 8, problem: 'monthlyPrice "-1" must be an amount in dollars, for example 1.00' },
    { row: 9, problem: 'has 3 fields, but the header has 2' },
    { row: 10, problem: 'has 1 field, but the header has 2' },
    { row: 11, problem: 'monthlyPrice must be at most $10,000' },
    { row: 12, problem: 'has 1 field, but the header has 2' },
  ])
})

test('a file without a header or without rows is refused', async () => {
  const heading =
    'the header must contain the columns number, monthlyPrice, and optionally location and hosts'
  for (const text of [
    '',
    '+14152004000,1',
    'number,price',
    'number',
    'number,monthlyPrice,number',
  ]) {
    assert.deepEqual(await readNumberCsv(text), {
      rows: [],
      problems: [{ row: 1, problem: heading }],
    })
  }
  assert.deepEqual((await readNumberCsv('number,monthlyPrice\n')).problems, [
    { row: 2, problem: 'there are no numbers below the header' },
  ])
})

test('a file with only invalid rows is read up to a thousand problems, and yields to other requests', async () => {
  const heading = 'number,monthlyPrice\n'
  const pieces = ['x\n', '\n', ',', '"', '"x\n', '""x\n', '"a"b\n', 'a"b\n', '"",', '\r', '""\n"']
  for (const piece of pieces) {
    let turns = 0
    const ticking = setInterval(() => {
      turns += 1
    }, 0)
    const { rows, problems } = await readNumberCsv(heading + piece.repeat(1_000_000 / piece.length))
    clearInterval(ticking)
    assert.equal(rows.length, 0)
    assert.ok(problems.length > 0 && problems.length <= 1000, piece)
    const isLong = problems.length === 1000 || piece === '\n' || piece === '\r'
    assert.equal(turns > 0, isLong, `${JSON.stringify(piece)}: ${turns} turns`)
  }
})

test('an error shortens a long cell', async () => {
  const { problems } = await readNumberCsv(`number,monthlyPrice\n${'9'.repeat(5000)},1\n`)
  assert.ok(problems[0]!.problem.length < 300)
})

test('the hosts column lists the links that can send from a number', async () => {
  const heading = 'number,monthlyPrice,hosts\n'
  const { rows, problems } = await readNumberCsv(
    `${heading}+12125550123,1,acme-east acme-west\n+12125550124,1,\n+12125550125,1,"Not a link"\n`,
  )
  assert.deepEqual(
    rows.map(({ hosts }) => hosts),
    [['acme-east', 'acme-west'], null],
  )
  assert.deepEqual(problems, [
    {
      row: 4,
      problem: 'hosts "Not a link" must be names of carrier links, separated by spaces',
    },
  ])
})
