// Every pair of brand statuses, compared with the table in decision 0008.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BRAND_STATUSES, type BrandStatus, canEdit, canMove, moveBrand } from './brand-state.js'

const MOVES = new Set([
  'DRAFT PENDING',
  'PENDING VERIFIED',
  'PENDING UNVERIFIED',
  'UNVERIFIED PENDING',
  'VERIFIED VETTED',
  'VETTED VETTED',
])

const PAIRS = BRAND_STATUSES.flatMap((source) =>
  BRAND_STATUSES.map((target): [BrandStatus, BrandStatus] => [source, target]),
)

test('a brand makes the moves in decision 0008 and no others', () => {
  assert.equal(PAIRS.length, 25)
  for (const [source, target] of PAIRS) {
    assert.equal(canMove(source, target), MOVES.has(`${source} ${target}`), `${source} ${target}`)
  }
})

test('an impossible move is refused with the names of both states', () => {
  for (const [source, target] of PAIRS) {
    const brand = { id: 'brd_1', status: source }
    if (canMove(source, target)) {
      assert.deepEqual(moveBrand(brand, target), { id: 'brd_1', status: target })
      assert.equal(brand.status, source)
    } else {
      assert.throws(() => moveBrand(brand, target), {
        code: 'brand_state',
        message: `The brand is ${source} and cannot become ${target}`,
      })
    }
  }
})

test('a brand can be changed unless it is under review or verified', () => {
  assert.deepEqual(BRAND_STATUSES.filter(canEdit), ['DRAFT', 'UNVERIFIED'])
})
