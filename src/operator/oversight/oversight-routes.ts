// The operator's endpoints for the inventory, disabled webhooks, customers' opt-outs, and the audit log.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listAudit } from '../../accounts/audit-queries.js'
import { getCampaignOfAnyone } from '../../campaigns/campaign-queries.js'
import { readTime } from '../../kit/contract/iso-time.js'
import { Refusal } from '../../kit/contract/refusal.js'
import { cutPage, pageOf } from '../../kit/contract/schema.js'
import type { World } from '../../kit/world.js'
import { listOptouts } from '../../optouts/optout-queries.js'
import { wireOptout } from '../../optouts/optout-routes.js'
import { readPhoneQuery } from '../../text/number-schema.js'
import { digitsToE164, pathNumberProblem } from '../../text/phone-number.js'
import { listDisabledWebhooks } from '../../webhooks/webhook-queries.js'
import { wireAuditEntry } from '../accounts/account-wire.js'
import { actorOf } from '../operator-token.js'
import { addOptout, removeOptout } from './change-optouts.js'
import { reviveWebhook, wireSilentWebhook } from './enable-webhook.js'
import { readNumberCsv } from './number-csv.js'
import {
  COUNT_NUMBERS,
  DELETE_OPTOUT,
  ENABLE_WEBHOOK,
  IMPORT_NUMBERS,
  LIST_AUDIT,
  LIST_DISABLED_WEBHOOKS,
  LIST_OPTOUTS,
  PUT_OPTOUT,
  WITHDRAW_NUMBERS,
} from './oversight-operations.js'
import { importNumbers, readStock, withdrawNumbers } from './stock-numbers.js'

export const operatorOversightRoutes: FastifyPluginAsyncTypebox<World> = async (
  app,
  { db, clock },
) => {
  app.post('/number/import', IMPORT_NUMBERS, async (request) => {
    const { existing = 'refuse' } = request.body
    const csv = await readNumberCsv(request.body.csv)
    return request.once(async (tx) => {
      const { imported, skipped } = await importNumbers(tx, actorOf(request), csv, clock.now(), {
        existing,
      })
      return { success: true as const, imported, ...(existing === 'skip' && { skipped }) }
    })
  })

  app.post('/number/withdraw', WITHDRAW_NUMBERS, (request) =>
    request.once(async (tx) => {
      const { numbers } = request.body
      const withdrawn = await withdrawNumbers(tx, actorOf(request), numbers, clock.now())
      return { success: true as const, withdrawn }
    }),
  )

  app.get('/number/count', COUNT_NUMBERS, () => readStock(db))

  app.get('/webhook/list', LIST_DISABLED_WEBHOOKS, async ({ query }) => {
    const page = pageOf(query)
    const found = await listDisabledWebhooks(db, query.account ?? null, page)
    const { rows, hasMore } = cutPage(found, page)
    return { webhooks: rows.map(wireSilentWebhook), hasMore }
  })

  app.post('/webhook/:id/enable', ENABLE_WEBHOOK, (request) =>
    request.once(async (tx) => {
      const webhook = await reviveWebhook(tx, actorOf(request), request.params.id, clock.now())
      return { success: true as const, webhook: wireSilentWebhook(webhook) }
    }),
  )

  app.get('/campaign/:id/optouts', LIST_OPTOUTS, async ({ params, query }) => {
    const { accountId } = await getCampaignOfAnyone(db, params.id)
    const page = { ...pageOf(query), after: readPhoneQuery(query.after) }
    const { rows, hasMore } = cutPage(await listOptouts(db, accountId, params.id, page), page)
    return { optouts: rows.map(wireOptout), hasMore }
  })

  app.put('/campaign/:id/optouts/:number', PUT_OPTOUT, (request) =>
    request.once(async (tx) => {
      const { params, body } = request
      const recipient = digitsToE164(params.number)
      if (!recipient) throw new Refusal('field_invalid', pathNumberProblem(params.number))
      const optoutRequest = { campaignId: params.id, recipient, reason: body.reason }
      const optout = await addOptout(tx, actorOf(request), optoutRequest, clock.now())
      return { success: true as const, optout: wireOptout(optout) }
    }),
  )

  app.delete('/campaign/:id/optouts/:number', DELETE_OPTOUT, (request) =>
    request.once(async (tx) => {
      const { params, query } = request
      const recipient = digitsToE164(params.number)
      if (!recipient) throw new Refusal('optout_missing')
      const optoutRequest = { campaignId: params.id, recipient, reason: query.reason }
      await removeOptout(tx, actorOf(request), optoutRequest, clock.now())
      return { success: true as const, recipient }
    }),
  )

  app.get('/audit/list', LIST_AUDIT, async ({ query }) => {
    const page = pageOf(query)
    const filter = {
      accountId: query.account ?? null,
      act: query.act ?? null,
      actor: query.actor ?? null,
      subject: query.subject ?? null,
      since: query.since === undefined ? null : readTime('since', query.since),
      until: query.until === undefined ? null : readTime('until', query.until),
    }
    const { rows, hasMore } = cutPage(await listAudit(db, filter, page), page)
    return { acts: rows.map(wireAuditEntry), hasMore }
  })
}
