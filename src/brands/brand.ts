// A brand: the legal entity on whose behalf messages are sent. A DRAFT may lack any field. Every other brand
// has all fields that the contract requires.

import type { AccountId } from '../accounts/account.js'
import type { BrandStatus } from './brand-state.js'
import type { Vertical } from './verticals.js'

export const ENTITY_TYPES = [
  'SOLE_PROPRIETOR',
  'PRIVATE_PROFIT',
  'PUBLIC_PROFIT',
  'NON_PROFIT',
  'GOVERNMENT',
] as const

export type EntityType = (typeof ENTITY_TYPES)[number]

/** The only type that registration accepts today. */
export const ACCEPTED_ENTITY_TYPE: EntityType = 'PRIVATE_PROFIT'

/** The contract's text. */
export const EIN_MISSING = 'EIN is required for brand'

/** A reviewer's note: the field, and what is wrong with it. */
export interface ReviewNote {
  field: string
  note: string
}

/** The customer's description of the entity. */
export interface BrandFields {
  entityType: EntityType
  entityName: string | null
  displayName: string | null
  ein: string | null
  websiteUrl: string | null
  privacyLink: string | null
  /** Required only if a provider registers brands, like the industry. */
  termsLink: string | null
  vertical: Vertical | null
  street: string | null
  city: string | null
  state: string | null
  postalCode: string | null
  country: string | null
  firstName: string | null
  lastName: string | null
  email: string | null
  phone: string | null
}

export interface Brand extends BrandFields {
  accountId: AccountId
  id: string
  status: BrandStatus
  /** 0 to 100; null until vetted. */
  trustScore: number | null
  reviewNotes: ReviewNote[]
  submittedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** The name that people know. Empty only for a draft without a name. */
export function brandName(brand: Pick<Brand, 'displayName' | 'entityName'>): string {
  return brand.displayName ?? brand.entityName ?? ''
}
