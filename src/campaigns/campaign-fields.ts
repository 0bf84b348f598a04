// The part of a campaign that its owner writes: the initial values, how changes are applied, and what must be
// there before a review.

import type { Brand } from '../brands/brand.js'
import { isWebAddress, WEB_ADDRESS_EXPECTS } from '../brands/web-address.js'
import { fieldRefusal, Refusal } from '../kit/contract/refusal.js'
import { newId } from '../kit/ids.js'
import { DEFAULT_KEYWORDS } from '../text/keywords.js'
import { type Campaign, SAMPLES_MAX } from './campaign.js'
import { type Defaults, defaultsOf } from './default-replies.js'
import { checkKeywordLists } from './keyword-lists.js'
import { NO_LIMITS } from './limits.js'

/** Only while DRAFT: what a reviewer has seen must not change. */
const REVIEWED_FIELDS = [
  'brandId',
  'usecase',
  'subUsecases',
  'description',
  'consentFlow',
  'screenshotUrl',
  'samples',
  'isLowVolume',
] as const satisfies readonly (keyof Campaign)[]

type ReviewedFields = Pick<Campaign, (typeof REVIEWED_FIELDS)[number]>
type FreeFields = Pick<
  Campaign,
  'optinKeywords' | 'optoutKeywords' | 'helpKeywords' | 'holdAtDailyCap' | 'actsOnNearOptout'
>

/** A client's input. Absent: unchanged. Null: none, or the default if there is one. */
export type CampaignInput = Partial<Omit<ReviewedFields, 'samples'> & FreeFields> & {
  [Name in keyof Defaults]?: string | null
} & { samples?: readonly (string | null | undefined)[] }

const REQUIRED = ['usecase', 'description', 'consentFlow'] as const

/** A draft with only defaults, not yet stored. */
export function blankCampaign(brand: Brand, now: Date): Campaign {
  const begun = {
    accountId: brand.accountId,
    id: newId('cmp', now),
    brandId: brand.id,
    status: 'DRAFT' as const,
    usecase: null,
    subUsecases: [],
    description: null,
    consentFlow: null,
    screenshotUrl: null,
    samples: Array<string | null>(SAMPLES_MAX).fill(null),
    optinKeywords: [...DEFAULT_KEYWORDS.optin],
    optoutKeywords: [...DEFAULT_KEYWORDS.optout],
    helpKeywords: [...DEFAULT_KEYWORDS.help],
    isLowVolume: false,
    holdAtDailyCap: false,
    actsOnNearOptout: true,
    isFeePaid: false,
    areLimitsSetByOperator: false,
    ...NO_LIMITS,
    monthlyFeeMicros: null,
    reviewNotes: [],
    suspendedFor: null,
    submittedAt: null,
    approvedAt: null,
    renewalDay: null,
    periodStart: null,
    renewsAt: null,
    graceUntil: null,
    endedAt: null,
    createdAt: now,
    updatedAt: now,
  }
  return { ...begun, ...defaultsOf(begun, brand) }
}

/**
 * Applies the input to the campaign. A text that is still the default follows what it is built from: the
 * brand, the use case, and the keywords.
 */
export function applyFields(
  campaign: Campaign,
  input: CampaignInput,
  brands: { from: Brand; to: Brand },
): Campaign {
  const { samples, displayName, optinMessage, optoutMessage, helpMessage, ...plain } = input
  const merged: Campaign = {
    ...campaign,
    ...plain,
    samples: campaign.samples.map((sample, i) =>
      samples?.[i] === undefined ? sample : samples[i],
    ),
  }
  if (merged.screenshotUrl !== null && !isWebAddress(merged.screenshotUrl)) {
    throw fieldRefusal('screenshotUrl', WEB_ADDRESS_EXPECTS)
  }
  checkKeywordLists(merged)
  const texts = { displayName, optinMessage, optoutMessage, helpMessage }
  const before = defaultsOf(campaign, brands.from)
  const after = defaultsOf(merged, brands.to)
  for (const name of Object.keys(texts) as (keyof Defaults)[]) {
    const text = texts[name]
    if (text === undefined) {
      if (campaign[name] === before[name]) merged[name] = after[name]
    } else merged[name] = text ?? after[name]
  }
  return merged
}

/** Refuses changes to what a reviewer has seen. */
export function checkReviewedUnchanged(before: Campaign, after: Campaign): void {
  if (before.status === 'DRAFT') return
  const changed = REVIEWED_FIELDS.find(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  if (changed === undefined) return
  throw new Refusal(
    'campaign_state',
    `The campaign is ${before.status}. ${changed} can be changed only while it is a DRAFT`,
  )
}

/** Refuses a campaign that cannot be submitted yet. */
export function checkComplete(campaign: Campaign): void {
  const missing = REQUIRED.filter((name) => campaign[name] === null)
  if (missing.length === 0) return
  throw new Refusal(
    'field_invalid',
    `${missing[0]} is required`,
    missing.map((field) => ({ field, problem: 'is required' })),
  )
}
