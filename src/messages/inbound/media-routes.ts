// Inbound media, served by links that cannot be guessed, without a token: whoever has the link may see.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Refusal } from '../../kit/contract/refusal.js'
import { IdParams } from '../../kit/contract/schema.js'
import type { World } from '../../kit/world.js'
import { findMedia } from './inbound-queries.js'

export const mediaRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db }) => {
  app.get('/media/:id', { schema: { params: IdParams } }, async ({ params }, reply) => {
    const media = /^med_[\w-]{32}$/.test(params.id) ? await findMedia(db, params.id) : null
    if (!media) throw new Refusal('media_missing')
    // Somebody else's file: it must not run as a page of ours.
    return reply
      .type(media.contentType)
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('cache-control', 'private, max-age=86400')
      .send(media.content)
  })
}
