// Authenticates a request before anything of it is read: the token, its scope, and its rate. Customers and
// operators have different kinds of tokens, and neither works on the other's routes.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Person } from '../accounts/account.js'
import type { AdmitOptions, Authenticator } from '../accounts/authenticate.js'
import { mayUseOperation } from '../accounts/role.js'
import { Cache } from '../kit/cache.js'
import type { Scope } from '../kit/contract/operation.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Database } from '../kit/postgres/db.js'
import { mayOperate } from '../operator/operator-role.js'
import type { Operator } from '../operator/operator-token.js'
import type { OperatorAuthenticator } from '../operator/tokens/authenticate-operator.js'
import { checkCampaignAccess } from './campaign-access.js'
import { LookupLane } from './lookup-lane.js'
import type { RateDecision, RateLimiter } from './rate-limit.js'
import { checkMark, type SessionCookies, type SessionScope } from './session-cookie.js'

export interface Authenticators {
  customers: Authenticator
  operators: OperatorAuthenticator
}

/** The remaining rate goes into the response, successful or not. */
export interface ReplyHead {
  headers: (headers: Record<string, string>) => unknown
}

export interface RequestGuard {
  checkRate: (tokenId: string, reply: ReplyHead) => void
  checkCaller: (caller: Caller, scope: Scope, reply: ReplyHead) => void
  /** Looks up a token. After too many unknown ones from an address, only a valid one gets a response. */
  lookUp: <Who>(from: Stranger, find: () => Promise<Who>, reply: ReplyHead) => Promise<Who>
  /** For a client without a token: refused normally, until too many from the address were refused. */
  callIn: <Answer extends { status: number }>(
    from: Visitor,
    answer: () => Promise<Answer>,
    reply: ReplyHead,
  ) => Promise<Answer>
}

interface Visitor {
  /** The key it is remembered by after a success. */
  key: string
  address: string
}

/** A client whose token has to be looked up. */
interface Stranger {
  authorization: string | undefined
  address: string
}

const FAMILIAR_MAX = 10_000

/** Refuses by throwing. `failures` counts unknown tokens by address. */
export function createRequestGuard(limiter: RateLimiter, failures: RateLimiter): RequestGuard {
  const familiar = new Cache<string, true>({ max: FAMILIAR_MAX })
  const lane = new LookupLane()
  const check = (decision: RateDecision | null, reply: ReplyHead): void => {
    if (!decision) return
    reply.headers(decision.headers)
    if (!decision.isAllowed) throw new Refusal('rate_limited')
  }
  const checkRate = (tokenId: string, reply: ReplyHead): void => check(limiter.take(tokenId), reply)

  // Every unknown token costs a query. A token counts as unknown until it is found, so concurrent guesses
  // count the same as sequential ones. Many customers may share a proxy's address with someone who guesses: a
  // token that was valid here before is not limited, and a valid one that is new here is found by the lookup
  // lane, which uses a small share of the database. Only failures are refused.
  const lookUp: RequestGuard['lookUp'] = async ({ authorization = '', address }, find, reply) => {
    if (familiar.delete(authorization)) return remember(authorization, await find())
    const decision = failures.take(address)
    if (decision?.isAllowed === false) {
      const looked = await lane.run(find).catch((error) => {
        if (isUnknown(error)) check(decision, reply)
        throw error
      })
      if (!looked) check(decision, reply)
      return remember(authorization, looked!.found)
    }
    const found = await find().catch((error) => {
      if (!isUnknown(error)) failures.refund(address)
      throw error
    })
    failures.refund(address)
    return remember(authorization, found)
  }

  // The same for tokens that were looked up: valid ones are never counted.
  const callIn: RequestGuard['callIn'] = async ({ key, address }, answer, reply) => {
    const isFamiliar = familiar.peek(key) === true
    const decision = isFamiliar ? null : failures.take(address)
    if (decision?.isAllowed === false) check(decision, reply)
    const recordEnd = (status: number): void => {
      const isTurnedAway = status >= 400 && status < 500
      if (isTurnedAway && isFamiliar) failures.take(address)
      if (!isTurnedAway && !isFamiliar) failures.refund(address)
      if (isTurnedAway) familiar.delete(key)
      else if (status < 400) familiar.set(key, true)
    }
    try {
      const answered = await answer()
      recordEnd(answered.status)
      return answered
    } catch (error) {
      recordEnd(error instanceof Refusal ? error.status : 500)
      throw error
    }
  }
  const remember = <Who>(authorization: string, found: Who): Who => {
    familiar.set(authorization, true)
    return found
  }
  return {
    checkRate,
    lookUp,
    callIn,
    checkCaller: (caller, scope, reply) => {
      checkRate(caller.tokenId, reply)
      if (!caller.scopes.includes(scope)) {
        throw new Refusal('scope_absent', `This access token lacks the scope ${scope}`)
      }
    },
  }
}

const isUnknown = (error: unknown): boolean => error instanceof Refusal && error.status === 401

// Every route below these paths must declare its scope, or the service does not start.
const GUARDED = /^\/(v1|2010-04-01|console|operator|sandbox)(\/|$)/

/** Call it before the routes are added. A route that needs no token declares null. */
function refuseUndeclared(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (!GUARDED.test(url) || (config as { scope?: unknown } | undefined)?.scope !== undefined)
      return
    throw new Error(
      `The route ${method} ${url} declares no scope. Set one, or null for a public route.`,
    )
  })
}

interface TokenCheckDeps {
  authenticators: Authenticators
  guard: RequestGuard
  db: Database
  cookies: SessionCookies
}

export function useTokenCheck(app: FastifyInstance, deps: TokenCheckDeps): void {
  const { authenticators, guard, db, cookies } = deps
  const { customers, operators } = authenticators
  const { checkRate, checkCaller, lookUp } = guard
  const { workers } = db
  refuseUndeclared(app)
  const admitCustomer = (request: FastifyRequest, reply: FastifyReply, caller: Caller): void => {
    request.caller = caller
    const { scope, campaignAccess } = request.routeOptions.config
    if (caller.person) {
      admitPerson(request, reply, caller.person, scope as Scope)
      return
    }
    checkCaller(caller, scope as Scope, reply)
    if (caller.campaigns && !campaignAccess) throw new Refusal('token_restricted')
  }
  const admitPerson = (
    request: FastifyRequest,
    reply: FastifyReply,
    { userId, role }: Person,
    scope: Scope,
  ): void => {
    checkRate(userId, reply)
    if (mayUseOperation(role, operationIdOf(request), scope)) return
    throw new Refusal('role_absent', `Your role (${role}) does not allow this. ${ASK}`)
  }
  const admitOperator = (
    request: FastifyRequest,
    reply: FastifyReply,
    operator: Operator,
  ): void => {
    request.operator = operator
    checkRate(operator.tokenId, reply)
    const { role } = operator
    if (mayOperate(role, operationIdOf(request))) return
    throw new Refusal('role_absent', `Your role (${role}) does not allow this. Ask an operator.`)
  }

  // A callback instead of a promise, because most tokens are cached and need no waiting.
  app.addHook('onRequest', function checkToken(request, reply, done) {
    const { scope } = request.routeOptions.config
    if (scope === undefined || scope === null) return done()
    if (scope === 'operator') {
      lookUp(...findIn(request, reply, cookies, 'operator', operators), reply)
        .then((operator) => admitOperator(request, reply, operator))
        .then(() => done(), done)
      return
    }
    const cached = customers.peek(authorizationOf(request))
    if (!cached) {
      lookUp(...findIn(request, reply, cookies, 'account', customers), reply)
        .then(async (caller) => {
          admitCustomer(request, reply, caller)
          if (workers.isOutage) await workers.assertNear(caller.accountId)
        })
        .then(() => checkCampaignAccess(db.pool('read'), request))
        .then(() => done(), done)
      return
    }
    try {
      admitCustomer(request, reply, cached)
    } catch (error) {
      return done(error as Refusal)
    }
    // Tenants on a worker that is down are refused immediately and hold no connection meanwhile.
    const isNear = workers.isOutage ? workers.assertNear(cached.accountId) : null
    if (!isNear && !cached.campaigns) return done()
    Promise.resolve(isNear)
      .then(() => checkCampaignAccess(db.pool('read'), request))
      .then(() => done(), done)
  })
}

const ASK = 'Ask an owner or admin of the account.'

function operationIdOf({ routeOptions }: FastifyRequest): string | undefined {
  return (routeOptions.schema as { operationId?: string } | undefined)?.operationId
}

interface Finder<Who> {
  authenticate: (authorization: string | undefined, options?: AdmitOptions) => Promise<Who>
  authenticateSession: (secret: string, options?: AdmitOptions) => Promise<Who>
}

/** How to authenticate the request: by its token, otherwise by the console's cookie. */
function findIn<Who>(
  request: FastifyRequest,
  reply: FastifyReply,
  cookies: SessionCookies,
  audience: SessionScope,
  { authenticate, authenticateSession }: Finder<Who>,
): [Stranger, () => Promise<Who>] {
  const authorization = authorizationOf(request)
  const address = request.ip
  const { admitsSuspended = false } = request.routeOptions.config
  const options = { admitsSuspended }
  const secret = cookies.sessionOf(request.headers, audience)
  if (secret === null) {
    return [{ authorization, address }, () => authenticate(authorization, options)]
  }
  // The URL alone identifies the response, so a shared browser must not show it to the next person.
  reply.header('cache-control', 'no-store')
  const find = async (): Promise<Who> => {
    checkMark(request)
    return authenticateSession(secret, options)
  }
  return [{ authorization: secret, address }, find]
}

function authorizationOf({ headers, routeOptions }: FastifyRequest): string | undefined {
  return routeOptions.config.takesBasic ? bearerOf(headers.authorization) : headers.authorization
}

/**
 * Programs that support only a user name and password send the token as the password, on routes that allow
 * it.
 */
export function bearerOf(authorization: string | undefined): string | undefined {
  const basic = /^Basic +(\S+)/i.exec(authorization ?? '')
  if (!basic) return authorization
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(basic[1]!, 'base64').toString()) ?? []
  return `Bearer ${password}`
}
