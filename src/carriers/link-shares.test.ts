// A rate that several processes share: the shares never exceed it, and unused capacity goes to others.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { divideRate, type ShareRow, shareOf } from './link-shares.js'

test('each process gets what it requests, or an equal part if the rate does not cover all requests', () => {
  assert.deepEqual(divideRate(20, [20, 20]), [10, 10])
  assert.deepEqual(divideRate(20, [3, 20]), [3, 17])
  assert.deepEqual(divideRate(20, [20, 1, 20]), [10, 1, 9])
  assert.deepEqual(divideRate(21, [10, 20]), [10, 11], 'nobody gets more than requested')
  assert.deepEqual(divideRate(20, [2, 3]), [2, 3])
  assert.deepEqual(divideRate(2, [5, 5, 5]), [1, 1, 0])
  assert.deepEqual(divideRate(20, [0, 20]), [0, 20])
})

test('shares never exceed the rate, and use all of it if requested', () => {
  const wanted = fc.array(fc.nat(50), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), wanted, (total, wanted) => {
      const shares = divideRate(total, wanted)
      const sum = shares.reduce((a, b) => a + b, 0)
      const most = wanted.reduce((a, b) => a + b, 0)
      assert.equal(sum, Math.min(total, most))
      for (const [i, share] of shares.entries()) assert.ok(share <= wanted[i]!)
    }),
  )
})

test('shares never exceed the rate, whatever processes request and in whatever order they renew', () => {
  const steps = fc.array(fc.record({ who: fc.nat(3), wanted: fc.nat(25) }), { maxLength: 60 })
  fc.assert(
    fc.property(steps, (steps) => {
      const rows = new Map<string, ShareRow>()
      for (const { who, wanted } of steps) {
        const process = `p${who}`
        const known = rows.get(process) ?? {
          process,
          perSecond: 0,
          perSecondBefore: 0,
          wanted: 0,
          renewals: 0,
        }
        const next = { ...known, wanted }
        const others = [...rows.values()].filter((row) => row.process !== process)
        const perSecond = shareOf(20, next, others)
        rows.set(process, { ...next, perSecond, perSecondBefore: known.perSecond })
        const held = [...rows.values()].reduce((sum, row) => sum + row.perSecond, 0)
        assert.ok(held <= 20)
      }
    }),
  )
})
