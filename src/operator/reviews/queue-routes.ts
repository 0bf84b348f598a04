// Endpoints for reviewers: the queues, and one record with everything relevant.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getBrand, getBrandOfAnyone } from '../../brands/brand-queries.js'
import { MONTHLY_FEE_MICROS } from '../../campaigns/campaign.js'
import { getCampaignOfAnyone } from '../../campaigns/campaign-queries.js'
import { limitsFor } from '../../campaigns/follow-limits.js'
import { checkCampaign } from '../../campaigns/review/campaign-check.js'
import { toCents } from '../../kit/money.js'
import type { World } from '../../kit/world.js'
import { GET_BRAND, GET_CAMPAIGN, REVIEW_QUEUE } from './queue-operations.js'
import { BRAND_FIELDS, CAMPAIGN_FIELDS } from './review-operations.js'
import { readReview, readReviewQueue } from './review-record.js'
import { reviewedBrand, reviewedCampaign } from './review-routes.js'

const QUEUE_LIMIT = 100

export const operatorQueueRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock }) => {
  app.get('/review/queue', REVIEW_QUEUE, ({ query }) =>
    readReviewQueue(db, query.limit ?? QUEUE_LIMIT, clock.now()),
  )

  app.get('/brand/:id', GET_BRAND, async ({ params }) => {
    const brand = await getBrandOfAnyone(db, params.id)
    const wire = reviewedBrand(brand)
    const review = await readReview(db, 'brand', brand, { wire, fields: BRAND_FIELDS })
    return { brand: wire, review }
  })

  app.get('/campaign/:id', GET_CAMPAIGN, async ({ params }) => {
    const campaign = await getCampaignOfAnyone(db, params.id)
    const brand = await getBrand(db, campaign.accountId, campaign.brandId)
    const wire = reviewedCampaign(campaign)
    const review = await readReview(db, 'campaign', campaign, { wire, fields: CAMPAIGN_FIELDS })
    return {
      campaign: wire,
      brand: reviewedBrand(brand),
      review: {
        ...review,
        warnings: checkCampaign(campaign, brand),
        limitsOnApproval: limitsFor(campaign, brand),
        monthlyFeeOnApproval: toCents(MONTHLY_FEE_MICROS),
      },
    }
  })
}
