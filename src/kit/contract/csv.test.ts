// CSV cells are safe in a spreadsheet.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvLine } from './csv.js'

test('cells are quoted if needed, and nothing runs as a formula', () => {
  for (const [cells, line] of [
    [['a', 1, null, { exact: '-0.50' }], 'a,1,,-0.50'],
    [['a,b', 'c"d', 'e\nf', 'g\rh'], '"a,b","c""d","e\nf","g\rh"'],
    [['=1+1', '+1', '-1', '@x', '\tx'], "'=1+1,'+1,'-1,'@x,'\tx"],
    [['=A1,"b"'], '"\'=A1,""b"""'],
    [['', ' = 1'], ', = 1'],
    [[], ''],
  ] as const) {
    assert.equal(csvLine(cells), `${line}\r\n`)
  }
})
