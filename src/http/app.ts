// Assembles the HTTP side: limits, checks, failure responses, the API description, and every module's routes.
// serve.ts runs it (port, signals).

import { createServer, type RequestListener, type Server } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import { createAuthenticator } from '../accounts/authenticate.js'
import { tokenRoutes } from '../accounts/token-routes.js'
import { brandRoutes } from '../brands/brand-routes.js'
import type { Registering } from '../brands/registration.js'
import { checkCampaigns } from '../campaigns/campaign-queries.js'
import { campaignRoutes } from '../campaigns/campaign-routes.js'
import { contactRoutes } from '../inbox/contact-routes.js'
import { inboxRoutes } from '../inbox/inbox-routes.js'
import { savedReplyRoutes } from '../inbox/saved-reply-routes.js'
import { PATH_TEXT_LENGTH_MAX } from '../kit/contract/schema.js'
import type { World } from '../kit/world.js'
import { accountRoutes } from '../ledger/account-routes.js'
import { ledgerRoutes } from '../ledger/ledger-routes.js'
import { priceRoutes } from '../ledger/price-routes.js'
import { balanceRoutes } from '../ledger/statement/balance-routes.js'
import { statementRoutes } from '../ledger/statement/statement-routes.js'
import type { Carrier } from '../messages/carrier-port.js'
import { mediaRoutes } from '../messages/media/media-routes.js'
import { uploadRoutes } from '../messages/media/upload-routes.js'
import { describeMessages, type MessageRoom } from '../messages/message-room.js'
import { messageRoutes } from '../messages/message-routes.js'
import { readRoutes } from '../messages/reads/read-routes.js'
import { limitRoutes } from '../messages/usage/limit-routes.js'
import { statsRoutes } from '../messages/usage/stats-routes.js'
import { usageRoutes } from '../messages/usage/usage-routes.js'
import { checkSmppSystem } from '../numbers/check-smpp-system.js'
import { numberRoutes } from '../numbers/number-routes.js'
import type { NumberSources } from '../numbers/number-source.js'
import { operatorRoutes } from '../operator/operator-routes.js'
import { activityRoutes } from '../operator/support/support-routes.js'
import { createOperatorAuthenticator } from '../operator/tokens/authenticate-operator.js'
import { optoutRoutes } from '../optouts/optout-routes.js'
import { peopleRoutes } from '../people/people-routes.js'
import { createUserSessions } from '../people/user-session.js'
import { sandboxCallRoutes } from '../sandbox/sandbox-call-routes.js'
import { sandboxRoutes } from '../sandbox/sandbox-routes.js'
import { terminationRoutes } from '../termination/termination-routes.js'
import { compatRoutes } from '../twilio/compat-routes.js'
import { credentialRoutes } from '../twilio/credential-routes.js'
import { API_PATH } from '../twilio/message-resource.js'
import { callRoutes } from '../voice/call-routes.js'
import type { TrunkBook } from '../voice/trunk-book.js'
import type { VoiceRoom } from '../voice/voice-room.js'
import { eventStreamRoutes } from '../webhooks/stream/event-stream-routes.js'
import { webhookRoutes } from '../webhooks/webhook-routes.js'
import { billingPorts } from './billing-ports.js'
import { carrierCallbacks } from './carrier-callbacks.js'
import { ConnectionGate, gateConnections } from './connection-gate.js'
import { useConsole } from './console/console-files.js'
import { oidcRoutes } from './console/oidc-routes.js'
import { profileRoutes } from './console/profile-routes.js'
import { sessionRoutes } from './console/session-routes.js'
import { signInRoutes } from './console/sign-in-routes.js'
import { asRefusal, sendFailure, useFailureReplies } from './failure-replies.js'
import { useFairShare, worldOf } from './fair-share.js'
import type { FastPath } from './fast/exchange.js'
import { createSendFastPath } from './fast/send-fast-path.js'
import { createTwilioFastPath } from './fast/twilio-fast-path.js'
import { healthRoutes } from './health/health-routes.js'
import { createAnswerCount, useMetrics } from './health/metrics.js'
import { operatorHealthRoutes } from './health/operator-health-routes.js'
import { useIdempotency } from './idempotency.js'
import { useJsonBodies } from './parse-json.js'
import { createRateLimiter } from './rate-limit.js'
import { useOpenApi } from './reference/openapi.js'
import { useReference } from './reference/reference-pages.js'
import { useHeadCheck } from './request-head.js'
import { nextRequestId, useRequestLog } from './request-log.js'
import { useRequestTrace } from './request-trace.js'
import { mapRoutes } from './route-map.js'
import { SessionCookies } from './session-cookie.js'
import {
  type Authenticators,
  createRequestGuard,
  type RequestGuard,
  useTokenCheck,
} from './token-check.js'
import { useUnknownFields } from './unknown-fields.js'
import { answerUnread, refuseConnection } from './unread-requests.js'
import { useValidation } from './validation.js'

const CLOSE_IDLE_MS = 50
const CONNECTIONS = {
  keepAliveTimeout: 72_000, // longer than the usual proxy's 60 s, which then closes first
  requestTimeout: 30_000,
  headersTimeout: 10_000, // applies also to a connection that never sends anything
  connectionsCheckingInterval: 5_000,
  requireHostHeader: false, // request-head.ts refuses it with an explanation
}
// Unknown tokens from one address. The burst covers customers behind one proxy right after a start. Nobody
// can guess 256 bits at any rate, but each guess costs a query.
const STRANGERS = { perSecond: 20, burst: 200 }

const NO_API =
  'This process does not serve the API: it runs without the `api` role (LONGCODE_ROLES).'

/** Modules with running parts, created by the code that starts the service. */
export interface Rooms {
  messages: MessageRoom
  carrier: Carrier
  /** The providers that numbers come from. */
  sources: NumberSources
  /** Whether a provider registers brands and campaigns. */
  registering: Registering
  /** Null in a process that does not handle phone calls. */
  voice: VoiceRoom | null
  trunkBook: TrunkBook
}

export async function buildApp(world: World, rooms: Rooms): Promise<FastifyInstance> {
  const { config, db, clock, log } = world
  let isStopping = false
  let fastPath: FastPath = () => false // set once all its parts exist
  const app: FastifyInstance = Fastify({
    serverFactory: (route) => {
      const listen: RequestListener = (request, response) => {
        if (!fastPath(request, response)) route(request, response)
      }
      // An unknown Expect header asks for nothing that we would refuse.
      const server = createServer(CONNECTIONS, listen).on('checkExpectation', listen)
      limitConnections(server, world)
      return server
    },
    clientErrorHandler: (error, socket) =>
      answerUnread({ routes, log, publicUrl: config.publicUrl }, error, socket),
    logger: false, // a logger per request costs more than checking its token; see request-log.ts
    ...(config.trustProxy.length > 0 && { trustProxy: [...config.trustProxy] }),
    routerOptions: { maxParamLength: PATH_TEXT_LENGTH_MAX, ignoreTrailingSlash: true },
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    genReqId: nextRequestId,
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
      const failure = routes.failureOf(request.url.split('?', 1)[0]!, request.method)
      sendFailure(request, reply, asRefusal(error, request.id, log), failure)
    },
  })

  namePlugins(app)
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
  const answersApi = config.roles.includes('api')
  useFailureReplies(app, routes, log, answersApi ? undefined : NO_API)
  await useOpenApi(app)

  const { carrier } = rooms
  await app.register(healthRoutes, { ...world, carrier, isStopping: () => isStopping })
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
    fastPath = (request, response) => ownSend(request, response) || twilioSend(request, response)
    await addApi(app, world, rooms, { authenticators, guard, cookies })
  }
  // A link without connections runs in both, and carriers use whichever is public.
  if (answersApi || config.roles.includes('dispatch')) {
    await app.register(carrierCallbacks, { carrier, guard })
  }

  app.addHook('preClose', async () => {
    isStopping = true
    closeAsAnswered(app)
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

/** Clients keep connections open for their next request. During a stop, we wait for none of them. */
function closeAsAnswered({ server }: FastifyInstance): void {
  if (!server.listening) return // it has none, and would not report when it is closed
  const timer = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_MS)
  server.once('close', () => clearInterval(timer))
}

interface ApiDeps {
  authenticators: Authenticators
  guard: RequestGuard
  cookies: SessionCookies
}

/** Everything that customers, operators, and the console use. */
async function addApi(
  app: FastifyInstance,
  world: World,
  rooms: Rooms,
  { authenticators, guard, cookies }: ApiDeps,
): Promise<void> {
  const { carrier, voice, registering } = rooms
  const { customers } = authenticators
  await app.register(
    async (v1) => {
      const reading = worldOf(v1, world, 'read')
      await v1.register(accountRoutes, { ...reading, ...billingPorts })
      await v1.register(ledgerRoutes, reading)
      await v1.register(activityRoutes, reading)
      await v1.register(priceRoutes, { ...reading, ...billingPorts })
      await v1.register(tokenRoutes, { ...reading, checkSmppSystem, checkCampaigns })
      await v1.register(credentialRoutes, reading)
      await v1.register(brandRoutes, { ...reading, registering })
      await v1.register(campaignRoutes, { ...reading, registering })
      await v1.register(numberRoutes, { ...reading, sources: rooms.sources })
      await v1.register(callRoutes, reading)
      await v1.register(optoutRoutes, reading)
      await v1.register(messageRoutes, { ...reading, room: rooms.messages, carrier })
      await v1.register(uploadRoutes, { uploads: rooms.messages.uploads })
      await v1.register(readRoutes, reading)
      await v1.register(inboxRoutes, reading)
      await v1.register(contactRoutes, reading)
      await v1.register(savedReplyRoutes, reading)
      await v1.register(terminationRoutes, { ...reading, sources: rooms.sources })
      await v1.register(webhookRoutes, { ...reading, describeMessages })
      await v1.register(eventStreamRoutes, {
        ...reading,
        describeMessages,
        listLive: (requests) =>
          customers.listLive(
            requests.map(({ headers }) => ({
              authorization: headers.authorization,
              session: cookies.sessionOf(headers, 'account'),
            })),
          ),
      })
    },
    { prefix: '/v1' },
  )
  await app.register(
    async (twilio) => {
      const reading = worldOf(twilio, world, 'read')
      await twilio.register(compatRoutes, {
        ...reading,
        room: rooms.messages,
        sources: rooms.sources,
      })
    },
    { prefix: API_PATH },
  )
  await app.register(
    async (v1) => {
      const reporting = worldOf(v1, world, 'report')
      await v1.register(usageRoutes, reporting)
      await v1.register(limitRoutes, reporting)
      await v1.register(statsRoutes, reporting)
      await v1.register(balanceRoutes, reporting)
      await v1.register(statementRoutes, { ...reporting, ...billingPorts })
    },
    { prefix: '/v1' },
  )
  await app.register(
    async (operator) => {
      const reporting = worldOf(operator, world, 'report')
      await operator.register(operatorRoutes, {
        ...reporting,
        sources: rooms.sources,
        trunkBook: rooms.trunkBook,
        forwardings: voice?.forwardings ?? null,
        carrier,
      })
      await operator.register(operatorHealthRoutes, { ...reporting, carrier, voice })
    },
    { prefix: '/operator/v1' },
  )
  await app.register(async (rest) => {
    const reading = worldOf(rest, world, 'read')
    const session = { authenticators, guard, cookies, carrier, registering }
    await rest.register(sessionRoutes, { ...reading, ...session })
    await rest.register(signInRoutes, { ...reading, guard, cookies })
    const { oidc } = world.config
    if (oidc) await rest.register(oidcRoutes, { ...reading, guard, cookies, oidc })
    await rest.register(profileRoutes, { ...reading, guard, cookies })
    await rest.register(peopleRoutes, reading)
    await rest.register(mediaRoutes, reading)
    if (world.config.mode === 'sandbox') {
      await rest.register(sandboxRoutes, { ...reading, receiver: rooms.messages.receiver })
      await rest.register(sandboxCallRoutes, { ...reading, voice })
    }
  })
  useReference(app)
  useConsole(app)
}

const PLUGIN_NAME = Symbol.for('fastify.display-name')

/**
 * If a plugin has no name, Fastify compares it with every loaded module, which takes a fifth of the start
 * time.
 */
function namePlugins(app: FastifyInstance): void {
  const { register } = app as { register: (...args: unknown[]) => unknown }
  const registerNamed = function (this: FastifyInstance, plugin: unknown, ...rest: unknown[]) {
    if (typeof plugin === 'function' && !(PLUGIN_NAME in plugin)) {
      Object.assign(plugin, { [PLUGIN_NAME]: plugin.name || 'routes' })
    }
    return register.call(this, plugin, ...rest)
  }
  app.register = registerNamed as typeof app.register
}
