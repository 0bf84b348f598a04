// Webhooks over HTTP. webhook-operations.ts declares what each route accepts and returns. A route runs one
// function.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Caller, mayManage } from '../accounts/account.js'
import { getCampaign } from '../campaigns/campaign-queries.js'
import { cutPage, pageOf } from '../kit/contract/schema.js'
import type { Queryable } from '../kit/postgres/db.js'
import { addRoutes } from '../kit/routes/add-routes.js'
import type { World } from '../kit/world.js'
import { listCampaignNumbers } from '../numbers/number-queries.js'
import { changeWebhook, deleteWebhook, rotateSecret } from './change-webhook.js'
import { createWebhook } from './create-webhook.js'
import { type DeliveryRooms, deliveryRoutes } from './delivery-routes.js'
import type { Webhook } from './webhook.js'
import * as operations from './webhook-operations.js'
import { getWebhook, listCampaignWebhooks, listWebhooks } from './webhook-queries.js'
import { wireWebhook } from './webhook-wire.js'

export const webhookRoutes: FastifyPluginAsyncTypebox<DeliveryRooms> = async (app, world) => {
  await addRoutes(app, readRoutes, world)
  await addRoutes(app, changeRoutes, world)
  await addRoutes(app, deliveryRoutes, world)
}

const readRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db }) => {
  app.get('/campaign/:id/webhooks', operations.LIST_OF_CAMPAIGN, async ({ caller, params }) => {
    const { id } = await getCampaign(db, caller.accountId, params.id)
    const webhooks = await listCampaignWebhooks(db, caller.accountId, id)
    return { webhooks: await wireAll(db, caller, webhooks) }
  })

  app.get('/webhook/list', operations.LIST, async ({ caller, query }) => {
    const page = pageOf(query)
    const { rows, hasMore } = cutPage(
      await listWebhooks(db, caller.accountId, page, caller.campaigns),
      page,
    )
    return { webhooks: await wireAll(db, caller, rows), hasMore }
  })

  app.get('/webhook/:id', operations.GET, async ({ caller, params }) => {
    const webhook = await getWebhook(db, caller.accountId, params.id)
    return { webhook: await wireOne(db, caller, webhook) }
  })
}

const changeRoutes: FastifyPluginAsyncTypebox<World> = async (app, { clock, config, hints }) => {
  app.post('/campaign/:id/webhooks', operations.CREATE, async ({ caller, params, body, once }) => {
    const { accountId } = caller
    const { name = null, url, eventTypes, numbers = null } = body
    const newWebhook = { name, url, eventTypes, numbers }
    return once(async (tx) => {
      const webhook = await createWebhook(tx, config, accountId, params.id, newWebhook, clock.now())
      return { success: true as const, webhook: await wireOne(tx, caller, webhook) }
    })
  })

  app.patch('/webhook/:id', operations.UPDATE, async ({ caller, params, body, once }) => {
    const answer = await once(async (tx) => {
      const now = clock.now()
      const webhook = await changeWebhook(tx, config, caller.accountId, params.id, body, now)
      return { success: true as const, webhook: await wireOne(tx, caller, webhook) }
    })
    hints.notify('deliveries')
    return answer
  })

  app.delete('/webhook/:id', operations.DELETE, async ({ caller, params, once }) =>
    once(async (tx) => {
      await deleteWebhook(tx, caller.accountId, params.id, clock.now())
      return { success: true as const, id: params.id }
    }),
  )

  app.post('/webhook/:id/rotate', operations.ROTATE, async ({ caller, params, once }) =>
    once(async (tx) => {
      const webhook = await rotateSecret(tx, caller.accountId, params.id, clock.now())
      return { success: true as const, webhook: await wireOne(tx, caller, webhook) }
    }),
  )
}

async function wireOne(db: Queryable, caller: Caller, webhook: Webhook) {
  const [wired] = await wireAll(db, caller, [webhook])
  return wired!
}

async function wireAll(db: Queryable, caller: Caller, webhooks: readonly Webhook[]) {
  const numbersOf = new Map<string, string[]>()
  for (const { campaignId, numbers } of webhooks) {
    if (numbers !== null || numbersOf.has(campaignId)) continue
    const records = await listCampaignNumbers(db, caller.accountId, campaignId)
    numbersOf.set(
      campaignId,
      records.map((record) => record.phoneNumber),
    )
  }
  const showsSecrets = mayManage(caller)
  return webhooks.map((webhook) =>
    wireWebhook(webhook, numbersOf.get(webhook.campaignId) ?? [], showsSecrets),
  )
}
