// What reviewers need to decide: the queue with waiting times, and one record with everything relevant.

import { Type } from 'typebox'
import { BRAND_STATUSES } from '../../brands/brand-state.js'
import { ReviewNoteShape } from '../../brands/brand-wire.js'
import { Warnings } from '../../campaigns/campaign-operations.js'
import { operation } from '../../kit/contract/operation.js'
import {
  IdParams,
  Noun,
  NullableNumber,
  NullableTimestamp,
  Timestamp,
} from '../../kit/contract/schema.js'
import { OPERATED_ACCOUNT_EXAMPLE } from '../accounts/account-wire.js'
import {
  REVIEWED_BRAND_EXAMPLE,
  REVIEWED_CAMPAIGN_EXAMPLE,
  ReviewedBrand,
  ReviewedCampaign,
} from './review-operations.js'

const SUBMITTED_AT = '2026-11-15T12:00:00.000Z'
const ACCOUNT_NAME = OPERATED_ACCOUNT_EXAMPLE.name

const Tries = Type.Integer({ description: '1 for a record that was never returned' })

const WaitingRecord = Noun('WaitingBrand', {
  id: Type.String(),
  name: Type.String(),
  accountId: Type.String(),
  accountName: Type.String(),
  submittedAt: Timestamp,
  tries: Tries,
})

const QUEUE = {
  waiting: Type.Integer({ description: 'All of them, including those not listed' }),
  oldestAt: NullableTimestamp,
}

export const REVIEW_QUEUE = operation({
  id: 'operatorReviewQueue',
  tag: 'Operator',
  summary: 'List both review queues, longest waiting first',
  description:
    'With how many were decided in the last 24 hours, and how long half of them had waited at most (null where that is not known).',
  isExtension: true,
  scope: 'operator',
  query: Type.Object({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 500,
        default: 100,
        description: 'Maximum number of records per queue',
        'x-expects': 'must be a whole number from 1 to 500',
      }),
    ),
  }),
  reply: Type.Object({
    brands: Type.Object({ ...QUEUE, items: Type.Array(WaitingRecord) }),
    campaigns: Type.Object({
      ...QUEUE,
      items: Type.Array(
        Type.Intersect(
          [
            WaitingRecord,
            Type.Object({
              usecase: Type.String(),
              brandId: Type.String(),
              brandName: Type.String(),
              brandStatus: Type.Enum([...BRAND_STATUSES], {
                description: 'A campaign can be decided once its brand is VERIFIED or VETTED',
              }),
            }),
          ],
          { title: 'WaitingCampaign' },
        ),
      ),
    }),
    lastDay: Type.Object({ decided: Type.Integer(), medianSeconds: NullableNumber }),
  }),
  example: {
    brands: { waiting: 0, oldestAt: null, items: [] },
    campaigns: {
      waiting: 1,
      oldestAt: SUBMITTED_AT,
      items: [
        {
          id: REVIEWED_CAMPAIGN_EXAMPLE.id,
          name: REVIEWED_CAMPAIGN_EXAMPLE.displayName,
          accountId: OPERATED_ACCOUNT_EXAMPLE.id,
          accountName: ACCOUNT_NAME,
          submittedAt: SUBMITTED_AT,
          tries: 2,
          usecase: REVIEWED_CAMPAIGN_EXAMPLE.usecase,
          brandId: REVIEWED_BRAND_EXAMPLE.id,
          brandName: REVIEWED_BRAND_EXAMPLE.displayName,
          brandStatus: 'VERIFIED',
        },
      ],
    },
    lastDay: { decided: 14, medianSeconds: 1320 },
  },
  failure: { brands: null, campaigns: null },
})

const LastReturn = Noun('LastReturn', {
  at: Timestamp,
  by: Type.String({ description: 'Name of the reviewer, as in the audit log' }),
  notes: Type.Array(ReviewNoteShape),
  changes: Type.Unsafe<{ field: string; before: string; after: string }[] | null>({
    type: ['array', 'null'],
    items: Type.Object({ field: Type.String(), before: Type.String(), after: Type.String() }),
    description:
      'What the customer changed since then. null if no longer known: changes are kept for 30 days',
  }),
})

const Review = Noun('BrandReview', {
  accountName: Type.String(),
  submittedAt: NullableTimestamp,
  tries: Tries,
  lastReturn: Type.Union([LastReturn, Type.Null()]),
})

const REVIEW_EXAMPLE = {
  accountName: ACCOUNT_NAME,
  submittedAt: SUBMITTED_AT,
  tries: 1,
  lastReturn: null,
}

export const GET_BRAND = operation({
  id: 'operatorGetBrand',
  tag: 'Operator',
  summary: 'Retrieve a brand for review',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  reply: Type.Object({ brand: ReviewedBrand, review: Review }),
  example: {
    brand: REVIEWED_BRAND_EXAMPLE,
    review: REVIEW_EXAMPLE,
  },
  failure: { brand: null },
  refuses: ['brand_missing'],
})

export const GET_CAMPAIGN = operation({
  id: 'operatorGetCampaign',
  tag: 'Operator',
  summary: 'Retrieve a campaign for review',
  description:
    'With its brand, what the check finds, what it would get if it were approved now, and what has changed since it was last returned.',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  reply: Type.Object({
    campaign: ReviewedCampaign,
    brand: ReviewedBrand,
    review: Type.Intersect(
      [
        Review,
        Type.Object({
          warnings: Warnings,
          limitsOnApproval: Noun('Limits', {
            smsTpmAtt: NullableNumber,
            mmsTpmAtt: NullableNumber,
            dailyTmoCap: NullableNumber,
          }),
          monthlyFeeOnApproval: Type.Number({ description: 'Renewal fee in cents' }),
        }),
      ],
      { title: 'CampaignReview' },
    ),
  }),
  example: {
    campaign: REVIEWED_CAMPAIGN_EXAMPLE,
    brand: REVIEWED_BRAND_EXAMPLE,
    review: {
      ...REVIEW_EXAMPLE,
      warnings: [],
      limitsOnApproval: { smsTpmAtt: 240, mmsTpmAtt: 150, dailyTmoCap: 2000 },
      monthlyFeeOnApproval: 1000,
    },
  },
  failure: { campaign: null },
  refuses: ['campaign_missing'],
})
