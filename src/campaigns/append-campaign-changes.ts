// The events of new or changed campaigns, appended in the transaction that changes them, for the live stream
// and for their webhooks that subscribe to it.

import type { AccountId } from '../accounts/account.js'
import { appendChanges, type Change, differenceOf } from '../events/append-changes.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { Campaign } from './campaign.js'
import { wireCampaign } from './campaign-wire.js'

export const CAMPAIGN_CHANGES = [
  'created',
  'updated',
  'submitted',
  'approved',
  'returned',
  'suspended',
  'resumed',
  'limits',
  'renewed',
  'renewal_unpaid',
  'ended',
] as const
export type CampaignChange = (typeof CAMPAIGN_CHANGES)[number]

export interface ChangedCampaign {
  /** Null for a new one. */
  before: Campaign | null
  after: Campaign
}

/** No event if nothing changed. */
export async function appendCampaignChange(
  tx: Transaction,
  change: CampaignChange,
  { before, after }: ChangedCampaign,
  now: Date,
): Promise<void> {
  await appendCampaignChanges(tx, after.accountId, change, [{ before, after }], now)
}

/** Several campaigns of one account with the same change, in one statement. */
export async function appendCampaignChanges(
  tx: Transaction,
  accountId: AccountId,
  change: CampaignChange,
  changed: readonly ChangedCampaign[],
  now: Date,
): Promise<void> {
  const events = changed.flatMap(({ before, after }): Change[] => {
    const campaign = wireCampaign(after)
    const difference = differenceOf(before && wireCampaign(before), campaign)
    if (!difference) return []
    const data = { change, campaign, ...difference }
    return [{ eventType: 'campaign.changed', campaignId: after.id, data }]
  })
  await appendChanges(tx, accountId, events, now)
}
