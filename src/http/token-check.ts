// Who is calling, checked before anything of the request is read: the token, its scope, its rate.

import type { FastifyInstance } from 'fastify'
import type { Authenticator } from '../accounts/authenticate.js'
import { Refusal } from '../kit/refusal.js'
import type { RateLimiter } from './rate-limit.js'

export function useTokenCheck(
  app: FastifyInstance,
  authenticator: Authenticator,
  limiter: RateLimiter,
): void {
  app.addHook('onRequest', async (request, reply) => {
    const { scope } = request.routeOptions.config
    if (scope === undefined || scope === null || scope === 'operator') return
    const caller = await authenticator.authenticate(request.headers.authorization)
    request.caller = caller
    const verdict = limiter.take(caller.tokenId)
    if (verdict) {
      reply.headers(verdict.headers)
      if (!verdict.isAllowed) throw new Refusal('rate_limited')
    }
    if (!caller.scopes.includes(scope)) {
      throw new Refusal('scope_absent', `This access token lacks the scope ${scope}`)
    }
  })
}
