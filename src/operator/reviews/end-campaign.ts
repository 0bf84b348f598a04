// An operator ends a customer's campaign, with an audit log entry.

import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import type { Campaign } from '../../campaigns/campaign.js'
import { getCampaignOfAnyone } from '../../campaigns/campaign-queries.js'
import type { Transaction } from '../../kit/postgres/db.js'
import type { CanSend } from '../../termination/check-target.js'
import { endCampaign } from '../../termination/end-campaign.js'
import type { TerminationRequest } from '../../termination/termination.js'

export async function endCampaignOfAnyone(
  tx: Transaction,
  actor: Actor,
  request: TerminationRequest & { reason: string },
  now: Date,
  canSend: CanSend,
): Promise<Campaign> {
  const { campaignId, moveNumbersTo, reason } = request
  const { accountId } = await getCampaignOfAnyone(tx, campaignId)
  const { before, after } = await endCampaign(tx, accountId, request, now, canSend)
  if (before.status === 'ENDED') return after
  await recordAct(
    tx,
    actor,
    {
      act: 'campaign.end',
      accountId,
      subject: campaignId,
      before: { status: before.status },
      after: { status: after.status, moveNumbersTo, reason },
    },
    now,
  )
  return after
}
