// What a system ID may be created for: a campaign of the account, or one of its numbers.

import type { AccountId } from '../accounts/account.js'
import { getCampaign } from '../campaigns/campaign-queries.js'
import { fieldRefusal } from '../kit/contract/refusal.js'
import type { Queryable } from '../kit/postgres/db.js'
import { findNumber } from './number-queries.js'

export interface SmppSystemRequest {
  campaign?: string | undefined
  number?: string | undefined
}

/** Refuses a campaign or number of another account, and a number of another campaign. */
export async function checkSmppSystem(
  db: Queryable,
  accountId: AccountId,
  { campaign, number }: SmppSystemRequest,
): Promise<{ campaignId: string | null; number: string | null }> {
  if (campaign !== undefined) await getCampaign(db, accountId, campaign)
  if (number === undefined) return { campaignId: campaign ?? null, number: null }
  const found = await findNumber(db, number)
  const isOwn =
    found?.accountId === accountId && found.campaignId === (campaign ?? found.campaignId)
  if (!isOwn) {
    const whose = campaign === undefined ? 'of your account' : 'of this campaign'
    throw fieldRefusal('smpp.number', `must be a number ${whose}`)
  }
  return { campaignId: found.campaignId, number }
}
