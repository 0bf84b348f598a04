// How much media a message may carry, by link and network, and how its files share it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitsOf, shareOut } from './media-limits.js'

const ANY = { bytesMax: 5_000_000, otherBytesMax: 5_000_000 }

test('the smaller limit of link and network counts', () => {
  const taken = (terms: typeof ANY, network: Parameters<typeof limitsOf>[1]) =>
    limitsOf(terms, network).bytesMax
  assert.deepEqual(
    [null, 'att', 'vzw', 'tmo'].map((network) => taken(ANY, network as null)),
    [600_000, 1_000_000, 1_000_000, 1_500_000],
  )
  assert.equal(taken({ ...ANY, bytesMax: 1_200_000 }, 'tmo'), 1_200_000)
  assert.deepEqual(limitsOf({ bytesMax: 5_000_000, otherBytesMax: 500_000 }, 'att'), {
    bytesMax: 1_000_000,
    otherBytesMax: 500_000,
    pictureBytes: 714_285,
  })
})

test('pictures share what other files leave, and small ones leave more to large ones', () => {
  const limits = limitsOf(ANY, null) // 428,571 for pictures
  const picture = (bytes: number) => ({ bytes, canShrink: true })
  const other = (bytes: number) => ({ bytes, canShrink: false })
  assert.deepEqual(shareOut([picture(7_000_000)], limits), [425_000])
  assert.deepEqual(shareOut([picture(9_000_000), picture(28_571)], limits), [400_000, 200_000])
  assert.deepEqual(shareOut([other(300_000), picture(900_000)], limits), [300_000, 125_000])
  assert.deepEqual(shareOut([other(600_000)], limits), [600_000])
  assert.equal(shareOut([other(600_001)], limits), null)
  assert.equal(shareOut([other(300_000), other(300_001)], limits), null)
  assert.equal(shareOut([other(420_000), picture(900_000)], limits), null, 'not enough is left')
  assert.equal(shareOut([other(500_001)], { ...limits, otherBytesMax: 500_000 }), null)
  assert.deepEqual(shareOut([], limits), [])
})
