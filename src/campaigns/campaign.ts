// A campaign: one messaging use case of a brand, with its keywords, their replies, its carrier limits
// and its paid period. A DRAFT may lack use case, description and consent flow; no other status may.

import type { AccountId } from '../accounts/account.js'
import type { ReviewNote } from '../brands/brand.js'
import type { Keywords } from '../text/keywords.js'
import type { CampaignStatus } from './campaign-state.js'
import type { Usecase } from './usecase.js'

/** Taken once, when the campaign is first submitted. */
export const CREATION_FEE_MICROS = 20_000_000n
/** Taken each month from approval on. */
export const MONTHLY_FEE_MICROS = 10_000_000n

export const SAMPLES_MAX = 5

/** Why a campaign stands still: the operator stopped it, the carriers' registry did, or its renewal is unpaid. */
export type Suspension = 'operator' | 'registry' | 'renewal'

/** Per minute toward AT&T, per day toward T-Mobile, in segments. Null: no limit. */
export interface Limits {
  smsTpmAtt: number | null
  mmsTpmAtt: number | null
  dailyTmoCap: number | null
}

export interface Replies {
  optinMessage: string
  optoutMessage: string
  helpMessage: string
}

export interface Campaign extends Limits, Replies {
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
  /** Over the daily cap messages wait for the reset instead of failing. */
  holdAtDailyCap: boolean
  /** Replies such as "please stop texting me" count as an opt-out. */
  actsOnNearOptout: boolean
  isFeePaid: boolean
  /** They stay as they are whatever becomes of the brand's score. */
  areLimitsSetByOperator: boolean
  /** Null before approval. */
  monthlyFeeMicros: bigint | null
  reviewNotes: ReviewNote[]
  suspendedFor: Suspension | null
  submittedAt: Date | null
  approvedAt: Date | null
  /** The day of approval, 1 to 31: short months clamp the date, long ones get it back. */
  renewalDay: number | null
  /** What is paid for: from periodStart until renewsAt. Both null before approval. */
  periodStart: Date | null
  renewsAt: Date | null
  graceUntil: Date | null
  endedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

type KeywordLists = Pick<Campaign, 'optinKeywords' | 'optoutKeywords' | 'helpKeywords'>

/** The campaign's keywords as the text room compares them. */
export function keywordsOf(campaign: KeywordLists): Keywords {
  return {
    optin: campaign.optinKeywords,
    optout: campaign.optoutKeywords,
    help: campaign.helpKeywords,
  }
}
