// All operator routes. Each one requires an operator token, and the audit log records every action under the name of
// that token.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { addRoutes } from '../kit/routes/add-routes.js'
import type { World } from '../kit/world.js'
import type { NumberSources } from '../numbers/number-source.js'
import { operatorAccountRoutes } from './accounts/account-routes.js'
import { operatorPriceRoutes } from './accounts/price-routes.js'
import { operatorQuotaRoutes } from './accounts/quota-routes.js'
import { operatorSmppRoutes } from './accounts/smpp-limit-routes.js'
import { operatorAlertRoutes } from './alerts/alert-routes.js'
import { operatorBrandingRoutes } from './branding/branding-routes.js'
import type { Operator } from './operator-token.js'
import { operatorAddCarrierRoutes } from './oversight/add-carrier-routes.js'
import type { CallDeps } from './oversight/answer-switch.js'
import { operatorCallRoutes } from './oversight/call-routes.js'
import { operatorCarrierRoutes } from './oversight/carrier-routes.js'
import { operatorOversightRoutes } from './oversight/oversight-routes.js'
import { operatorVoiceRoutes } from './oversight/voice-routes.js'
import { operatorQueueRoutes } from './reviews/queue-routes.js'
import { operatorReviewRoutes } from './reviews/review-routes.js'
import { operatorSupportRoutes, type SupportDeps } from './support/support-routes.js'
import { operatorTokenRoutes } from './tokens/token-routes.js'
import { operatorUserRoutes } from './users/user-routes.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the handler runs, on every operator route. */
    operator: Operator
  }
}

type Options = World & CallDeps & SupportDeps & { sources: NumberSources }

export const operatorRoutes: FastifyPluginAsyncTypebox<Options> = async (app, world) => {
  // Lists over all accounts include only reachable ones. The header reports it: a partial list must not look complete.
  app.addHook('onSend', async (request, reply) => {
    const { away } = world.db.workers
    if (request.method !== 'GET' || away.length === 0) return
    const names = away.map(({ name }) => name).join(', ')
    reply.header('longcode-incomplete', `${names} does not respond: its accounts are missing`)
  })
  await addRoutes(app, operatorAccountRoutes, world)
  await addRoutes(app, operatorTokenRoutes, world)
  await addRoutes(app, operatorUserRoutes, world)
  await addRoutes(app, operatorQueueRoutes, world)
  await app.register(operatorReviewRoutes, world)
  await addRoutes(app, operatorOversightRoutes, world)
  await addRoutes(app, operatorCarrierRoutes, world)
  await addRoutes(app, operatorAddCarrierRoutes, world)
  await addRoutes(app, operatorPriceRoutes, world)
  await addRoutes(app, operatorSmppRoutes, world)
  await addRoutes(app, operatorQuotaRoutes, world)
  await app.register(operatorVoiceRoutes, world)
  await addRoutes(app, operatorCallRoutes, world)
  await addRoutes(app, operatorSupportRoutes, world)
  await addRoutes(app, operatorBrandingRoutes, world)
  await addRoutes(app, operatorAlertRoutes, world)
}
