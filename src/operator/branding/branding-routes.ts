// The operator's endpoints for branding, and what the console shows before and after signing in.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Cache } from '../../kit/cache.js'
import { Refusal } from '../../kit/contract/refusal.js'
import { IdText } from '../../kit/contract/schema.js'
import { isId } from '../../kit/ids.js'
import type { Branding } from '../../kit/settings/branding-rules.js'
import type { World } from '../../kit/world.js'
import { actorOf } from '../operator-token.js'
import { GET_BRANDING, SET_BRANDING, SHOW_BRANDING, wireBranding } from './branding-operations.js'
import { findBranding } from './branding-queries.js'
import { getBranding, mergeBranding, NO_BRANDING, setBranding } from './set-branding.js'

export const operatorBrandingRoutes: FastifyPluginAsyncTypebox<World> = async (
  app,
  { db, clock },
) => {
  app.get('/account/:id/branding', GET_BRANDING, async ({ params: { id } }) => ({
    branding: wireBranding(await getBranding(db, id), id),
  }))

  app.put('/account/:id/branding', SET_BRANDING, (request) =>
    request.once(async (tx) => {
      const { body, params } = request
      const branding = await setBranding(tx, actorOf(request), params.id, body, clock.now())
      return { success: true as const, branding: wireBranding(branding, params.id) }
    }),
  )
}

/** Strangers may ask: repeated questions must not reach the database. */
const KEPT = { max: 500, keptMs: 5_000 }

const LogoQuery = Type.Object({
  account: Type.Optional(IdText()),
  v: Type.Optional(IdText()),
})

export const consoleBrandingRoutes: FastifyPluginAsyncTypebox<World> = async (app, world) => {
  const { db, config } = world
  const brandings = new Cache<string, Branding>(KEPT)
  const ownOf = async (account: string | undefined): Promise<Branding> => {
    if (account === undefined || !isId('acc', account)) return NO_BRANDING
    return brandings.get(account, async () => (await findBranding(db, account)) ?? NO_BRANDING)
  }

  app.get('/console/branding', SHOW_BRANDING, async ({ query }, reply) => {
    const own = await ownOf(query.account)
    reply.header('cache-control', 'no-store')
    const account = own.logo && query.account ? query.account : null
    return { branding: wireBranding(mergeBranding(own, config.branding), account) }
  })

  app.route({
    method: 'GET',
    url: '/console/branding/logo',
    schema: { hide: true, querystring: LogoQuery } as object,
    config: { scope: null },
    handler: async (request, reply) => {
      const { account, v } = request.query as { account?: string; v?: string }
      const { logo } = account === undefined ? config.branding : await ownOf(account)
      if (!logo) throw new Refusal('media_missing')
      // An image of a third party must not run as a page of this service.
      return reply
        .type(logo.type)
        .header('x-content-type-options', 'nosniff')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .header('cross-origin-resource-policy', 'same-origin')
        .header(
          'cache-control',
          v === logo.hash ? 'public, max-age=31536000, immutable' : 'no-store',
        )
        .send(logo.content)
    },
  })
}
