// What a reviewer decides about a brand. The simulated registry and the operator both come here, so a
// move that does not exist is refused for both alike.

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

/** Campaigns follow the score: whoever decides on a brand that may have any calls `reviewBrand`. */
export async function decideBrand(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  verdict: BrandDecision,
  now: Date,
): Promise<Brand> {
  const brand = await lockBrand(tx, accountId, id)
  const decided: Brand = { ...applyDecision(brand, verdict), updatedAt: now }
  await updateBrand(tx, decided)
  await appendBrandChange(tx, DONE[verdict.kind], brand, decided, now)
  return decided
}

function applyDecision(brand: Brand, verdict: BrandDecision): Brand {
  switch (verdict.kind) {
    case 'verify':
      return { ...moveBrand(brand, 'VERIFIED'), reviewNotes: [] }
    case 'refuse':
      return { ...moveBrand(brand, 'UNVERIFIED'), reviewNotes: verdict.notes }
    case 'vet':
      return { ...moveBrand(brand, 'VETTED'), trustScore: checkedScore(verdict.trustScore) }
  }
}

function checkedScore(score: number): number {
  if (Number.isInteger(score) && score >= 0 && score <= 100) return score
  throw fieldRefusal('trustScore', 'must be a whole number from 0 to 100')
}
