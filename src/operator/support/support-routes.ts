// The operator's look-up of messages, and the customer's list of what was done to the account.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listAudit } from '../../accounts/audit-queries.js'
import { readTime } from '../../kit/contract/iso-time.js'
import { cutPage, pageOf } from '../../kit/contract/schema.js'
import type { World } from '../../kit/world.js'
import type { RoutePort } from '../../messages/carrier-port.js'
import { readPhoneQuery } from '../../text/number-schema.js'
import { actorOf } from '../operator-token.js'
import { findMessages, openMessage } from './find-messages.js'
import {
  LIST_ACTIVITY,
  OPEN_MESSAGE,
  SEARCH_MESSAGES,
  wireActivity,
  wireFile,
  wireFound,
} from './support-operations.js'

export interface SupportDeps {
  carrier: Pick<RoutePort, 'canSend' | 'linksFor'>
}

const LIMIT_USUAL = 20

export const operatorSupportRoutes: FastifyPluginAsyncTypebox<World & SupportDeps> = async (
  app,
  world,
) => {
  app.get('/message/search', SEARCH_MESSAGES, async (request) => {
    const { query } = request
    const { found, hasMore } = await findMessages(world, actorOf(request), {
      id: query.id ?? null,
      phone: readPhoneQuery(query.number),
      accountId: query.account ?? null,
      since: query.since === undefined ? null : readTime('since', query.since),
      until: query.until === undefined ? null : readTime('until', query.until),
      reason: query.reason?.trim() ?? null,
      limit: query.limit ?? LIMIT_USUAL,
      after: query.after ?? null,
    })
    return { messages: found.map(wireFound), hasMore }
  })

  app.get('/message/:id', OPEN_MESSAGE, async (request) => {
    const reason = request.query.reason?.trim() ?? null
    return wireFile(await openMessage(world, actorOf(request), request.params.id, reason))
  })
}

export const activityRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db }) => {
  app.get('/account/activity', LIST_ACTIVITY, async ({ caller, query }) => {
    const page = pageOf(query)
    const filter = { accountId: caller.accountId, act: null, actor: null, subject: null }
    const found = await listAudit(db, { ...filter, since: null, until: null }, page)
    const { rows, hasMore } = cutPage(found, page)
    return { activity: rows.map(wireActivity), hasMore }
  })
}
