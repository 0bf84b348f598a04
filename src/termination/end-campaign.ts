// Ends a campaign. One transaction marks it ENDED, which stops sends, purchases, and renewals, and adds a row
// for the cleanup. continue-terminations.ts does the cleanup and continues after a crash.

import type { AccountId } from '../accounts/account.js'
import type { Campaign } from '../campaigns/campaign.js'
import { getCampaign, lockCampaign } from '../campaigns/campaign-queries.js'
import { markEnded } from '../campaigns/mark-ended.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Transaction } from '../kit/postgres/db.js'
import { type CanSend, checkTarget, getTarget } from './check-target.js'
import { newTermination, type TerminationRequest } from './termination.js'
import { findTermination, insertTermination } from './termination-queries.js'

/** Ending an ended campaign changes nothing, unless the request handles its numbers differently. */
export async function endCampaign(
  tx: Transaction,
  accountId: AccountId,
  request: TerminationRequest,
  now: Date,
  canSend: CanSend,
): Promise<{ before: Campaign; after: Campaign }> {
  const { campaignId, moveNumbersTo } = request
  await getCampaign(tx, accountId, campaignId)
  if (moveNumbersTo !== null) await getTarget(tx, accountId, request)
  const before = await lockBoth(tx, accountId, request)
  if (before.status === 'ENDED') {
    await checkSameEnd(tx, accountId, request)
    return { before, after: before }
  }
  if (moveNumbersTo !== null) await checkTarget(tx, accountId, request, canSend)
  const after = await markEnded(tx, before, now)
  await insertTermination(tx, newTermination(before, moveNumbersTo, now))
  return { before, after }
}

/** Always in the same order, so two ends can wait for each other but never deadlock. */
export async function lockBoth(
  tx: Transaction,
  accountId: AccountId,
  { campaignId, moveNumbersTo }: TerminationRequest,
): Promise<Campaign> {
  const locked = new Map<string, Campaign>()
  const ids = moveNumbersTo === null ? [campaignId] : [campaignId, moveNumbersTo].toSorted()
  for (const id of ids) locked.set(id, await lockCampaign(tx, accountId, id))
  return locked.get(campaignId)!
}

async function checkSameEnd(
  tx: Transaction,
  accountId: AccountId,
  { campaignId, moveNumbersTo }: TerminationRequest,
): Promise<void> {
  const termination = await findTermination(tx, accountId, campaignId)
  if (!termination || moveNumbersTo === null || termination.moveNumbersTo === moveNumbersTo) return
  const done =
    termination.moveNumbersTo === null ? 'released' : `moved to ${termination.moveNumbersTo}`
  throw new Refusal('campaign_state', `The campaign has already ended. Its numbers were ${done}`)
}
