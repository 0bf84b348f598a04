// The operator's endpoints for phone calls: call records, and stopping and allowing call forwarding.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { readTime } from '../../kit/contract/iso-time.js'
import { cutPage, pageOf } from '../../kit/contract/schema.js'
import type { World } from '../../kit/world.js'
import { allowForwarding, stopForwarding } from '../../numbers/forwarding/stop-forwarding.js'
import type { NumberRecord } from '../../numbers/number.js'
import { readPhoneQuery } from '../../text/number-schema.js'
import { digitsToE164 } from '../../text/phone-number.js'
import { searchCalls } from '../../voice/records/call-record-queries.js'
import { wireCall } from '../../voice/records/call-record-wire.js'
import { actorOf } from '../operator-token.js'
import { ALLOW_FORWARDING, SEARCH_CALLS, STOP_FORWARDING } from './call-operations.js'

export const operatorCallRoutes: FastifyPluginAsyncTypebox<World> = async (
  app,
  { db, clock, hints },
) => {
  app.get('/call/search', SEARCH_CALLS, async ({ query }) => {
    const page = pageOf(query)
    const filter = {
      accountId: query.account ?? null,
      phoneNumber: readPhoneQuery(query.number),
      trunk: query.trunk ?? null,
      callId: query.callId ?? null,
      since: query.since === undefined ? null : readTime('since', query.since),
      until: query.until === undefined ? null : readTime('until', query.until),
    }
    const { rows, hasMore } = cutPage(await searchCalls(db, filter, page), page)
    return { calls: rows.map(wireCall), hasMore }
  })

  app.post('/number/:number/forwarding/stop', STOP_FORWARDING, async (request) => {
    const reply = await request.once(async (tx) => {
      const stopRequest = { phoneNumber: digitsToE164(request.params.number), ...request.body }
      return wireStop(await stopForwarding(tx, actorOf(request), stopRequest, clock.now()))
    })
    hints.notify('forwardings')
    hints.notify('numbers')
    return reply
  })

  app.post('/number/:number/forwarding/allow', ALLOW_FORWARDING, (request) =>
    request.once(async (tx) => {
      const stopRequest = { phoneNumber: digitsToE164(request.params.number), ...request.body }
      return wireStop(await allowForwarding(tx, actorOf(request), stopRequest, clock.now()))
    }),
  )
}

function wireStop({ phoneNumber, accountId, forwardNumber, forwardingStoppedAt }: NumberRecord) {
  const isStopped = forwardingStoppedAt !== null
  return { success: true as const, phoneNumber, accountId, forwardNumber, isStopped }
}
