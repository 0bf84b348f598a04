// What a system id may be made for: a campaign of the account, or one of its numbers.

import type { AccountId } from '../accounts/account.js'
import { getCampaign } from '../campaigns/campaign-queries.js'
import { fieldRefusal } from '../kit/contract/refusal.js'
import type { Queryable } from '../kit/postgres/db.js'
import { findNumber } from './number-queries.js'

export interface WantedSystem {
  campaign?: string | undefined
  number?: string | undefined
}

/** Refuses what is not the account's, and a number that is not the campaign's. */
export async function checkSmppSystem(
  db: Queryable,
  accountId: AccountId,
  { campaign, number }: WantedSystem,
): Promise<{ campaignId: string | null; number: string | null }> {
  if (campaign !== undefined) await getCampaign(db, accountId, campaign)
  if (number === undefined) return { campaignId: campaign ?? null, number: null }
  const found = await findNumber(db, number)
  const isOwn =
    found?.accountId === accountId && found.campaignId === (campaign ?? found.campaignId)
  if (!isOwn) {
    const whose = campaign === undefined ? 'of yours' : 'of this campaign'
    throw fieldRefusal('smpp.number', `must be a number ${whose}`)
  }
  return { campaignId: found.campaignId, number }
}
