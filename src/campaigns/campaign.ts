// A campaign: one messaging use case of a brand, with its keywords, their replies, its carrier limits, and
// its paid period. A DRAFT may lack the use case, description, and consent flow. No other status may.

import type { AccountId } from '../accounts/account.js'
import type { ReviewNote } from '../brands/brand.js'
import type { Keywords } from '../text/keywords.js'
import type { CampaignStatus } from './campaign-state.js'
import type { Usecase } from './usecase.js'

/** Charged once, when the campaign is first submitted. */
export const CREATION_FEE_MICROS = 20_000_000n
/** Charged each month after approval. */
export const MONTHLY_FEE_MICROS = 10_000_000n

export const SAMPLES_MAX = 5

/** Why a campaign is suspended: by the operator, by the carriers' registry, or for an unpaid renewal. */
export type Suspension = 'operator' | 'registry' | 'renewal'

/** Per minute toward AT&T, per day toward T-Mobile, in segments. Null: no limit. */
export interface CampaignLimits {
  smsTpmAtt: number | null
  mmsTpmAtt: number | null
  dailyTmoCap: number | null
}

export interface Replies {
  optinMessage: string
  optoutMessage: string
  helpMessage: string
}

export interface Campaign extends CampaignLimits, Replies {
  accountId: AccountId
  id: string
  brandId: string
  status: CampaignStatus
  displayName: string
  usecase: Usecase | 'MIXED' | null
  subUsecases: Usecase[]
  description: string | null
  consentFlow: string | null
  screenshotUrl: string | null
  /** Always SAMPLES_MAX entries. */
  samples: (string | null)[]
  optinKeywords: string[]
  optoutKeywords: string[]
  helpKeywords: string[]
  isLowVolume: boolean
  /** Above the daily cap, messages wait for the reset instead of failing. */
  holdAtDailyCap: boolean
  /** Replies such as "please stop texting me" count as an opt-out. */
  actsOnNearOptout: boolean
  isFeePaid: boolean
  /** They no longer follow the brand's score. */
  areLimitsSetByOperator: boolean
  /** Null before approval. */
  monthlyFeeMicros: bigint | null
  reviewNotes: ReviewNote[]
  suspendedFor: Suspension | null
  submittedAt: Date | null
  approvedAt: Date | null
  /** The day of approval, 1 to 31. Short months clamp the date, and longer ones restore it. */
  renewalDay: number | null
  /** The paid period: from periodStart until renewsAt. Both null before approval. */
  periodStart: Date | null
  renewsAt: Date | null
  graceUntil: Date | null
  endedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** The paid period of an approved campaign: from periodStart until before renewsAt. */
export interface PaidPeriod {
  periodStart: Date
  renewsAt: Date
}

type KeywordLists = Pick<Campaign, 'optinKeywords' | 'optoutKeywords' | 'helpKeywords'>

/** The campaign's keywords in the form that the text module compares. */
export function keywordsOf(campaign: KeywordLists): Keywords {
  return {
    optin: campaign.optinKeywords,
    optout: campaign.optoutKeywords,
    help: campaign.helpKeywords,
  }
}
