// The carrier links over HTTP: how they stand, and their settings read again.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { World } from '../../kit/world.js'
import { actorOf } from '../operator-token.js'
import { LIST_CARRIERS, RELOAD_CARRIERS } from './carrier-operations.js'
import { listCarriers } from './list-carriers.js'
import { awaitReload, requestReload } from './reload-carriers.js'

const RELOAD_MS_MAX = 10_000

export const operatorCarrierRoutes: FastifyPluginAsyncTypebox<World> = async (app, world) => {
  app.get('/carrier/list', LIST_CARRIERS, () => listCarriers(world))

  app.post('/carrier/reload', RELOAD_CARRIERS, async (request) => {
    const { id } = await request.once(async (tx) => {
      const { id } = await requestReload(tx, actorOf(request), world.clock)
      return { id }
    })
    return { success: true as const, processes: await awaitReload(world, id, RELOAD_MS_MAX) }
  })
}
