// Creates a campaign: submitted and charged immediately, as the contract's create does, or saved as a draft
// that costs nothing yet.

import type { AccountId } from '../accounts/account.js'
import type { Brand } from '../brands/brand.js'
import { getBrand } from '../brands/brand-queries.js'
import { type RegistrarTerms, refuseMissing, requirementsOf } from '../brands/registration.js'
import { ensureRegistration, submitRegistration } from '../brands/registration-queries.js'
import { fieldRefusal, Refusal } from '../kit/contract/refusal.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { transfer } from '../ledger/ledger-queries.js'
import { appendCampaignChange } from './append-campaign-changes.js'
import { type Campaign, CREATION_FEE_MICROS } from './campaign.js'
import { applyFields, blankCampaign, type CampaignInput, checkComplete } from './campaign-fields.js'
import { insertCampaign } from './campaign-queries.js'
import { moveCampaign } from './campaign-state.js'

export type NewCampaign = CampaignInput & { brandId: string }

export interface Planned {
  campaign: Campaign
  brand: Brand
}

/** Default replies use a brand's name and web address. A draft may lack both. */
export async function getSubmittedBrand(
  db: Queryable,
  accountId: AccountId,
  id: string,
): Promise<Brand> {
  const brand = await getBrand(db, accountId, id)
  if (brand.status !== 'DRAFT') return brand
  throw new Refusal('brand_state', 'The brand is a DRAFT. Submit it before its campaigns.')
}

/** The campaign before it is stored: the given fields, and defaults for the rest. */
export async function planCampaign(
  db: Queryable,
  accountId: AccountId,
  input: NewCampaign,
  now: Date,
): Promise<Planned> {
  const brand = await getSubmittedBrand(db, accountId, input.brandId)
  const campaign = applyFields(blankCampaign(brand, now), input, { from: brand, to: brand })
  return { campaign, brand }
}

/** Writes and charges, or neither: a refused charge rolls the transaction back. */
export async function createCampaign(
  tx: Transaction,
  accountId: AccountId,
  input: NewCampaign,
  now: Date,
  registrar: RegistrarTerms | null = null,
): Promise<Planned> {
  const { campaign: draft, brand } = await planCampaign(tx, accountId, input, now)
  const campaign = submitted(draft, now)
  await insertCampaign(tx, campaign)
  await register(tx, { campaign, brand }, registrar, now)
  await takeCreationFee(tx, campaign, now)
  await appendCampaignChange(tx, 'created', { before: null, after: campaign }, now)
  return { campaign, brand }
}

/** In the transaction of the submission. The brand comes first, if it is not registered yet. */
export async function register(
  tx: Transaction,
  { campaign, brand }: Planned,
  registrar: RegistrarTerms | null,
  now: Date,
): Promise<void> {
  if (!registrar) return
  checkCampaignForRegistrar({ campaign, brand }, registrar)
  const { link } = registrar
  const { accountId } = campaign
  if (brand.status !== 'UNVERIFIED') {
    await ensureRegistration(tx, { accountId, recordId: brand.id, kind: 'brand', link, now })
  }
  await submitRegistration(tx, { accountId, recordId: campaign.id, kind: 'campaign', link, now })
}

/** Refuses what the provider would reject unread. */
export function checkCampaignForRegistrar(
  { campaign, brand }: Planned,
  registrar: RegistrarTerms | null,
): void {
  const asks = requirementsOf(registrar)
  const samples = ['sample1', 'sample2']
  refuseMissing(asks.campaign.filter((name) => !campaign.samples[samples.indexOf(name)]))
  const lacking = asks.brand.find((name) => brand[name as keyof Brand] === null)
  if (lacking === undefined) return
  throw fieldRefusal(
    'brandId',
    `is a brand without ${lacking}, which is required to register with the carriers. Add it with PATCH /v1/brand/${brand.id}`,
  )
}

export async function draftCampaign(
  tx: Transaction,
  accountId: AccountId,
  input: NewCampaign,
  now: Date,
): Promise<Campaign> {
  const { campaign } = await planCampaign(tx, accountId, input, now)
  await insertCampaign(tx, campaign)
  await appendCampaignChange(tx, 'created', { before: null, after: campaign }, now)
  return campaign
}

/** The campaign after its submission. The caller charges the fee if it is not paid. */
export function submitted(draft: Campaign, now: Date): Campaign {
  const campaign = moveCampaign(draft, 'PENDING')
  checkComplete(campaign)
  return { ...campaign, isFeePaid: true, reviewNotes: [], submittedAt: now, updatedAt: now }
}

/** The reference makes a second charge for the same campaign impossible. */
export async function takeCreationFee(
  tx: Transaction,
  { accountId, id }: Campaign,
  now: Date,
): Promise<void> {
  await transfer(tx, {
    accountId,
    reason: 'campaign_creation',
    reference: `campaign_creation:${id}`,
    amountMicros: CREATION_FEE_MICROS,
    campaignId: id,
    now,
  })
}
