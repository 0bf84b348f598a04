// The limits of decision 0029, at the edges of its bands.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assignLimits } from './limits.js'

const limits = (smsTpmAtt: number, mmsTpmAtt: number, dailyTmoCap: number) => ({
  smsTpmAtt,
  mmsTpmAtt,
  dailyTmoCap,
})

test('limits follow the trust score of the brand', () => {
  const cases: [number | null, object][] = [
    [100, limits(4500, 2400, 200_000)],
    [75, limits(4500, 2400, 200_000)],
    [74, limits(2400, 1200, 40_000)],
    [50, limits(2400, 1200, 40_000)],
    [49, limits(240, 150, 10_000)],
    [1, limits(240, 150, 10_000)],
    [0, limits(240, 150, 2_000)],
    [null, limits(240, 150, 2_000)],
  ]
  for (const [trustScore, expected] of cases) {
    assert.deepEqual(assignLimits({ trustScore, isLowVolume: false }), expected, `${trustScore}`)
  }
})

test('a low-volume campaign has the lowest limits, whatever its brand’s score', () => {
  for (const trustScore of [null, 0, 100]) {
    assert.deepEqual(assignLimits({ trustScore, isLowVolume: true }), limits(75, 50, 2_000))
  }
})
