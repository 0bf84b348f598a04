import assert from 'node:assert/strict'
import { test } from 'node:test'
import { report } from './budgets.mjs'

test('a budget may grow by 15% from its measurement, and then fails', () => {
  const budget = (now: number) => ({ name: 'files', measured: 20, read: () => now })
  assert.equal(report([budget(23)]).isExceeded, false)
  const { text, isExceeded } = report([budget(1), budget(24)])
  assert.equal(isExceeded, true)
  const [small, large] = text.split('\n')
  assert.match(small!, /^ {5}1 {2}files \(20 on \w+ \d+, \d{4}, at most 23\)$/)
  assert.match(large!, /^ {4}24 {2}files .+: too large$/)
})
