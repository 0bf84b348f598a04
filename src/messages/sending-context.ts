// What a send needs to know of its campaign: its limits and its numbers. Kept for a second while the
// campaign can send; whether it is ACTIVE is checked again by the statement that accepts.

import type { AccountId } from '../accounts/account.js'
import { getCampaign } from '../campaigns/campaign-queries.js'
import type { Clock } from '../kit/clock.js'
import type { Queryable } from '../kit/db.js'
import { Refusal } from '../kit/refusal.js'
import { findNumber, listCampaignNumbers } from '../numbers/number-queries.js'
import type { CarrierLimits } from './lane.js'

const KEPT_MS = 1_000
const KEPT_MAX = 5_000

export interface SendingContext {
  campaignId: string
  limits: CarrierLimits
  /** The default number first. Never empty. */
  numbers: readonly string[]
}

export interface SendingContexts {
  /** Refuses a campaign that is unknown, not ACTIVE, or without a number. */
  get: (accountId: AccountId, campaignId: string, from?: string) => Promise<SendingContext>
  /** The campaign that a number belongs to. */
  campaignOf: (accountId: AccountId, number: string) => Promise<string>
}

interface Kept {
  context: SendingContext
  until: number
}

export function createSendingContexts(db: Queryable, clock: Clock): SendingContexts {
  const kept = new Map<string, Kept>()

  return {
    get: async (accountId, campaignId, from) => {
      const key = `${accountId} ${campaignId}`
      const known = kept.get(key)
      const nowMs = clock.now().getTime()
      // A number that is not among the kept ones may have been bought this second.
      const isUsable = known && known.until > nowMs
      if (isUsable && (from === undefined || known.context.numbers.includes(from))) {
        return known.context
      }
      const context = await findContext(db, accountId, campaignId)
      if (kept.size >= KEPT_MAX) kept.clear()
      kept.set(key, { context, until: nowMs + KEPT_MS })
      return context
    },
    campaignOf: async (accountId, number) => {
      const found = await findNumber(db, number)
      if (found?.accountId !== accountId) throw new Refusal('campaign_missing')
      return found.campaignId
    },
  }
}

async function findContext(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
): Promise<SendingContext> {
  const campaign = await getCampaign(db, accountId, campaignId)
  if (campaign.status !== 'ACTIVE') {
    throw new Refusal(
      'campaign_state',
      `The campaign is ${campaign.status}: only an ACTIVE campaign can send`,
    )
  }
  const numbers = await listCampaignNumbers(db, accountId, campaignId)
  if (numbers.length === 0) throw new Refusal('campaign_numberless')
  return {
    campaignId,
    limits: campaign,
    numbers: numbers.map((number) => number.phoneNumber),
  }
}
