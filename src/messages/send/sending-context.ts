// What a send needs to know of its campaign: its limits and its numbers. Kept for a second while the
// campaign can send; whether it is ACTIVE is checked again by the statement that accepts.

import type { AccountId } from '../../accounts/account.js'
import { getCampaign } from '../../campaigns/campaign-queries.js'
import { checkNotEnded } from '../../campaigns/campaign-state.js'
import type { Clock } from '../../kit/clock.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { findNumber, listCampaignNumbers } from '../../numbers/number-queries.js'
import type { CarrierLimits } from '../lane.js'

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
  get: (
    accountId: AccountId,
    campaignId: string,
    from?: string,
  ) => SendingContext | Promise<SendingContext>
  /** The campaign that a number belongs to. */
  campaignOf: (accountId: AccountId, number: string) => Promise<string>
}

interface Kept {
  accountId: AccountId
  /** A promise while it is looked up: all messages of a large batch ask at once. */
  context: SendingContext | Promise<SendingContext>
  until: number
}

export function createSendingContexts(db: Queryable, clock: Clock): SendingContexts {
  const kept = new Map<string, Kept>() // by campaign

  const lookUp = (accountId: AccountId, campaignId: string): Promise<SendingContext> => {
    if (kept.size >= KEPT_MAX) kept.clear()
    const context = findContext(db, accountId, campaignId)
    const entry: Kept = { accountId, context, until: clock.nowMs() + KEPT_MS }
    kept.set(campaignId, entry)
    context.then(
      (found) => {
        entry.context = found
      },
      // A refusal may be mended the next moment, and need not be the owner's.
      () => kept.get(campaignId) === entry && kept.delete(campaignId),
    )
    return context
  }

  return {
    // Without waiting where the context is known: most sends of a busy campaign.
    get: (accountId, campaignId, from) => {
      const known = kept.get(campaignId)
      if (known?.accountId !== accountId || known.until <= clock.nowMs()) {
        return lookUp(accountId, campaignId)
      }
      // A number that is not among the kept ones may have been bought this second.
      const orAnew = (context: SendingContext) =>
        from === undefined || context.numbers.includes(from)
          ? context
          : lookUp(accountId, campaignId)
      return known.context instanceof Promise ? known.context.then(orAnew) : orAnew(known.context)
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
  checkNotEnded(campaign, 'nothing can be sent from it any more')
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
