// The operator's endpoints for carrier links: status, pause, and reload.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Refusal } from '../../kit/contract/refusal.js'
import type { World } from '../../kit/world.js'
import { digitsToE164, pathNumberProblem } from '../../text/phone-number.js'
import { actorOf } from '../operator-token.js'
import {
  CLEAR_REFUSAL,
  LIST_CARRIERS,
  PAUSE_CARRIER,
  RELOAD_CARRIERS,
  RESUME_CARRIER,
} from './carrier-operations.js'
import { clearRefusal } from './clear-refusal.js'
import { listCarriers } from './list-carriers.js'
import { pauseCarrier, resumeCarrier, wirePause } from './pause-carrier.js'
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

  app.post('/carrier/:link/pause', PAUSE_CARRIER, async (request) => {
    const { link } = request.params
    const { reason } = request.body
    const reply = await request.once(async (tx) => {
      const pause = await pauseCarrier(tx, actorOf(request), { link, reason }, world.clock)
      return { success: true as const, link, pause: wirePause(pause) }
    })
    world.hints.notify('links')
    return reply
  })

  app.post('/carrier/:link/resume', RESUME_CARRIER, async (request) => {
    const { link } = request.params
    const reply = await request.once(async (tx) => {
      const wasPaused = await resumeCarrier(tx, actorOf(request), link, world.clock)
      return { success: true as const, link, wasPaused }
    })
    world.hints.notify('links')
    return reply
  })

  app.post('/number/:number/clear-refusal', CLEAR_REFUSAL, async (request) => {
    const number = digitsToE164(request.params.number)
    if (number === null) {
      throw new Refusal('field_invalid', pathNumberProblem(request.params.number))
    }
    const reply = await request.once(async (tx) => {
      const wasRefused = await clearRefusal(tx, actorOf(request), number, world.clock.now())
      return { success: true as const, number, wasRefused }
    })
    world.hints.notify('links')
    return reply
  })
}
