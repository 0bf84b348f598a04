// The campaign endpoints: input, responses, and refusals. Create, list, and retrieve are the contract's.
// Drafts, checks, changes, and submission are extensions.

import { Type } from 'typebox'
import { listFilter } from '../kit/contract/list-filter.js'
import { operation } from '../kit/contract/operation.js'
import { also, HasMore, IdParams, IdText, Noun, pageQueryWith } from '../kit/contract/schema.js'
import { CAMPAIGN_STATUSES } from './campaign-state.js'
import {
  CampaignShape,
  CreateCampaignBody,
  DraftCampaignBody,
  PatchCampaignBody,
} from './campaign-wire.js'

const BODY_EXAMPLE = {
  brandId: 'brd_01km3v9w8m0000pqv3t5x7z9bd',
  usecase: 'MARKETING',
  description: 'Weekly offers of Acme Coffee to customers who joined its text list.',
  consentFlow:
    'Customers tick a box on https://acme.example/texts that explains what we send, how often, and how to stop.',
  sample1: 'Acme Coffee: two for one on Friday. Reply STOP to opt out.',
  sample2: 'Acme Coffee: the new roast is here, 10% off this week. Reply STOP to opt out.',
}

export const CAMPAIGN_EXAMPLE = {
  id: 'cmp_01km3v9w8m0000pqv3t5x7z9bd',
  brandId: BODY_EXAMPLE.brandId,
  displayName: 'Acme Coffee: Marketing',
  createdAt: '2026-11-15T12:00:00.000Z',
  updatedAt: '2026-11-15T12:00:00.000Z',
  status: 'PENDING',
  monthlyFee: null,
  usecase: 'MARKETING',
  subUsecases: [],
  details: {
    description: BODY_EXAMPLE.description,
    consentFlow: BODY_EXAMPLE.consentFlow,
    sample1: BODY_EXAMPLE.sample1,
    sample2: BODY_EXAMPLE.sample2,
    sample3: null,
    sample4: null,
    sample5: null,
    optinKeywords: ['START', 'YES', 'UNSTOP'],
    optoutKeywords: ['STOP', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPT OUT'],
    helpKeywords: ['HELP', 'INFO'],
    optinMessage:
      'Acme Coffee: You will now receive our messages. Frequency varies. Msg & data rates may apply. Reply HELP for help, STOP to opt out.',
    optoutMessage:
      'Acme Coffee: You have opted out and will receive no more messages. Reply START to opt in again.',
    helpMessage:
      'Acme Coffee: Reply STOP to opt out. Msg & data rates may apply. For help: https://acme.example',
  },
  limits: { smsTpmAtt: null, mmsTpmAtt: null, dailyTmoCap: null },
  limitsSetByOperator: false,
  isLowVolume: false,
  holdAtDailyCap: false,
  actsOnNearOptout: true,
  renewsAt: null,
  reviewNotes: [],
}

const WARNING_EXAMPLE = {
  field: 'sample1',
  problem: 'does not name the brand',
  remedy: 'Begin the message with the brand’s name.',
}

export const Warnings = Type.Array(
  Noun('CampaignWarning', { field: Type.String(), problem: Type.String(), remedy: Type.String() }),
  { description: 'Problems that reviewers often refuse. Extension (not in the contract)' },
)

const WriteReply = Noun('CampaignReply', { success: Type.Literal(true), campaign: CampaignShape })

const SubmitReply = Noun('SubmitCampaignReply', {
  success: Type.Literal(true),
  campaign: CampaignShape,
  warnings: Warnings,
})

export const CREATE = operation({
  id: 'createCampaign',
  tag: 'Campaigns',
  summary: 'Create a campaign',
  description:
    'Charges the creation fee of $20 and submits the campaign for review. If the balance is insufficient, nothing is created or charged.',
  scope: 'manage',
  body: CreateCampaignBody,
  bodyExample: BODY_EXAMPLE,
  reply: SubmitReply,
  example: { success: true, campaign: CAMPAIGN_EXAMPLE, warnings: [] },
  failure: { success: false },
  refuses: ['brand_missing', 'brand_state', 'balance_insufficient'],
})

export const CHECK = operation({
  id: 'checkCampaign',
  tag: 'Campaigns',
  summary: 'Check a campaign before you pay for it',
  description:
    'Takes the same body as create and returns problems that reviewers often refuse. Creates nothing and is free.',
  isExtension: true,
  scope: 'read',
  body: CreateCampaignBody,
  bodyExample: { ...BODY_EXAMPLE, sample1: 'Two for one on Friday. Reply STOP to opt out.' },
  reply: Type.Object({ success: Type.Literal(true), warnings: Warnings }),
  example: { success: true, warnings: [WARNING_EXAMPLE] },
  failure: { success: false },
  refuses: ['brand_missing', 'brand_state'],
})

export const DRAFT = operation({
  id: 'draftCampaign',
  tag: 'Campaigns',
  summary: 'Save a campaign as a draft',
  description: 'Only the brand is required. The fee is charged when the draft is submitted.',
  isExtension: true,
  scope: 'manage',
  body: DraftCampaignBody,
  bodyExample: { brandId: BODY_EXAMPLE.brandId, usecase: 'MARKETING' },
  reply: WriteReply,
  example: { success: true, campaign: { ...CAMPAIGN_EXAMPLE, status: 'DRAFT' } },
  failure: { success: false },
  refuses: ['brand_missing', 'brand_state'],
})

export const LIST = operation({
  id: 'listCampaigns',
  tag: 'Campaigns',
  summary: 'List campaigns, newest first',
  description: 'Drafts are listed only with `status=DRAFT` or `status=ALL`.',
  scope: 'read',
  campaignAccess: 'handler',
  query: pageQueryWith({
    ...listFilter(CAMPAIGN_STATUSES, 'Part of its name or its brand’s name, or an ID'),
    brand: Type.Optional(
      also(
        IdText({ description: 'Only campaigns of this brand. Extension (not in the contract)' }),
        'brandId',
      ),
    ),
  }),
  reply: Type.Object({ campaigns: Type.Array(CampaignShape), hasMore: HasMore }),
  example: { campaigns: [CAMPAIGN_EXAMPLE], hasMore: false },
  failure: { campaigns: [] },
})

export const GET = operation({
  id: 'getCampaign',
  tag: 'Campaigns',
  summary: 'Retrieve a campaign',
  scope: 'read',
  campaignAccess: 'campaign',
  params: IdParams,
  reply: Type.Object({ campaign: CampaignShape }),
  example: { campaign: CAMPAIGN_EXAMPLE },
  failure: { campaign: null },
  refuses: ['campaign_missing'],
})

export const PATCH = operation({
  id: 'patchCampaign',
  tag: 'Campaigns',
  summary: 'Change a campaign',
  description:
    'Display name, keywords, replies, holdAtDailyCap, and actsOnNearOptout can be changed at any time. Other fields can be changed only while the campaign is a DRAFT. Omitted fields stay unchanged. null restores the default.',
  isExtension: true,
  scope: 'manage',
  campaignAccess: 'campaign',
  params: IdParams,
  body: PatchCampaignBody,
  bodyExample: { helpKeywords: ['HELP', 'INFO', '?'] },
  reply: WriteReply,
  example: { success: true, campaign: CAMPAIGN_EXAMPLE },
  failure: { success: false },
  refuses: ['campaign_missing', 'campaign_state', 'brand_missing', 'brand_state'],
})

export const SUBMIT = operation({
  id: 'submitCampaign',
  tag: 'Campaigns',
  summary: 'Submit a campaign that is a DRAFT',
  description:
    'Charges the creation fee of $20 if it was not paid yet. Resubmitting a returned campaign is free.',
  isExtension: true,
  scope: 'manage',
  campaignAccess: 'campaign',
  params: IdParams,
  reply: SubmitReply,
  example: { success: true, campaign: CAMPAIGN_EXAMPLE, warnings: [] },
  failure: { success: false },
  refuses: ['campaign_missing', 'campaign_state', 'field_invalid', 'balance_insufficient'],
})
