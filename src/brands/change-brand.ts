// A customer's changes to a brand that is not verified: edit its fields, and submit or resubmit it.

import type { AccountId } from '../accounts/account.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Transaction } from '../kit/postgres/db.js'
import { appendBrandChange } from './append-brand-change.js'
import type { Brand, BrandFields } from './brand.js'
import { checkComplete, checkFields, NO_FIELDS, normaliseFields } from './brand-fields.js'
import { lockBrand, updateBrand } from './brand-queries.js'
import { canEdit, moveBrand } from './brand-state.js'
import { register } from './create-brand.js'
import { checkBrandForRegistrar, type RegistrarTerms } from './registration.js'

export async function patchBrand(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  changes: Partial<BrandFields>,
  now: Date,
): Promise<Brand> {
  const brand = await lockBrand(tx, accountId, id)
  if (!canEdit(brand.status) && !isAlwaysEditable(brand, changes)) {
    throw new Refusal(
      'brand_state',
      `The brand is ${brand.status}. It can be changed only while it is DRAFT or UNVERIFIED`,
    )
  }
  const fields = normaliseFields({ ...fieldsOf(brand), ...changes })
  checkFields(fields)
  const changed: Brand = { ...brand, ...fields, updatedAt: now }
  await updateBrand(tx, changed)
  await appendBrandChange(tx, 'updated', brand, changed, now)
  return changed
}

export async function submitBrand(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  now: Date,
  registrar: RegistrarTerms | null = null,
): Promise<Brand> {
  const brand = await lockBrand(tx, accountId, id)
  const moved = moveBrand(brand, 'PENDING')
  checkComplete(brand)
  checkBrandForRegistrar(brand, registrar)
  const submitted: Brand = { ...moved, reviewNotes: [], submittedAt: now, updatedAt: now }
  await updateBrand(tx, submitted)
  await register(tx, submitted, registrar, now)
  await appendBrandChange(tx, 'submitted', brand, submitted, now)
  return submitted
}

/** Links are not verified, and an industry may be added to a brand that was verified without one. */
function isAlwaysEditable(brand: Brand, changes: Partial<BrandFields>): boolean {
  const names = Object.keys(changes) as (keyof BrandFields)[]
  const mayChange = (name: keyof BrandFields) =>
    name === 'privacyLink' ||
    name === 'termsLink' ||
    (name === 'vertical' && brand.vertical === null)
  return brand.status !== 'PENDING' && names.length > 0 && names.every(mayChange)
}

function fieldsOf(brand: Brand): BrandFields {
  const names = Object.keys(NO_FIELDS) as (keyof BrandFields)[]
  return Object.fromEntries(names.map((name) => [name, brand[name]])) as unknown as BrandFields
}
