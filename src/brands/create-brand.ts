// Creates a brand: submitted immediately, as the contract's create does, or saved as a draft.

import type { AccountId } from '../accounts/account.js'
import { newId } from '../kit/ids.js'
import type { Transaction } from '../kit/postgres/db.js'
import { appendBrandChange } from './append-brand-change.js'
import type { Brand, BrandFields } from './brand.js'
import { checkComplete, checkFields, NO_FIELDS, normaliseFields } from './brand-fields.js'
import { insertBrand } from './brand-queries.js'
import { checkBrandForRegistrar, type RegistrarTerms } from './registration.js'
import { submitRegistration } from './registration-queries.js'

export async function createBrand(
  tx: Transaction,
  accountId: AccountId,
  input: Partial<BrandFields>,
  now: Date,
  registrar: RegistrarTerms | null = null,
): Promise<Brand> {
  const draft = newDraft(accountId, input, now)
  checkComplete(draft)
  checkBrandForRegistrar(draft, registrar)
  const brand: Brand = { ...draft, status: 'PENDING', submittedAt: now }
  await insertBrand(tx, brand)
  await register(tx, brand, registrar, now)
  await appendBrandChange(tx, 'created', null, brand, now)
  return brand
}

/** In the transaction of the submission, so a crash loses nothing. */
export async function register(
  tx: Transaction,
  { accountId, id: recordId }: Brand,
  registrar: RegistrarTerms | null,
  now: Date,
): Promise<void> {
  if (!registrar) return
  await submitRegistration(tx, { accountId, recordId, kind: 'brand', link: registrar.link, now })
}

export async function draftBrand(
  tx: Transaction,
  accountId: AccountId,
  input: Partial<BrandFields>,
  now: Date,
): Promise<Brand> {
  const brand = newDraft(accountId, input, now)
  await insertBrand(tx, brand)
  await appendBrandChange(tx, 'created', null, brand, now)
  return brand
}

function newDraft(accountId: AccountId, input: Partial<BrandFields>, now: Date): Brand {
  const fields = normaliseFields({ ...NO_FIELDS, ...input })
  checkFields(fields)
  return {
    ...fields,
    accountId,
    id: newId('brd', now),
    status: 'DRAFT',
    trustScore: null,
    reviewNotes: [],
    submittedAt: null,
    createdAt: now,
    updatedAt: now,
  }
}
