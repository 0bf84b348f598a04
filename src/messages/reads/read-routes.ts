// Reads across campaigns: message search and conversations.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getCampaign } from '../../campaigns/campaign-queries.js'
import { pageOf } from '../../kit/contract/schema.js'
import type { World } from '../../kit/world.js'
import { readPhoneQuery } from '../../text/number-schema.js'
import { wireMessage } from '../message-wire.js'
import { listConversations } from './list-conversations.js'
import { readFilter } from './message-filter.js'
import { CONVERSATIONS, SEARCH } from './read-operations.js'
import { TextSearch } from './text-search.js'

export const readRoutes: FastifyPluginAsyncTypebox<World> = async (app, world) => {
  const { db } = world
  const textSearch = new TextSearch(world)

  app.get('/message/search', SEARCH, async ({ caller: { accountId }, query }) => {
    if (query.campaign !== undefined) await getCampaign(db, accountId, query.campaign)
    const filter = readFilter(query)
    const { messages, next } = await textSearch.search(db, accountId, filter, pageOf(query))
    return { messages: messages.map(wireMessage), hasMore: next !== null, next }
  })

  app.get('/conversation/list', CONVERSATIONS, async ({ caller: { accountId }, query }) => {
    if (query.campaign !== undefined) await getCampaign(db, accountId, query.campaign)
    const filter = { campaignId: query.campaign ?? null, phone: readPhoneQuery(query.number) }
    const { conversations, next } = await listConversations(db, accountId, filter, pageOf(query))
    return { conversations, hasMore: next !== null, next }
  })
}
