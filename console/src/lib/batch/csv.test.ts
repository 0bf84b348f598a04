// CSV parsing, with input split into chunks of any size.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { csvOf } from '../csv-file'
import { CsvReader, findDelimiter } from './csv'

function read(text: string, step = text.length || 1) {
  const rows: { fields: string[]; line: number }[] = []
  const reader = new CsvReader((record) => rows.push(record))
  for (let i = 0; i < text.length; i += step) reader.push(text.slice(i, i + step))
  const openQuoteLine = reader.openQuoteLine
  reader.end()
  return { rows, openQuoteLine }
}

const fieldsOf = (text: string, step?: number) => read(text, step).rows.map(({ fields }) => fields)

test('quoted fields contain commas, quotes, and line breaks, and line numbers match an editor', () => {
  const text = 'to,body\r\n+1415,"Hi, ""Ana""\r\nBye"\r\n\r\n+1416,"",x\n+1417,a "b" c'
  assert.deepEqual(read(text).rows, [
    { fields: ['to', 'body'], line: 1 },
    { fields: ['+1415', 'Hi, "Ana"\r\nBye'], line: 2 },
    { fields: ['+1416', '', 'x'], line: 5 },
    { fields: ['+1417', 'a "b" c'], line: 6 },
  ])
})

test('the first line decides whether commas, semicolons, or tabs separate fields', () => {
  assert.equal(findDelimiter('a,b;c,d\n;;;;;'), ',')
  assert.equal(findDelimiter('"a,b,c";d\n'), ';')
  assert.equal(findDelimiter('a\tb'), '\t')
  assert.equal(findDelimiter('alone'), ',')
  assert.deepEqual(fieldsOf('a;b\n1,5;2\n'), [
    ['a', 'b'],
    ['1,5', '2'],
  ])
  assert.deepEqual(fieldsOf('a\rb\r'), [['a'], ['b']])
})

test('an unclosed quote is reported with its line', () => {
  assert.equal(read('a,b\n1,"open\n2,3\n').openQuoteLine, 2)
  assert.equal(read('a,"b"').openQuoteLine, null)
})

test('written CSV reads back unchanged in chunks of any size', () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', ',', ';', '"', '\n', '\r', '\t', 'é', '🎉', ' '),
    maxLength: 8,
  })
  const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), {
    minLength: 1,
    maxLength: 5,
  })
  fc.assert(
    fc.property(rows, fc.integer({ min: 4, max: 40 }), (given, step) => {
      const text = `to,body,c\r\n${csvOf(given)}`
      const [, ...back] = fieldsOf(text, step)
      assert.deepEqual(back, given)
    }),
  )
})
