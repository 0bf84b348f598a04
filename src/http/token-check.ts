// Who is calling, checked before anything of the request is read: the token, its scope, its rate.
// Customers and operators have tokens of different kinds, and neither opens the other's doors.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../accounts/account.js'
import type { Authenticator } from '../accounts/authenticate.js'
import type { Scope } from '../kit/operation.js'
import { Refusal } from '../kit/refusal.js'
import type { OperatorAuthenticator } from '../operator/authenticate-operator.js'
import type { RateLimiter } from './rate-limit.js'

export interface Authenticators {
  customers: Authenticator
  operators: OperatorAuthenticator
}

/** What is told about the rate goes into the reply, be it a success or not. */
export interface ReplyHead {
  headers: (headers: Record<string, string>) => unknown
}

export interface Door {
  checkRate: (tokenId: string, reply: ReplyHead) => void
  checkCaller: (caller: Caller, scope: Scope, reply: ReplyHead) => void
}

/** Refuses by throwing. */
export function createDoor(limiter: RateLimiter): Door {
  const checkRate = (tokenId: string, reply: ReplyHead): void => {
    const verdict = limiter.take(tokenId)
    if (!verdict) return
    reply.headers(verdict.headers)
    if (!verdict.isAllowed) throw new Refusal('rate_limited')
  }
  return {
    checkRate,
    checkCaller: (caller, scope, reply) => {
      checkRate(caller.tokenId, reply)
      if (!caller.scopes.includes(scope)) {
        throw new Refusal('scope_absent', `This access token lacks the scope ${scope}`)
      }
    },
  }
}

export function useTokenCheck(
  app: FastifyInstance,
  { customers, operators }: Authenticators,
  { checkRate, checkCaller }: Door,
): void {
  const admitCustomer = (request: FastifyRequest, reply: FastifyReply, caller: Caller): void => {
    request.caller = caller
    checkCaller(caller, request.routeOptions.config.scope as Scope, reply)
  }

  // With a callback, not a promise: most tokens are known and need no waiting.
  app.addHook('onRequest', (request, reply, done) => {
    const { scope } = request.routeOptions.config
    if (scope === undefined || scope === null) return done()
    const { authorization } = request.headers
    if (scope === 'operator') {
      operators
        .authenticate(authorization)
        .then((operator) => {
          request.operator = operator
          checkRate(operator.tokenId, reply)
        })
        .then(() => done(), done)
      return
    }
    try {
      const caller = customers.authenticate(authorization)
      if (!(caller instanceof Promise)) {
        admitCustomer(request, reply, caller)
        return done()
      }
      caller.then((found) => admitCustomer(request, reply, found)).then(() => done(), done)
    } catch (error) {
      done(error as Refusal)
    }
  })
}
