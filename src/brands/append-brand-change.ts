// The event of a new or changed brand, appended in the transaction that changes it, for the live stream and
// for its campaigns' webhooks that subscribe to it.

import { appendChangeOfBrand, differenceOf } from '../events/append-changes.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { Brand } from './brand.js'
import { wireBrand } from './brand-wire.js'

export const BRAND_CHANGES = [
  'created',
  'updated',
  'submitted',
  'verified',
  'refused',
  'vetted',
] as const
export type BrandChange = (typeof BRAND_CHANGES)[number]

/** `before` is null for a new brand. No event if nothing changed. */
export async function appendBrandChange(
  tx: Transaction,
  change: BrandChange,
  before: Brand | null,
  after: Brand,
  now: Date,
): Promise<void> {
  const brand = wireBrand(after)
  const difference = differenceOf(before && wireBrand(before), brand)
  if (!difference) return
  const data = { change, brand, ...difference }
  await appendChangeOfBrand(tx, after.accountId, { brandId: after.id, data }, now)
}
