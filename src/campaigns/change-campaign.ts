// A customer's changes to an existing campaign: edit it as far as its state allows, and submit a draft. A
// returned campaign is resubmitted without a second fee.

import type { AccountId } from '../accounts/account.js'
import { getBrand } from '../brands/brand-queries.js'
import type { RegistrarTerms } from '../brands/registration.js'
import { updateSubscribedBrand } from '../events/subscription-queries.js'
import type { Transaction } from '../kit/postgres/db.js'
import { appendCampaignChange } from './append-campaign-changes.js'
import type { Campaign } from './campaign.js'
import { applyFields, type CampaignInput, checkReviewedUnchanged } from './campaign-fields.js'
import { lockCampaign, updateCampaign } from './campaign-queries.js'
import { checkNotEnded } from './campaign-state.js'
import {
  getSubmittedBrand,
  type Planned,
  register,
  submitted,
  takeCreationFee,
} from './create-campaign.js'

export async function patchCampaign(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  changes: CampaignInput,
  now: Date,
): Promise<Campaign> {
  const campaign = await lockCampaign(tx, accountId, id)
  checkNotEnded(campaign, 'it can no longer be changed')
  const from = await getBrand(tx, accountId, campaign.brandId)
  const to = changes.brandId ? await getSubmittedBrand(tx, accountId, changes.brandId) : from
  const changed = applyFields(campaign, changes, { from, to })
  checkReviewedUnchanged(campaign, changed)
  const stamped: Campaign = { ...changed, updatedAt: now }
  await updateCampaign(tx, stamped)
  if (to.id !== from.id) await updateSubscribedBrand(tx, accountId, id, to.id)
  await appendCampaignChange(tx, 'updated', { before: campaign, after: stamped }, now)
  return stamped
}

export async function submitCampaign(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  now: Date,
  registrar: RegistrarTerms | null = null,
): Promise<Planned> {
  const draft = await lockCampaign(tx, accountId, id)
  const campaign = submitted(draft, now)
  const brand = await getBrand(tx, accountId, campaign.brandId)
  await updateCampaign(tx, campaign)
  await register(tx, { campaign, brand }, registrar, now)
  if (!draft.isFeePaid) await takeCreationFee(tx, campaign, now)
  await appendCampaignChange(tx, 'submitted', { before: draft, after: campaign }, now)
  return { campaign, brand }
}
