// Who is calling, checked before anything of the request is read: the token, its scope, its rate.
// Customers and operators have tokens of different kinds, and neither opens the other's doors.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Authenticator } from '../accounts/authenticate.js'
import { Refusal } from '../kit/refusal.js'
import type { OperatorAuthenticator } from '../operator/authenticate-operator.js'
import type { RateLimiter } from './rate-limit.js'

export interface Authenticators {
  customers: Authenticator
  operators: OperatorAuthenticator
}

export function useTokenCheck(
  app: FastifyInstance,
  { customers, operators }: Authenticators,
  limiter: RateLimiter,
): void {
  app.addHook('onRequest', async (request, reply) => {
    const { scope } = request.routeOptions.config
    if (scope === undefined || scope === null) return
    const tokenId =
      scope === 'operator'
        ? await admitOperator(request, operators)
        : await admitCustomer(request, customers)
    const verdict = limiter.take(tokenId)
    if (verdict) {
      reply.headers(verdict.headers)
      if (!verdict.isAllowed) throw new Refusal('rate_limited')
    }
    if (scope !== 'operator' && !request.caller.scopes.includes(scope)) {
      throw new Refusal('scope_absent', `This access token lacks the scope ${scope}`)
    }
  })
}

async function admitOperator(
  request: FastifyRequest,
  operators: OperatorAuthenticator,
): Promise<string> {
  request.operator = await operators.authenticate(request.headers.authorization)
  return request.operator.tokenId
}

async function admitCustomer(request: FastifyRequest, customers: Authenticator): Promise<string> {
  request.caller = await customers.authenticate(request.headers.authorization)
  return request.caller.tokenId
}
