// Registers the routes of every module: what customers, operators, and the console use.

import type { FastifyInstance } from 'fastify'
import { tokenRoutes } from '../accounts/token-routes.js'
import { alertRoutes } from '../alerts/alert-routes.js'
import { brandRoutes } from '../brands/brand-routes.js'
import type { Registering } from '../brands/registration.js'
import { checkCampaigns } from '../campaigns/campaign-queries.js'
import { campaignRoutes } from '../campaigns/campaign-routes.js'
import { contactRoutes } from '../inbox/contact-routes.js'
import { inboxRoutes } from '../inbox/inbox-routes.js'
import { savedReplyRoutes } from '../inbox/saved-reply-routes.js'
import { addRoutes } from '../kit/routes/add-routes.js'
import type { World } from '../kit/world.js'
import { accountRoutes } from '../ledger/account-routes.js'
import { ledgerRoutes } from '../ledger/ledger-routes.js'
import { priceRoutes } from '../ledger/price-routes.js'
import { balanceRoutes } from '../ledger/statement/balance-routes.js'
import { statementRoutes } from '../ledger/statement/statement-routes.js'
import type { Carrier } from '../messages/carrier-port.js'
import { exportRoutes } from '../messages/exports/export-routes.js'
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
import { consoleBrandingRoutes } from '../operator/branding/branding-routes.js'
import { operatorRoutes } from '../operator/operator-routes.js'
import { activityRoutes } from '../operator/support/support-routes.js'
import { optoutRoutes } from '../optouts/optout-routes.js'
import { peopleRoutes } from '../people/people-routes.js'
import { quotaRoutes } from '../quotas/quota-routes.js'
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
import { useConsole } from './console/console-files.js'
import { oidcRoutes } from './console/oidc-routes.js'
import { profileRoutes } from './console/profile-routes.js'
import { sessionRoutes } from './console/session-routes.js'
import { signInRoutes } from './console/sign-in-routes.js'
import { worldOf } from './fair-share.js'
import { operatorHealthRoutes } from './health/operator-health-routes.js'
import { useReference } from './reference/reference-pages.js'
import type { SessionCookies } from './session-cookie.js'
import type { Authenticators, RequestGuard } from './token-check.js'

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

interface ApiDeps {
  authenticators: Authenticators
  guard: RequestGuard
  cookies: SessionCookies
}

/** Everything that customers, operators, and the console use. */
export async function addApi(
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
      await addRoutes(v1, accountRoutes, { ...reading, ...billingPorts })
      await addRoutes(v1, ledgerRoutes, reading)
      await addRoutes(v1, activityRoutes, reading)
      await addRoutes(v1, priceRoutes, { ...reading, ...billingPorts })
      await addRoutes(v1, quotaRoutes, reading)
      await addRoutes(v1, tokenRoutes, { ...reading, checkSmppSystem, checkCampaigns })
      await addRoutes(v1, credentialRoutes, reading)
      await addRoutes(v1, brandRoutes, { ...reading, registering })
      await addRoutes(v1, campaignRoutes, { ...reading, registering })
      await addRoutes(v1, numberRoutes, { ...reading, sources: rooms.sources })
      await addRoutes(v1, callRoutes, reading)
      await addRoutes(v1, optoutRoutes, reading)
      await addRoutes(v1, messageRoutes, { ...reading, room: rooms.messages, carrier })
      await v1.register(uploadRoutes, { uploads: rooms.messages.uploads })
      await addRoutes(v1, readRoutes, reading)
      await addRoutes(v1, exportRoutes, reading)
      await addRoutes(v1, inboxRoutes, reading)
      await addRoutes(v1, contactRoutes, reading)
      await addRoutes(v1, savedReplyRoutes, reading)
      await addRoutes(v1, alertRoutes, reading)
      await addRoutes(v1, terminationRoutes, { ...reading, sources: rooms.sources })
      await addRoutes(v1, webhookRoutes, { ...reading, describeMessages })
      await v1.register(eventStreamRoutes, {
        ...reading,
        describeMessages,
        listLive: (requests) =>
          customers.listLive(
            requests.map(({ headers, caller }) => ({
              caller,
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
      await addRoutes(v1, usageRoutes, reporting)
      await addRoutes(v1, limitRoutes, reporting)
      await addRoutes(v1, statsRoutes, reporting)
      await addRoutes(v1, balanceRoutes, reporting)
      await addRoutes(v1, statementRoutes, { ...reporting, ...billingPorts })
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
      await addRoutes(operator, operatorHealthRoutes, { ...reporting, carrier, voice })
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
    await addRoutes(rest, peopleRoutes, reading)
    await addRoutes(rest, consoleBrandingRoutes, reading)
    await addRoutes(rest, mediaRoutes, reading)
    if (world.config.mode === 'sandbox') {
      await addRoutes(rest, sandboxRoutes, { ...reading, receiver: rooms.messages.receiver })
      await addRoutes(rest, sandboxCallRoutes, { ...reading, voice })
    }
  })
  useReference(app)
  useConsole(app)
}
