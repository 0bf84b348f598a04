// The states of a brand (decision 0008). NEXT is the only place that lists the possible moves.

import { Refusal } from '../kit/contract/refusal.js'

export const BRAND_STATUSES = ['DRAFT', 'PENDING', 'VERIFIED', 'UNVERIFIED', 'VETTED'] as const

export type BrandStatus = (typeof BRAND_STATUSES)[number]

const NEXT: Readonly<Record<BrandStatus, readonly BrandStatus[]>> = {
  DRAFT: ['PENDING'],
  PENDING: ['VERIFIED', 'UNVERIFIED'],
  // Refused, corrected, and resubmitted: the ID stays, so the brand keeps its campaigns.
  UNVERIFIED: ['PENDING'],
  VERIFIED: ['VETTED'],
  // Vetted again, with another score.
  VETTED: ['VETTED'],
}

export function canMove(source: BrandStatus, target: BrandStatus): boolean {
  return NEXT[source].includes(target)
}

/** A verified brand must stay as it was verified. */
export function canEdit(status: BrandStatus): boolean {
  return status === 'DRAFT' || status === 'UNVERIFIED'
}

/** Whether campaigns of the brand may be reviewed. */
export function isVerified(status: BrandStatus): boolean {
  return status === 'VERIFIED' || status === 'VETTED'
}

export function moveBrand<B extends { status: BrandStatus }>(brand: B, target: BrandStatus): B {
  if (!canMove(brand.status, target)) {
    throw new Refusal('brand_state', `The brand is ${brand.status} and cannot become ${target}`)
  }
  return { ...brand, status: target }
}
