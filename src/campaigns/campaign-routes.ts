// Campaigns over HTTP. Each route reads the request, invokes one use case, and shapes the response.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Registering } from '../brands/registration.js'
import { listFilterOf } from '../kit/contract/list-filter.js'
import { cutPage, pageOf } from '../kit/contract/schema.js'
import type { World } from '../kit/world.js'
import { checkComplete } from './campaign-fields.js'
import { CHECK, CREATE, DRAFT, GET, LIST, PATCH, SUBMIT } from './campaign-operations.js'
import { getCampaign, listCampaigns } from './campaign-queries.js'
import { readCampaignBody, wireCampaign } from './campaign-wire.js'
import { patchCampaign, submitCampaign } from './change-campaign.js'
import {
  checkCampaignForRegistrar,
  createCampaign,
  draftCampaign,
  type Planned,
  planCampaign,
} from './create-campaign.js'
import { checkCampaign } from './review/campaign-check.js'

type Options = World & { registering: Registering }

export const campaignRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { db, clock, hints, registering } = options

  app.post('/campaign/create', CREATE, async ({ caller, body, once }) => {
    const fields = { ...readCampaignBody(body), brandId: body.brandId }
    const answer = await once(async (tx) => {
      const terms = registering.current()
      const made = await createCampaign(tx, caller.accountId, fields, clock.now(), terms)
      return submittedAnswer(made)
    })
    hints.notify('reviews')
    return answer
  })

  app.post('/campaign/check', CHECK, async ({ caller, body }) => {
    const fields = { ...readCampaignBody(body), brandId: body.brandId }
    const { campaign, brand } = await planCampaign(db, caller.accountId, fields, clock.now())
    checkComplete(campaign)
    checkCampaignForRegistrar({ campaign, brand }, registering.current())
    return { success: true as const, warnings: checkCampaign(campaign, brand) }
  })

  app.post('/campaign/draft', DRAFT, ({ caller, body, once }) => {
    const fields = { ...readCampaignBody(body), brandId: body.brandId }
    return once(async (tx) => {
      const campaign = await draftCampaign(tx, caller.accountId, fields, clock.now())
      return { success: true as const, campaign: wireCampaign(campaign) }
    })
  })

  app.get('/campaign/list', LIST, async ({ caller, query }) => {
    const page = pageOf(query)
    const { accountId, campaigns } = caller
    const filter = { ...listFilterOf(query), brandId: query.brand ?? null, campaigns }
    const found = await listCampaigns(db, accountId, filter, page)
    const { rows, hasMore } = cutPage(found, page)
    return { campaigns: rows.map(wireCampaign), hasMore }
  })

  app.get('/campaign/:id', GET, async ({ caller, params }) => ({
    campaign: wireCampaign(await getCampaign(db, caller.accountId, params.id)),
  }))

  app.patch('/campaign/:id', PATCH, ({ caller, params, body, once }) => {
    const fields = readCampaignBody(body)
    return once(async (tx) => {
      const changed = await patchCampaign(tx, caller.accountId, params.id, fields, clock.now())
      return { success: true as const, campaign: wireCampaign(changed) }
    })
  })

  app.post('/campaign/:id/submit', SUBMIT, async ({ caller, params, once }) => {
    const answer = await once(async (tx) => {
      const terms = registering.current()
      const made = await submitCampaign(tx, caller.accountId, params.id, clock.now(), terms)
      return submittedAnswer(made)
    })
    hints.notify('reviews')
    return answer
  })
}

function submittedAnswer({ campaign, brand }: Planned) {
  return {
    success: true as const,
    campaign: wireCampaign(campaign),
    warnings: checkCampaign(campaign, brand),
  }
}
