// Every pair of statuses of a brand, against the table that decision 0008 prints.

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

test('a brand makes the moves of decision 0008 and no other', () => {
  assert.equal(PAIRS.length, 25)
  for (const [source, target] of PAIRS) {
    assert.equal(canMove(source, target), MOVES.has(`${source} ${target}`), `${source} ${target}`)
  }
})

test('a move that does not exist is refused by the names of both states', () => {
  for (const [source, target] of PAIRS) {
    const brand = { id: 'brd_1', status: source }
    if (canMove(source, target)) {
      assert.deepEqual(moveBrand(brand, target), { id: 'brd_1', status: target })
      assert.equal(brand.status, source)
    } else {
      assert.throws(() => moveBrand(brand, target), {
        code: 'brand_state',
        message: `The brand is ${source}: it cannot become ${target}`,
      })
    }
  }
})

test('a brand can be changed while it is not under review and not verified', () => {
  assert.deepEqual(BRAND_STATUSES.filter(canEdit), ['DRAFT', 'UNVERIFIED'])
})
