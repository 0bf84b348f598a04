// A campaign as JSON, with the contract's names, units, and nesting. Extensions are next to the contract's
// fields, never inside its `details` and `limits`.

import { type Static, type TSchema, Type } from 'typebox'
import { ReviewNoteShape } from '../brands/brand-wire.js'
import { WEB_ADDRESS_PATTERN, WebAddress } from '../brands/web-address.js'
import {
  Noun,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  RequiredText,
  Timestamp,
} from '../kit/contract/schema.js'
import { toCents } from '../kit/money.js'
import { BODY_LENGTH_MAX } from '../text/segments.js'
import type { Campaign } from './campaign.js'
import type { CampaignInput } from './campaign-fields.js'
import { CAMPAIGN_STATUSES } from './campaign-state.js'
import { KEYWORD_LENGTH_MAX, KEYWORDS_MAX, normalizeKeywords } from './keyword-lists.js'
import { OWING_FIELDS, wireOwing } from './owing-wire.js'
import { MIXED, readUsecase, USECASES, type UsecaseChoice, type UsecaseInput } from './usecase.js'

const DESCRIPTION_LENGTH_MAX = 4096
/** A sample and a reply are messages, so they have a message's length. */

/** readUsecase checks whether it names a use case, and names the invalid value. */
const USECASE_LENGTH_MAX = 200
const UsecaseName = Type.String({ maxLength: USECASE_LENGTH_MAX })
const USECASES_MAX = 20
const NOTE_LENGTH_MAX = 500

const UsecaseField = Type.Unsafe<UsecaseInput>({
  title: 'UsecaseChoice',
  anyOf: [
    UsecaseName,
    { type: 'array', items: UsecaseName, maxItems: USECASES_MAX },
    {
      type: 'object',
      propertyNames: { maxLength: USECASE_LENGTH_MAX },
      additionalProperties: { type: 'string', maxLength: NOTE_LENGTH_MAX },
      maxProperties: USECASES_MAX,
    },
  ],
  description: `One of ${USECASES.join(', ')}; or several, as a list or as the keys of an object`,
  examples: ['MARKETING', ['MARKETING', 'CUSTOMER_CARE'], { MARKETING: 'spring offers' }],
  'x-missing': 'usecase is required',
  'x-expects':
    'must be a use case, a list of use cases, or an object with use cases as keys and strings as values',
  'x-also': ['usecases', 'type', 'category'],
})

// May be absent, null, or blank, which all mean: none.
function optionalText(maxLength: number, options: object = {}) {
  return Type.Optional(
    Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, ...options }),
  )
}

// Null restores the default.
function textWithDefault(title: string, maxLength: number, description: string) {
  return Type.Optional(
    Type.Unsafe<string | null>({
      ...RequiredText(maxLength),
      title,
      type: ['string', 'null'],
      description,
    }),
  )
}

function keywordList(title: string, description: string) {
  return Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: KEYWORD_LENGTH_MAX, pattern: '\\S' }), {
      minItems: 1,
      maxItems: KEYWORDS_MAX,
      title,
      description,
    }),
  )
}

const Sample = optionalText(BODY_LENGTH_MAX)

const OPTIONAL_FIELDS = {
  displayName: textWithDefault('CampaignName', 255, 'Default: the brand’s name and the use case'),
  subUsecases: Type.Optional(
    Type.Array(UsecaseName, {
      title: 'SubUsecases',
      maxItems: USECASES_MAX,
      description: 'The use cases if `usecase` is MIXED',
    }),
  ),
  screenshotUrl: optionalText(2048, {
    title: 'ScreenshotUrl',
    ...WebAddress({ pattern: `^\\s*$|${WEB_ADDRESS_PATTERN}`, minLength: 0 }),
    type: ['string', 'null'],
    description: 'Screenshot of the consent flow',
  }),
  sample1: Sample,
  sample2: Sample,
  sample3: Sample,
  sample4: Sample,
  sample5: Sample,
  isLowVolume: Type.Optional(Type.Boolean({ description: 'Register as low volume' })),
}

/** Extension (not in the contract); can be changed at any time. */
const FREE_FIELDS = {
  optinKeywords: keywordList('OptinKeywords', 'Keywords that trigger opt-in'),
  optoutKeywords: keywordList(
    'OptoutKeywords',
    'Keywords that trigger opt-out. Those required by law cannot be removed',
  ),
  helpKeywords: keywordList('HelpKeywords', 'Keywords that trigger the help reply'),
  optinMessage: textWithDefault('OptinMessage', BODY_LENGTH_MAX, 'Reply to an opt-in keyword'),
  optoutMessage: textWithDefault('OptoutMessage', BODY_LENGTH_MAX, 'Reply to an opt-out keyword'),
  helpMessage: textWithDefault('HelpMessage', BODY_LENGTH_MAX, 'Reply to a help keyword'),
  holdAtDailyCap: Type.Optional(
    Type.Boolean({
      title: 'HoldAtDailyCap',
      description:
        'true: messages over the daily T-Mobile cap wait for the next day (midnight Pacific time), and this wait does not count toward their validity. false: they fail with 1320 and are not charged',
    }),
  ),
  actsOnNearOptout: Type.Optional(
    Type.Boolean({
      title: 'ActsOnNearOptout',
      description:
        'Count replies such as "please stop texting me" as opt-outs. Default: true, because the law accepts any reasonable wording',
    }),
  ),
}

const BrandId = RequiredText(1000, { description: 'The brand that the campaign belongs to' })
const OptionalDescription = optionalText(DESCRIPTION_LENGTH_MAX)

export const CreateCampaignBody = Noun('CreateCampaignBody', {
  brandId: BrandId,
  usecase: UsecaseField,
  description: RequiredText(DESCRIPTION_LENGTH_MAX),
  consentFlow: RequiredText(DESCRIPTION_LENGTH_MAX, { description: 'How consent is obtained' }),
  ...OPTIONAL_FIELDS,
  ...FREE_FIELDS,
})

export const DraftCampaignBody = Type.Object({
  brandId: BrandId,
  usecase: Type.Optional(UsecaseField),
  description: OptionalDescription,
  consentFlow: OptionalDescription,
  ...OPTIONAL_FIELDS,
  ...FREE_FIELDS,
})

export const PatchCampaignBody = Type.Object({
  brandId: Type.Optional(BrandId),
  usecase: Type.Optional(UsecaseField),
  description: OptionalDescription,
  consentFlow: OptionalDescription,
  ...OPTIONAL_FIELDS,
  ...FREE_FIELDS,
})

function extension<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description: `${description}. Extension (not in the contract)` }
}

export const CampaignShape = Noun('Campaign', {
  id: Type.String(),
  brandId: Type.String(),
  displayName: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  status: Type.Enum([...CAMPAIGN_STATUSES]),
  monthlyFee: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'Renewal fee in cents; null before approval',
  }),
  usecase: Type.String({ description: `One of ${USECASES.join(', ')}, or MIXED` }),
  subUsecases: Type.Array(Type.Enum([...USECASES])),
  details: Noun('CampaignDetails', {
    description: Type.String({ description: 'Empty if a draft lacks it' }),
    consentFlow: Type.String(),
    screenshotUrl: Type.Optional(Type.String()),
    sample1: NullableString,
    sample2: NullableString,
    sample3: NullableString,
    sample4: NullableString,
    sample5: NullableString,
    optinKeywords: Type.Array(Type.String()),
    optoutKeywords: Type.Array(Type.String()),
    helpKeywords: Type.Array(Type.String()),
    optinMessage: Type.String(),
    optoutMessage: Type.String(),
    helpMessage: Type.String(),
  }),
  limits: Noun('Limits', {
    smsTpmAtt: NullableNumber,
    mmsTpmAtt: NullableNumber,
    dailyTmoCap: NullableNumber,
  }),
  limitsSetByOperator: extension(
    Type.Boolean(),
    'An operator set the limits manually, and they do not follow the brand’s score',
  ),
  isLowVolume: extension(Type.Boolean(), 'Registered as low volume'),
  holdAtDailyCap: extension(Type.Boolean(), 'Waits over the T-Mobile cap instead of failing'),
  actsOnNearOptout: extension(Type.Boolean(), 'Counts replies such as "please stop" as opt-outs'),
  renewsAt: extension(NullableTimestamp, 'The next renewal; null before approval'),
  endedAt: Type.Optional(extension(Timestamp, 'Present once the campaign has ended')),
  ...OWING_FIELDS,
  reviewNotes: extension(Type.Array(ReviewNoteShape), 'Why the reviewer returned the campaign'),
})

const TEXTS = [
  'displayName',
  'description',
  'consentFlow',
  'screenshotUrl',
  'optinMessage',
  'optoutMessage',
  'helpMessage',
] as const
const LISTS = ['optinKeywords', 'optoutKeywords', 'helpKeywords'] as const
const VERBATIM = ['brandId', 'isLowVolume', 'holdAtDailyCap', 'actsOnNearOptout'] as const
const SAMPLES = ['sample1', 'sample2', 'sample3', 'sample4', 'sample5'] as const

/**
 * Takes only the fields listed here, because nothing else in a body may reach the record. Fields that the
 * body does not have are left out, so a change does not touch them.
 */
export function readCampaignBody(body: Static<typeof PatchCampaignBody>): CampaignInput {
  const fields: Record<string, unknown> = {
    samples: SAMPLES.map((name) => normalizeText(body[name])),
  }
  for (const name of TEXTS) fields[name] = normalizeText(body[name])
  for (const name of LISTS) fields[name] = body[name] && normalizeKeywords(body[name])
  for (const name of VERBATIM) fields[name] = body[name]
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(present), ...usecaseOf(body) }
}

function usecaseOf({
  usecase,
  subUsecases,
}: Static<typeof PatchCampaignBody>): Partial<UsecaseChoice> {
  if (usecase !== undefined) return readUsecase(usecase, subUsecases)
  return subUsecases === undefined ? {} : readUsecase(MIXED, subUsecases)
}

// Blank text means none.
function normalizeText(text: string | null | undefined): string | null | undefined {
  return typeof text === 'string' ? text.trim() || null : text
}

export function wireCampaign(campaign: Campaign): Static<typeof CampaignShape> {
  const [sample1, sample2, sample3, sample4, sample5] = campaign.samples
  const { monthlyFeeMicros, smsTpmAtt, mmsTpmAtt, dailyTmoCap } = campaign
  return {
    id: campaign.id,
    brandId: campaign.brandId,
    displayName: campaign.displayName,
    createdAt: campaign.createdAt.toISOString(),
    updatedAt: campaign.updatedAt.toISOString(),
    status: campaign.status,
    monthlyFee: monthlyFeeMicros === null ? null : toCents(monthlyFeeMicros),
    usecase: campaign.usecase ?? '',
    subUsecases: campaign.subUsecases,
    details: {
      description: campaign.description ?? '',
      consentFlow: campaign.consentFlow ?? '',
      ...(campaign.screenshotUrl !== null && { screenshotUrl: campaign.screenshotUrl }),
      sample1: sample1 ?? null,
      sample2: sample2 ?? null,
      sample3: sample3 ?? null,
      sample4: sample4 ?? null,
      sample5: sample5 ?? null,
      optinKeywords: campaign.optinKeywords,
      optoutKeywords: campaign.optoutKeywords,
      helpKeywords: campaign.helpKeywords,
      optinMessage: campaign.optinMessage,
      optoutMessage: campaign.optoutMessage,
      helpMessage: campaign.helpMessage,
    },
    limits: { smsTpmAtt, mmsTpmAtt, dailyTmoCap },
    limitsSetByOperator: campaign.areLimitsSetByOperator,
    isLowVolume: campaign.isLowVolume,
    holdAtDailyCap: campaign.holdAtDailyCap,
    actsOnNearOptout: campaign.actsOnNearOptout,
    renewsAt: campaign.renewsAt?.toISOString() ?? null,
    ...(campaign.endedAt && { endedAt: campaign.endedAt.toISOString() }),
    ...wireOwing(campaign),
    reviewNotes: campaign.reviewNotes,
  }
}
