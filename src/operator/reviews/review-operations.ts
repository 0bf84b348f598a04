// Requests, responses, and errors of the operator's review endpoints: the queues of brands and campaigns, and the
// decisions.

import { type TSchema, Type } from 'typebox'
import { BRAND_EXAMPLE } from '../../brands/brand-examples.js'
import { BRAND_STATUSES } from '../../brands/brand-state.js'
import { BrandShape, CreateBrandBody } from '../../brands/brand-wire.js'
import { CAMPAIGN_EXAMPLE } from '../../campaigns/campaign-operations.js'
import { CAMPAIGN_STATUSES } from '../../campaigns/campaign-state.js'
import { CampaignShape, CreateCampaignBody } from '../../campaigns/campaign-wire.js'
import { ALL } from '../../kit/contract/list-filter.js'
import { operation } from '../../kit/contract/operation.js'
import {
  HasMore,
  IdParams,
  IdText,
  pageQueryWith,
  RequiredText,
} from '../../kit/contract/schema.js'
import { Confirm, MoveNumbersTo } from '../../termination/termination-routes.js'
import { TERMINATION_EXAMPLE, TerminationShape } from '../../termination/termination-wire.js'
import { Reason } from '../accounts/account-operations.js'
import { OPERATED_ACCOUNT_EXAMPLE } from '../accounts/account-wire.js'

const AccountField = Type.Object({
  accountId: Type.String({ description: 'Account that owns the record' }),
})
const ACCOUNT_FIELD = { accountId: OPERATED_ACCOUNT_EXAMPLE.id }

export const ReviewedBrand = Type.Intersect([AccountField, BrandShape], { title: 'ReviewedBrand' })
export const ReviewedCampaign = Type.Intersect([AccountField, CampaignShape], {
  title: 'ReviewedCampaign',
})

export const REVIEWED_BRAND_EXAMPLE = { ...ACCOUNT_FIELD, ...BRAND_EXAMPLE }

export const REVIEWED_CAMPAIGN_EXAMPLE = {
  ...ACCOUNT_FIELD,
  ...CAMPAIGN_EXAMPLE,
  status: 'PENDING',
}

const ACCOUNT_QUERY = {
  account: Type.Optional(IdText({ description: 'Only this account' })),
}

/** Nobody would see a note on a field that does not exist. */
function Notes(fields: readonly string[]) {
  return Type.Array(
    Type.Object({
      field: Type.Enum([...fields]),
      note: RequiredText(1000, { description: 'What is wrong, and how to fix it' }),
    }),
    { minItems: 1, maxItems: 50, 'x-expects': 'must be a list of notes, each {field, note}' },
  )
}

export const BRAND_FIELDS: readonly string[] = Object.keys(CreateBrandBody.properties).filter(
  (name) => !name.includes(' '),
)
export const CAMPAIGN_FIELDS: readonly string[] = Object.keys(CreateCampaignBody.properties)

export const LIST_BRANDS = operation({
  id: 'operatorListBrands',
  tag: 'Operator',
  summary: 'List brands to review, oldest first',
  isExtension: true,
  scope: 'operator',
  query: pageQueryWith({
    status: Type.Optional(Type.Enum([...BRAND_STATUSES, ALL], { default: 'PENDING' })),
    ...ACCOUNT_QUERY,
  }),
  reply: Type.Object({ brands: Type.Array(ReviewedBrand), hasMore: HasMore }),
  example: { brands: [REVIEWED_BRAND_EXAMPLE], hasMore: false },
  failure: { brands: [] },
})

export const VERIFY_BRAND = brandDecision(
  {
    id: 'operatorVerifyBrand',
    summary: 'Verify a PENDING brand',
  },
  { status: 'VERIFIED' },
)

export const REFUSE_BRAND = brandDecision(
  {
    id: 'operatorRefuseBrand',
    summary: 'Refuse a PENDING brand, with a reason for each field',
    description:
      'It becomes UNVERIFIED. The customer sees the notes, fixes the fields, and resubmits.',
    body: Type.Object({ notes: Notes(BRAND_FIELDS) }),
    bodyExample: { notes: [{ field: 'ein', note: 'The tax records know another name for it.' }] },
  },
  { status: 'UNVERIFIED' },
)

export const VET_BRAND = brandDecision(
  {
    id: 'operatorVetBrand',
    summary: 'Set the trust score of a VERIFIED brand',
    description:
      'Also changes the score of a VETTED brand. Its approved campaigns get the limits of that score, except campaigns with limits set by an operator.',
    body: Type.Object({
      trustScore: Type.Integer({
        minimum: 0,
        maximum: 100,
        'x-missing': 'trustScore is required',
        'x-expects': 'must be a whole number from 0 to 100',
      }),
    }),
    bodyExample: { trustScore: 80 },
  },
  { status: 'VETTED', vetted: true, trustScore: 80 },
)

export const LIST_CAMPAIGNS = operation({
  id: 'operatorListCampaigns',
  tag: 'Operator',
  summary: 'List campaigns to review, oldest first',
  description: 'A campaign can be decided once its brand is VERIFIED or VETTED.',
  isExtension: true,
  scope: 'operator',
  query: pageQueryWith({
    status: Type.Optional(Type.Enum([...CAMPAIGN_STATUSES, ALL], { default: 'PENDING' })),
    ...ACCOUNT_QUERY,
  }),
  reply: Type.Object({ campaigns: Type.Array(ReviewedCampaign), hasMore: HasMore }),
  example: { campaigns: [REVIEWED_CAMPAIGN_EXAMPLE], hasMore: false },
  failure: { campaigns: [] },
})

export const APPROVE_CAMPAIGN = campaignDecision(
  {
    id: 'operatorApproveCampaign',
    summary: 'Approve a PENDING campaign',
    description: 'It becomes ACTIVE, gets its limits, and renews every month.',
  },
  'ACTIVE',
)

export const RETURN_CAMPAIGN = campaignDecision(
  {
    id: 'operatorReturnCampaign',
    summary: 'Return a PENDING campaign, with a note for each field',
    description:
      'It becomes DRAFT again. The customer fixes it and resubmits without a second fee.',
    body: Type.Object({ notes: Notes(CAMPAIGN_FIELDS) }),
    bodyExample: { notes: [{ field: 'sample1', note: 'Name the brand, and say how to opt out.' }] },
  },
  'DRAFT',
)

export const SUSPEND_CAMPAIGN = campaignDecision(
  {
    id: 'operatorSuspendCampaign',
    summary: 'Suspend an ACTIVE campaign: its queued messages fail with 1340',
    body: Type.Object({ reason: Reason }),
    bodyExample: { reason: 'Complaints from the carrier' },
  },
  'SUSPENDED',
)

export const RESUME_CAMPAIGN = campaignDecision(
  {
    id: 'operatorResumeCampaign',
    summary: 'Resume a SUSPENDED campaign',
    body: Type.Object({ reason: Reason }),
    bodyExample: { reason: 'Cleared with the carrier' },
  },
  'ACTIVE',
)

const Limit = Type.Optional(
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 1,
    maximum: 100_000_000,
    description: 'Segments; null: no limit',
    'x-expects': 'must be a whole number, 1 or more, or null for no limit',
  }),
)

export const SET_LIMITS = campaignDecision(
  {
    id: 'operatorSetLimits',
    summary: 'Set the carrier limits of an approved campaign',
    description:
      'Fields that you omit do not change. The limits no longer follow the brand’s trust score.',
    body: Type.Object({ smsTpmAtt: Limit, mmsTpmAtt: Limit, dailyTmoCap: Limit }),
    bodyExample: { smsTpmAtt: 2400, dailyTmoCap: 40_000 },
  },
  'ACTIVE',
)

export const FOLLOW_LIMITS = campaignDecision(
  {
    id: 'operatorFollowLimits',
    summary: 'Set the limits of a campaign from its brand’s trust score again',
  },
  'ACTIVE',
)

export const END_CAMPAIGN = operation({
  id: 'operatorEndCampaign',
  tag: 'Operator',
  summary: 'End a campaign permanently',
  description:
    'The same as its owner can do: no more sends or renewals, its numbers are released or moved, and waiting messages are canceled and refunded. This cannot be undone, so `confirm` must be the ID of the campaign.',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  body: Type.Object({ confirm: Confirm, reason: Reason, moveNumbersTo: MoveNumbersTo }),
  bodyExample: { confirm: REVIEWED_CAMPAIGN_EXAMPLE.id, reason: 'The customer asked for it' },
  reply: Type.Object({
    success: Type.Literal(true),
    campaign: ReviewedCampaign,
    ending: TerminationShape,
  }),
  example: {
    success: true,
    campaign: {
      ...REVIEWED_CAMPAIGN_EXAMPLE,
      status: 'ENDED',
      endedAt: TERMINATION_EXAMPLE.endedAt,
    },
    ending: TERMINATION_EXAMPLE,
  },
  failure: { success: false },
  refuses: ['campaign_missing', 'campaign_state', 'number_not_carried', 'field_invalid'],
})

interface ReviewInput {
  id: string
  summary: string
  description?: string
  body?: TSchema
  bodyExample?: object
}

function brandDecision<const I extends ReviewInput>(input: I, example: object) {
  return operation({
    ...input,
    tag: 'Operator',
    isExtension: true,
    scope: 'operator',
    params: IdParams,
    reply: Type.Object(
      { success: Type.Literal(true), brand: ReviewedBrand },
      { title: 'ReviewedBrandReply' },
    ),
    example: { success: true, brand: { ...REVIEWED_BRAND_EXAMPLE, ...example } },
    failure: { success: false },
    refuses: ['brand_missing', 'brand_state'],
  })
}

function campaignDecision<const I extends ReviewInput>(input: I, status: string) {
  return operation({
    ...input,
    tag: 'Operator',
    isExtension: true,
    scope: 'operator',
    params: IdParams,
    reply: Type.Object(
      { success: Type.Literal(true), campaign: ReviewedCampaign },
      { title: 'ReviewedCampaignReply' },
    ),
    example: { success: true, campaign: { ...REVIEWED_CAMPAIGN_EXAMPLE, status } },
    failure: { success: false },
    refuses: ['campaign_missing', 'campaign_state', 'brand_state'],
  })
}
