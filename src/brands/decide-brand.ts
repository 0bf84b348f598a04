// Applies a reviewer's decision about a brand. The simulated registry and the operator both use it, so an
// impossible move is refused for both.

import type { AccountId } from '../accounts/account.js'
import { fieldRefusal } from '../kit/contract/refusal.js'
import type { Transaction } from '../kit/postgres/db.js'
import { appendBrandChange } from './append-brand-change.js'
import type { Brand, ReviewNote } from './brand.js'
import { lockBrand, updateBrand } from './brand-queries.js'
import { moveBrand } from './brand-state.js'

export type BrandDecision =
  | { kind: 'verify' }
  | { kind: 'refuse'; notes: ReviewNote[] }
  | { kind: 'vet'; trustScore: number }

const DONE = { verify: 'verified', refuse: 'refused', vet: 'vetted' } as const

/** Campaigns depend on the score: use `reviewBrand` for a brand that may have campaigns. */
export async function decideBrand(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  decision: BrandDecision,
  now: Date,
): Promise<Brand> {
  const brand = await lockBrand(tx, accountId, id)
  const decided: Brand = { ...applyDecision(brand, decision), updatedAt: now }
  await updateBrand(tx, decided)
  await appendBrandChange(tx, DONE[decision.kind], brand, decided, now)
  return decided
}

function applyDecision(brand: Brand, decision: BrandDecision): Brand {
  switch (decision.kind) {
    case 'verify':
      return { ...moveBrand(brand, 'VERIFIED'), reviewNotes: [] }
    case 'refuse':
      return { ...moveBrand(brand, 'UNVERIFIED'), reviewNotes: decision.notes }
    case 'vet':
      return { ...moveBrand(brand, 'VETTED'), trustScore: checkedScore(decision.trustScore) }
  }
}

function checkedScore(score: number): number {
  if (Number.isInteger(score) && score >= 0 && score <= 100) return score
  throw fieldRefusal('trustScore', 'must be a whole number from 0 to 100')
}
