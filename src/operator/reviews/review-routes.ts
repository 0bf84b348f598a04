// Review endpoints: the queues of brands and campaigns, and the operator's decisions.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Brand } from '../../brands/brand.js'
import { listBrandQueue } from '../../brands/brand-queries.js'
import { wireBrand } from '../../brands/brand-wire.js'
import type { BrandDecision } from '../../brands/decide-brand.js'
import type { Campaign } from '../../campaigns/campaign.js'
import { getCampaignOfAnyone, listCampaignQueue } from '../../campaigns/campaign-queries.js'
import { wireCampaign } from '../../campaigns/campaign-wire.js'
import type { CampaignDecision } from '../../campaigns/review/decide-campaign.js'
import type { ALL } from '../../kit/contract/list-filter.js'
import { cutPage, pageOf } from '../../kit/contract/schema.js'
import type { World } from '../../kit/world.js'
import type { NumberSources } from '../../numbers/number-source.js'
import { beginClearing } from '../../termination/continue-terminations.js'
import { findTermination } from '../../termination/termination-queries.js'
import { checkConfirmed } from '../../termination/termination-routes.js'
import { wireTermination } from '../../termination/termination-wire.js'
import { actorOf } from '../operator-token.js'
import { endCampaignOfAnyone } from './end-campaign.js'
import { followLimits, recordBrandReview, recordCampaignReview, setLimits } from './review.js'
import {
  APPROVE_CAMPAIGN,
  END_CAMPAIGN,
  FOLLOW_LIMITS,
  LIST_BRANDS,
  LIST_CAMPAIGNS,
  REFUSE_BRAND,
  RESUME_CAMPAIGN,
  RETURN_CAMPAIGN,
  SET_LIMITS,
  SUSPEND_CAMPAIGN,
  VERIFY_BRAND,
  VET_BRAND,
} from './review-operations.js'

type ReviewRequest = Parameters<typeof actorOf>[0] & {
  params: { id: string }
  once: <A extends object>(
    work: (tx: Parameters<typeof recordBrandReview>[0]) => Promise<A>,
  ) => Promise<A>
}

type Options = World & { sources: NumberSources }

export const operatorReviewRoutes: FastifyPluginAsyncTypebox<Options> = async (app, world) => {
  const { db, clock, sources, hints } = world

  // Other limits apply, or the campaign may send again.
  app.addHook('onResponse', async ({ method }) => {
    if (method !== 'GET') hints.notify('messages')
  })

  const onBrand = (request: ReviewRequest, decision: BrandDecision) =>
    request.once(async (tx) => {
      const { id } = request.params
      const brand = await recordBrandReview(tx, actorOf(request), id, decision, clock.now())
      return { success: true as const, brand: reviewedBrand(brand) }
    })

  const onCampaign = (request: ReviewRequest, decision: CampaignDecision, reason?: string) =>
    request.once(async (tx) => {
      const { id } = request.params
      const actor = actorOf(request)
      const campaign = await recordCampaignReview(tx, actor, id, decision, clock.now(), reason)
      return { success: true as const, campaign: reviewedCampaign(campaign) }
    })

  app.get('/brand/list', LIST_BRANDS, async ({ query }) => {
    const page = pageOf(query)
    const queue = { status: statusIn(query), accountId: query.account ?? null }
    const { rows, hasMore } = cutPage(await listBrandQueue(db, queue, page), page)
    return { brands: rows.map(reviewedBrand), hasMore }
  })

  app.post('/brand/:id/verify', VERIFY_BRAND, (request) => onBrand(request, { kind: 'verify' }))

  app.post('/brand/:id/refuse', REFUSE_BRAND, (request) =>
    onBrand(request, { kind: 'refuse', notes: request.body.notes }),
  )

  app.post('/brand/:id/vet', VET_BRAND, (request) =>
    onBrand(request, { kind: 'vet', trustScore: request.body.trustScore }),
  )

  app.get('/campaign/list', LIST_CAMPAIGNS, async ({ query }) => {
    const page = pageOf(query)
    const queue = { status: statusIn(query), accountId: query.account ?? null }
    const { rows, hasMore } = cutPage(await listCampaignQueue(db, queue, page), page)
    return { campaigns: rows.map(reviewedCampaign), hasMore }
  })

  app.post('/campaign/:id/approve', APPROVE_CAMPAIGN, (request) =>
    onCampaign(request, { kind: 'approve' }),
  )

  app.post('/campaign/:id/return', RETURN_CAMPAIGN, (request) =>
    onCampaign(request, { kind: 'return', notes: request.body.notes }),
  )

  app.post('/campaign/:id/suspend', SUSPEND_CAMPAIGN, (request) =>
    onCampaign(request, { kind: 'suspend', reason: 'operator' }, request.body.reason),
  )

  app.post('/campaign/:id/resume', RESUME_CAMPAIGN, (request) =>
    onCampaign(request, { kind: 'resume' }, request.body.reason),
  )

  app.put('/campaign/:id/limits', SET_LIMITS, (request) =>
    request.once(async (tx) => {
      const { id } = request.params
      const campaign = await setLimits(
        tx,
        actorOf(request),
        id,
        namedLimits(request.body),
        clock.now(),
      )
      return { success: true as const, campaign: reviewedCampaign(campaign) }
    }),
  )

  app.post('/campaign/:id/end', END_CAMPAIGN, async (request) => {
    const { confirm, reason, moveNumbersTo = null } = request.body
    const { id, accountId } = await getCampaignOfAnyone(db, request.params.id)
    checkConfirmed(id, confirm)
    const termination = { campaignId: id, moveNumbersTo, reason }
    await request.once(async (tx) => {
      const canSend = sources.canSend.bind(sources)
      await endCampaignOfAnyone(tx, actorOf(request), termination, clock.now(), canSend)
      return { success: true as const }
    })
    await beginClearing(world, { accountId, campaignId: id })
    const campaign = reviewedCampaign(await getCampaignOfAnyone(db, id))
    const ending = await findTermination(db, accountId, id)
    return { success: true as const, campaign, ending: wireTermination(ending!) }
  })

  app.delete('/campaign/:id/limits', FOLLOW_LIMITS, (request) =>
    request.once(async (tx) => {
      const campaign = await followLimits(tx, actorOf(request), request.params.id, clock.now())
      return { success: true as const, campaign: reviewedCampaign(campaign) }
    }),
  )
}

/** Null: any status. */
function statusIn<S extends string>({
  status,
}: {
  status?: S
}): Exclude<S, typeof ALL> | 'PENDING' | null {
  if (status === 'ALL') return null
  return (status ?? 'PENDING') as Exclude<S, typeof ALL> | 'PENDING'
}

export function reviewedBrand(brand: Brand) {
  return { accountId: brand.accountId, ...wireBrand(brand) }
}

export function reviewedCampaign(campaign: Campaign) {
  return { accountId: campaign.accountId, ...wireCampaign(campaign) }
}

const LIMITS = ['smsTpmAtt', 'mmsTpmAtt', 'dailyTmoCap'] as const

// Other fields of the body must not reach the record.
function namedLimits(body: { [L in (typeof LIMITS)[number]]?: number | null }) {
  return Object.fromEntries(
    LIMITS.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]),
  )
}
