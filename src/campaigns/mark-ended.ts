// Marks a campaign as ended: no more renewals, reviews, or changes. termination/ cleans up its numbers and
// messages.

import { endRegistration } from '../brands/registration-queries.js'
import { updateSubscribedBrand } from '../events/subscription-queries.js'
import type { Transaction } from '../kit/postgres/db.js'
import { appendCampaignChange } from './append-campaign-changes.js'
import type { Campaign } from './campaign.js'
import { updateCampaign } from './campaign-queries.js'
import { moveCampaign } from './campaign-state.js'

/** The caller holds the lock of the campaign. The amount owed for an unpaid renewal is waived. */
export async function markEnded(tx: Transaction, campaign: Campaign, now: Date): Promise<Campaign> {
  const ended: Campaign = {
    ...moveCampaign(campaign, 'ENDED'),
    suspendedFor: null,
    reviewNotes: [],
    renewsAt: null,
    graceUntil: null,
    endedAt: now,
    updatedAt: now,
  }
  await updateCampaign(tx, ended)
  const { accountId, id: recordId } = campaign
  await endRegistration(tx, { accountId, recordId }, now)
  await appendCampaignChange(tx, 'ended', { before: campaign, after: ended }, now)
  // Its webhooks still get its own remaining events, but no more events of its brand.
  await updateSubscribedBrand(tx, campaign.accountId, campaign.id, null)
  return ended
}
