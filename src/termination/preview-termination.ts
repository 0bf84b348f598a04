// Shows what ending a campaign would do: numbers, messages, money, and renewals.

import type { AccountId } from '../accounts/account.js'
import type { Campaign } from '../campaigns/campaign.js'
import { getCampaign } from '../campaigns/campaign-queries.js'
import type { Queryable } from '../kit/postgres/db.js'
import { countQueued } from '../messages/moves/waiting-queries.js'
import { listNumbersToLeave, sumCampaignNumbers } from '../numbers/number-queries.js'
import { type CanSend, checkTarget } from './check-target.js'
import type { TerminationRequest } from './termination.js'

/** Listed one by one up to here, and only counted above. */
const NUMBERS_SHOWN_MAX = 100
/** Counted up to here: a preview must not cost as much as the end itself. */
const MESSAGES_COUNTED_MAX = 10_000

export interface TerminationPreview {
  campaign: Campaign
  moveNumbersTo: string | null
  numbers: string[]
  numberCount: number
  messagesWaiting: number
  /** There are more than were counted. */
  isMoreWaiting: boolean
  /** The charges of waiting messages, which are refunded. */
  refundMicros: bigint
  /** The monthly cost from the renewal date on. */
  monthlyMicros: bigint
}

export async function previewTermination(
  db: Queryable,
  accountId: AccountId,
  request: TerminationRequest,
  canSend: CanSend,
): Promise<TerminationPreview> {
  const { campaignId, moveNumbersTo } = request
  const campaign = await getCampaign(db, accountId, campaignId)
  if (moveNumbersTo !== null) await checkTarget(db, accountId, request, canSend)
  const shown = await listNumbersToLeave(db, accountId, campaignId, NUMBERS_SHOWN_MAX)
  const numbers = await sumCampaignNumbers(db, accountId, campaignId)
  const queued = await countQueued(db, accountId, campaignId, MESSAGES_COUNTED_MAX + 1)
  const numbersMicros = moveNumbersTo === null ? numbers.monthlyPriceMicros : 0n
  return {
    campaign,
    moveNumbersTo,
    numbers: shown.map((number) => number.phoneNumber),
    numberCount: numbers.count,
    messagesWaiting: Math.min(queued.count, MESSAGES_COUNTED_MAX),
    isMoreWaiting: queued.count > MESSAGES_COUNTED_MAX,
    refundMicros: queued.priceMicros,
    monthlyMicros: (campaign.monthlyFeeMicros ?? 0n) + numbersMicros,
  }
}
