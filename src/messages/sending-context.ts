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
  /** Also while it is looked up: all messages of a large batch ask at once. */
  context: Promise<SendingContext>
  until: number
}

export function createSendingContexts(db: Queryable, clock: Clock): SendingContexts {
  const kept = new Map<string, Kept>()

  return {
    get: async (accountId, campaignId, from) => {
      const key = `${accountId} ${campaignId}`
      const known = kept.get(key)
      const nowMs = clock.now().getTime()
      if (known && known.until > nowMs) {
        const context = await known.context
        // A number that is not among the kept ones may have been bought this second.
        if (from === undefined || context.numbers.includes(from)) return context
      }
      if (kept.size >= KEPT_MAX) kept.clear()
      const context = findContext(db, accountId, campaignId)
      kept.set(key, { context, until: nowMs + KEPT_MS })
      context.catch(() => kept.delete(key)) // a refusal may be mended the next moment
      return await context // awaited here as above, so that those who asked first go first
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
