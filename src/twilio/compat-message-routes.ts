// Messages of the Twilio-compatible API: create, list, and fetch.

import type { FastifyPluginAsync } from 'fastify'
import { type CompatOptions, compat, formOf, keyOfForm, sidIn } from './compat-config.js'
import { createMessageCreator } from './create-message.js'
import { getBySid } from './get-message.js'
import { listForTwilio, pageFields, readPage } from './message-list.js'
import { accountPath, messageResource } from './message-resource.js'

export const MESSAGES_ROUTE = '/Accounts/:account/Messages.json'
const ONE = '/Accounts/:account/Messages/:message'
const ANY_CAMPAIGN = { campaignAccess: 'handler' } as const

export const compatMessageRoutes: FastifyPluginAsync<CompatOptions> = async (app, options) => {
  const { db, room } = options
  const create = createMessageCreator(options, room.sendService)

  app.post(
    MESSAGES_ROUTE,
    compat('send', { ...ANY_CAMPAIGN, databaseClass: 'send' }),
    async (request, reply) => {
      const { caller, trace } = request
      const { resource, isReplay } = await create(
        caller,
        formOf(request),
        keyOfForm(request),
        trace,
      )
      if (isReplay) reply.header('idempotent-replayed', 'true')
      reply.code(201)
      return resource
    },
  )

  app.get(MESSAGES_ROUTE, compat('read', ANY_CAMPAIGN), async ({ caller, query }) => {
    const at = readPage(query)
    const { messages, nextToken } = await listForTwilio(db, caller, query, at)
    const path = `${accountPath(caller.accountId)}/Messages.json`
    return {
      ...pageFields(path, query, at, messages.length, nextToken),
      messages: messages.map(messageResource),
    }
  })

  app.get(ONE, compat('read', ANY_CAMPAIGN), async ({ caller, params }) =>
    messageResource(await getBySid(db, caller, sidIn(params, 'message'))),
  )
}
