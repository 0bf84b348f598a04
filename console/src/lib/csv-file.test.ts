// CSV files that spreadsheets open safely.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvOf } from './csv-file'

test('commas, quotes, and line breaks stay in their cell', () => {
  const row = ['a,b', 'say "hi"', 'one\ntwo', '', '3']
  assert.equal(csvOf([row]), '"a,b","say ""hi""","one\ntwo",,3\r\n')
})

test('a formula is written as text', () => {
  for (const text of ['=1+1', '+cmd|x', '-2+3', '@SUM(A1)', '\t=1', ' =1', '|calc', '%0A']) {
    assert.equal(csvOf([[text]]), `'${text}\r\n`)
  }
})

test('phone numbers and amounts are unchanged', () => {
  assert.equal(csvOf([['+14155550100', '-0.0079', '0.0079']]), '+14155550100,-0.0079,0.0079\r\n')
})
