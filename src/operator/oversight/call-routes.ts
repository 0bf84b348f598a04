// Phone calls as the operator oversees them, over HTTP: forwarding that is stopped and allowed again.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { World } from '../../kit/world.js'
import { allowForwarding, stopForwarding } from '../../numbers/forwarding/stop-forwarding.js'
import type { NumberRecord } from '../../numbers/number.js'
import { digitsToE164 } from '../../text/phone-number.js'
import { actorOf } from '../operator-token.js'
import { ALLOW_FORWARDING, STOP_FORWARDING } from './call-operations.js'

export const operatorCallRoutes: FastifyPluginAsyncTypebox<World> = async (
  app,
  { clock, hints },
) => {
  app.post('/number/:number/forwarding/stop', STOP_FORWARDING, async (request) => {
    const reply = await request.once(async (tx) => {
      const wanted = { phoneNumber: digitsToE164(request.params.number), ...request.body }
      return wireStop(await stopForwarding(tx, actorOf(request), wanted, clock.now()))
    })
    hints.notify('forwardings')
    hints.notify('numbers')
    return reply
  })

  app.post('/number/:number/forwarding/allow', ALLOW_FORWARDING, (request) =>
    request.once(async (tx) => {
      const wanted = { phoneNumber: digitsToE164(request.params.number), ...request.body }
      return wireStop(await allowForwarding(tx, actorOf(request), wanted, clock.now()))
    }),
  )
}

function wireStop({ phoneNumber, accountId, forwardNumber, forwardingStoppedAt }: NumberRecord) {
  const isStopped = forwardingStoppedAt !== null
  return { success: true as const, phoneNumber, accountId, forwardNumber, isStopped }
}
