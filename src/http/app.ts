// Assembles the HTTP side: limits, checks, failure responses, the API description, and every module's routes.
// serve.ts runs it (port, signals).

import { createServer, type RequestListener, type Server } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import { createAuthenticator } from '../accounts/authenticate.js'
import { PATH_TEXT_LENGTH_MAX } from '../kit/contract/schema.js'
import { addRoutes } from '../kit/routes/add-routes.js'
import type { World } from '../kit/world.js'
import { createOperatorAuthenticator } from '../operator/tokens/authenticate-operator.js'
import { createUserSessions } from '../people/user-session.js'
import { addApi, type Rooms } from './api-routes.js'
import { carrierCallbacks } from './carrier-callbacks.js'
import { createAddressOf } from './connections/client-address.js'
import { trackConnections } from './connections/close-connections.js'
import { ConnectionGate, gateConnections } from './connections/connection-gate.js'
import { answerUnread, refuseConnection } from './connections/unread-requests.js'
import { asRefusal, sendFailure, useFailureReplies } from './failure-replies.js'
import { useFairShare } from './fair-share.js'
import { type FastPath, NodeArrival } from './fast/arrival.js'
import { readPlainRequests } from './fast/plain-connections.js'
import { createSendFastPath } from './fast/send-fast-path.js'
import { createTwilioFastPath } from './fast/twilio-fast-path.js'
import { healthRoutes } from './health/health-routes.js'
import { createAnswerCount, useMetrics } from './health/metrics.js'
import { useIdempotency } from './idempotency.js'
import { useJsonBodies } from './parse-json.js'
import { registerQuickly } from './quick-registration.js'
import { createRateLimiter } from './rate-limit.js'
import { useOpenApi } from './reference/openapi.js'
import { isHostClear, useHeadCheck } from './request-head.js'
import { nextRequestId, useRequestLog } from './request-log.js'
import { useRequestTrace } from './request-trace.js'
import { mapRoutes } from './route-map.js'
import { SessionCookies } from './session-cookie.js'
import { createRequestGuard, useTokenCheck } from './token-check.js'
import { useUnknownFields } from './unknown-fields.js'
import { useValidation } from './validation.js'

const CONNECTIONS = {
  keepAliveTimeout: 72_000, // longer than the usual proxy's 60 s, which then closes first
  requestTimeout: 30_000,
  headersTimeout: 10_000, // applies also to a connection that never sends anything
  connectionsCheckingInterval: 5_000,
  requireHostHeader: false, // request-head.ts refuses it with an explanation
}
const PLAIN = {
  keepAliveMs: CONNECTIONS.keepAliveTimeout,
  firstByteMs: CONNECTIONS.headersTimeout,
}
// Unknown tokens from one address. The burst covers customers behind one proxy right after a start. Nobody
// can guess 256 bits at any rate, but each guess costs a query.
const STRANGERS = { perSecond: 20, burst: 200 }

const NO_API =
  'This process does not serve the API: it runs without the `api` role (LONGCODE_ROLES).'

export async function buildApp(world: World, rooms: Rooms): Promise<FastifyInstance> {
  const { config, db, clock, log, hints } = world
  const answersApi = config.roles.includes('api')
  const addressOf = createAddressOf(config.trustProxy)
  let isStopping = false
  const closing: (() => void)[] = [] // one per address that it listens at
  let fastPath: FastPath = () => false // set once all its parts exist
  const app: FastifyInstance = Fastify({
    serverFactory: (route) => {
      const listen: RequestListener = (request, response) => {
        const isFast =
          isHostClear(request) && fastPath(new NodeArrival(request, response, addressOf))
        if (!isFast) route(request, response)
      }
      // An unknown Expect header asks for nothing that we would refuse.
      const server = createServer(CONNECTIONS, listen).on('checkExpectation', listen)
      if (answersApi) {
        const ownPath: FastPath = (arrival) => fastPath(arrival)
        const plain = { ...PLAIN, clock, fastPath: ownPath, addressOf }
        closing.push(readPlainRequests(server, plain))
      }
      limitConnections(server, world)
      closing.push(trackConnections(server))
      return server
    },
    clientErrorHandler: (error, socket) =>
      answerUnread({ routes, log, publicUrl: config.publicUrl }, error, socket),
    logger: false, // a logger per request costs more than checking its token; see request-log.ts
    ...(config.trustProxy.length > 0 && { trustProxy: [...config.trustProxy] }),
    routerOptions: { maxParamLength: PATH_TEXT_LENGTH_MAX, ignoreTrailingSlash: true },
    exposeHeadRoutes: false,
    pluginTimeout: 0, // two timers for every route, and ours wait for nothing
    forceCloseConnections: 'idle',
    genReqId: nextRequestId,
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
      const failure = routes.failureOf(request.url.split('?', 1)[0]!, request.method)
      sendFailure(request, reply, asRefusal(error, request.id, log), failure)
    },
  })

  registerQuickly(app)
  app.decorate('publicUrl', config.publicUrl)
  const routes = mapRoutes(app)
  useJsonBodies(app)
  useValidation(app)
  app.setSerializerCompiler(() => JSON.stringify)
  useRequestTrace(app, world.tracing)
  useRequestLog(app, log)
  useHeadCheck(app)
  useUnknownFields(app)
  const guard = createRequestGuard(
    createRateLimiter(config.requestsPerSecond, config.requestsBurst),
    createRateLimiter(config.requestsPerSecond === 0 ? 0 : STRANGERS.perSecond, STRANGERS.burst),
  )
  // A send waits for its token lookup.
  const sending = { ...world, db: db.pool('send') }
  const customers = createAuthenticator(sending.db, clock, createUserSessions(sending))
  const reporting = { ...world, db: db.pool('report') }
  const authenticators = { customers, operators: createOperatorAuthenticator(reporting) }
  const cookies = new SessionCookies(config)
  useTokenCheck(app, { authenticators, guard, db, cookies })
  useFairShare(app, db)
  useIdempotency(app, world)
  useFailureReplies(app, routes, log, answersApi ? undefined : NO_API)
  await useOpenApi(app)

  const { carrier } = rooms
  await addRoutes(app, healthRoutes, { ...world, carrier, isStopping: () => isStopping })
  const count = createAnswerCount(world)
  useMetrics(app, reporting, rooms, count)
  if (answersApi) {
    const fast = {
      ...{ customers, guard, count },
      sendService: rooms.messages.sendService,
      isStopping: () => isStopping,
    }
    const [ownSend, twilioSend] = [
      createSendFastPath(world, fast),
      createTwilioFastPath(world, fast),
    ]
    fastPath = (arrival) => ownSend(arrival) || twilioSend(arrival)
    await addApi(app, world, rooms, { authenticators, guard, cookies })
  }
  // A link without connections runs in both, and carriers use whichever is public.
  if (answersApi || config.roles.includes('dispatch')) {
    await app.register(carrierCallbacks, { carrier, guard })
  }

  app.addHook('onResponse', async function announceEvents({ method, caller }) {
    // Any change may have events. Without shared hints, a poll finds them just as soon.
    if (!hints.areShared || method === 'GET') return
    hints.notify('deliveries', caller ? [caller.accountId] : null)
  })
  app.addHook('preClose', async () => {
    isStopping = true
    for (const close of closing) close()
  })
  return app
}

function limitConnections(server: Server, { config, metrics }: World): void {
  const refused = metrics.counter(
    'longcode_http_connections_refused_total',
    'HTTP connections over a limit, by reason',
    ['reason'],
  )
  const gate = new ConnectionGate({
    max: config.connectionsMax,
    perAddress: config.connectionsPerAddress,
    trusted: config.trustProxy,
  })
  gateConnections(server, gate, (socket, code) => {
    refused.add(1, code)
    refuseConnection(socket, code, config.publicUrl)
  })
}
