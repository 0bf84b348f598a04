// The table of numbers behaves like a Map in a fraction of the memory.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ForwardingTable } from './forwarding-table.js'

function numberOf(i: number): string {
  return `+1${String(2_000_000_000 + i).padStart(10, '0')}`
}

test('the table has the same contents as a Map after any changes', () => {
  const index = fc.integer({ min: 0, max: 400 })
  const change = fc.record({
    number: index,
    target: fc.option(index),
    isDelete: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 1500, size: 'max' }), (changes) => {
      const table = new ForwardingTable()
      const map = new Map<string, string | null>()
      const owners = new Map<string, number>()
      for (const { number, target, isDelete } of changes) {
        const key = numberOf(number)
        if (isDelete) {
          assert.equal(table.delete(key), map.delete(key))
          owners.delete(key)
        } else {
          const to = target === null ? null : numberOf(target * 7_654_321)
          map.set(key, to)
          owners.set(key, number + 1)
          assert.equal(table.set(key, to, number + 1), true)
        }
      }
      assert.equal(table.size, map.size)
      for (let i = 0; i <= 400; i++) {
        assert.equal(table.get(numberOf(i)), map.get(numberOf(i)))
        assert.equal(table.ownerOf(numberOf(i)), owners.get(numberOf(i)) ?? 0)
      }
      assert.deepEqual([...table.numbers()].sort(), [...map.keys()].sort())
    }),
    { numRuns: 30 },
  )
})

test('200,000 numbers take 10 MiB and are all found, with their targets and owners', () => {
  const table = new ForwardingTable()
  for (let i = 0; i < 200_000; i++) {
    table.set(numberOf(i), i % 3 === 0 ? null : numberOf(i + 5e9), i + 1)
  }
  assert.equal(table.size, 200_000)
  assert.ok(table.bytes <= 10 * 1024 * 1024, String(table.bytes))
  for (let i = 0; i < 200_000; i += 7) {
    assert.equal(table.get(numberOf(i)), i % 3 === 0 ? null : numberOf(i + 5e9))
    assert.equal(table.ownerOf(numberOf(i)), i + 1)
  }
  assert.equal(table.get(numberOf(200_000)), undefined)
})

test('the table stores the lowest and the highest +1 number, and no other numbers', () => {
  const table = new ForwardingTable()
  assert.equal(table.set('+10000000000', '+19999999999'), true)
  assert.equal(table.set('+19999999999', '+10000000000'), true)
  assert.equal(table.get('+10000000000'), '+19999999999')
  assert.equal(table.get('+19999999999'), '+10000000000')
  assert.equal(table.set('+442071838750', null), false)
  assert.equal(table.get('+442071838750'), undefined)
  assert.equal(table.delete('+442071838750'), false)
  assert.equal(table.set('+14155550123', '+442071838750'), false)
  assert.equal(table.get('+14155550123'), null)
})
