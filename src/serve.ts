// One running service: its database, its HTTP server, and the loops of its roles, started in order and stopped in
// reverse order. main.ts runs one; tests run several.

import type { FastifyInstance } from 'fastify'
import { keyRetentionLoop } from './accounts/purge-keys.js'
import { alertLoop } from './alerts/watch-alerts.js'
import { NO_REGISTRARS } from './campaigns/registration/registrar.js'
import { registrationLoop } from './campaigns/registration/registration-loop.js'
import { renewalLoop } from './campaigns/renewal/renew-campaigns.js'
import type { Registry } from './campaigns/review/registry-port.js'
import { LinkMeters } from './carriers/link-meter.js'
import { LinkReporter } from './carriers/link-reporter.js'
import { type CarrierSet, createCarrierSet } from './carriers/routing/carrier-set.js'
import { LinkGates } from './carriers/routing/link-gates.js'
import { networkRetentionLoop } from './carriers/routing/number-lookup-cache.js'
import type { CarrierSettings } from './carriers/settings/carrier-settings.js'
import { readCarriersOf } from './carriers/settings/read-carriers.js'
import { createNoCarrier, createSimulator } from './carriers/simulator.js'
import { appendLowBalance } from './events/append-low-balance.js'
import { relayHints } from './hint-relay.js'
import { buildApp } from './http/app.js'
import { AUDIENCES, type Audience, apiDocument } from './http/reference/openapi-document.js'
import { noteReply } from './inbox/note-reply.js'
import { Clock } from './kit/clock.js'
import type { Config, Role } from './kit/config.js'
import { Hints } from './kit/hints.js'
import { type Log, openLog } from './kit/log.js'
import { Metrics } from './kit/metrics.js'
import { plannerStatisticsLoop } from './kit/planner-statistics.js'
import { type Database, openDatabase } from './kit/postgres/db.js'
import { BadSetting } from './kit/settings/setting-reader.js'
import { inTurn, type Loop, startLoop } from './kit/worker-loop.js'
import type { World } from './kit/world.js'
import { closingLoop } from './ledger/statement/close-days.js'
import { lowBalanceLoop } from './ledger/watch-balances.js'
import { emailLoops } from './mail/send-emails.js'
import type { Carrier, Reloaded } from './messages/carrier-port.js'
import { exportLoop, purgeExportsLoop } from './messages/exports/write-exports.js'
import { wakeLanes } from './messages/lane-queries.js'
import { purgeFilesLoop } from './messages/media/purge-files.js'
import { createMessageRoom, describeMessages, type MessageRoom } from './messages/message-room.js'
import { textIndexLoops } from './messages/reads/text-search.js'
import { mediaTotalsLoop } from './messages/usage/count-media.js'
import { foldLoop, sumLoop } from './messages/usage/sum-usage.js'
import { listNumberFees } from './numbers/number-queries.js'
import { NO_SOURCES } from './numbers/number-source.js'
import { provisioningLoop } from './numbers/provisioning/provisioning-loop.js'
import { alertSources } from './operator/alerts/alert-sources.js'
import { findBranding } from './operator/branding/branding-queries.js'
import { mergeBranding } from './operator/branding/set-branding.js'
import { partitionLoop } from './operator/retention/partition-loop.js'
import { tracePurgeLoop } from './operator/retention/purge-traces.js'
import { repackLoop } from './operator/retention/repack-loop.js'
import { accountRetentionLoop } from './operator/retention/retention-loop.js'
import { createManualRegistry } from './operator/reviews/manual-registry.js'
import { createSimulatedRegistry } from './sandbox/registry.js'
import { resumeOthersLoop, resumeSimulator } from './sandbox/resume-simulator.js'
import { clockLoop, followClock } from './sandbox/test-clock.js'
import { smppPurgeLoop } from './smpp-server/purge-loop.js'
import { type SmppServer, startSmppServer } from './smpp-server/smpp-server.js'
import { startTracing } from './start-tracing.js'
import { stopInOrder } from './stop-in-order.js'
import { terminationLoop } from './termination/continue-terminations.js'
import { createTwilioFormat } from './twilio/callbacks/callback-format.js'
import { voicePurgeLoop } from './voice/purge-loop.js'
import { TrunkBook } from './voice/trunk-book.js'
import { VoiceRoom } from './voice/voice-room.js'
import { Deliverer } from './webhooks/deliver/deliverer.js'
import { retentionLoop } from './webhooks/retention.js'

/** The tables that grow with every message. */
const HOT_TABLES = [
  'messages',
  'ledger_transfers',
  'events',
  'event_deliveries',
  'event_arrivals',
  'idempotency_keys',
]

export interface Service {
  world: World
  app: FastifyInstance
  /** Reads the carriers file again. The log and the operator's status show the result. */
  reloadCarriers: () => Promise<Reloaded>
  /** Reads the trunks file again. The log shows the result. */
  reloadTrunks: () => void
  /** Describes the links of the carriers file; null without one. */
  carrierDescription: string | null
  /** The port customers bind on; null if SMPP is off. */
  smppPort: number | null
  /** Null in a process without the role. */
  voice: VoiceRoom | null
  stop: () => Promise<void>
}

/**
 * The database must exist and be migrated. The caller decides whether to listen, and a test can pass its own
 * carrier.
 */
export async function startService(
  config: Readonly<Config>,
  databaseUrl: string,
  log: Log = openLog(config.logLevel),
  testCarrier?: Carrier,
): Promise<Service> {
  // Read the files before opening anything, so that an invalid file leaves nothing open.
  const carriers = readCarriersOf(config)
  const trunkBook = new TrunkBook(config)
  const db = openDatabase({
    url: databaseUrl,
    poolMax: config.databasePoolMax,
    statementMs: config.databaseStatementMs,
    pooler: config.databasePooler,
    applicationName: 'longcode',
    onError: (error) => log.warn({ err: error }, 'database connection lost'),
    onWorker: ({ name, since }, isAway) => {
      if (isAway)
        log.error(
          { worker: name },
          'a database worker is down: its accounts get 503, others are not affected',
        )
      else log.warn({ worker: name, since }, 'a database worker is back')
    },
  })
  const world = createWorld(db, config, log)
  await startTracing(world)
  await db.workers.isCluster(db) // the first statement would ask it on another connection
  await followClock(world)
  const meters = new LinkMeters(world)
  const gates = new LinkGates(world)
  const link: Link = testCarrier
    ? { carrier: gates.guard(meters.meter(testCarrier)) }
    : createLink(world, { meters, gates }, carriers)
  const { carrier } = link
  const messages = createMessageRoom(world, carrier, noteReply)
  const voice = config.roles.includes('voice') ? await VoiceRoom.open(world, trunkBook) : null
  const sources = link.set?.numbers ?? NO_SOURCES
  const registrars = link.set?.registrars ?? NO_REGISTRARS
  const rooms = { messages, carrier, sources, registering: registrars, trunkBook, voice }
  const app = await buildApp(world, rooms)
  await app.ready()
  const isDispatching = config.roles.includes('dispatch')
  if (isDispatching) await gates.follow()
  await carrier.start(messages.listener)
  const resume = isDispatching ? link.resume : undefined
  await resume?.().catch((error) =>
    log.warn({ err: error }, 'could not ask the provider for receipts from before the start'),
  )
  const relay = await relayHints(world)
  const reporter = new LinkReporter(world, carrier, meters)
  const loops = [
    ...reporter.loops,
    ...(isDispatching || link.set ? [gates.loop] : []),
    ...(voice?.loops ?? []),
    ...(config.mode === 'sandbox' ? [clockLoop(world)] : []),
    ...config.roles.flatMap((role) => loopsOf(role, world, messages)),
    ...(resume ? [resumeOthersLoop(world, resume)] : []),
    ...(link.set && config.roles.includes('schedule')
      ? [
          networkRetentionLoop(world, link.set.learnedMs),
          provisioningLoop(world, sources),
          registrationLoop(world, registrars, wakeLanes),
        ].map(inTurn(world, 'schedule'))
      : []),
  ].map((loop) => startLoop(loop, world.hints))

  let smpp: SmppServer | null = null
  const stop = () =>
    stopInOrder(world, [
      () => Promise.all([app.close(), smpp?.stop(), voice?.stop()]),
      () => Promise.all(loops.map((loop) => loop.stop())),
      () => Promise.all([relay.stop(), reporter.withdraw()]),
      () => carrier.stop(),
      () => messages.stop(),
      async () => world.tracing?.stop(),
      () => db.end(),
    ])
  try {
    smpp = await startSmpp(world, messages)
    await voice?.listen()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    world,
    app,
    reloadCarriers: () => reporter.reload(),
    reloadTrunks: () => trunkBook.reload(log),
    carrierDescription: link.set?.describe() ?? null,
    smppPort: smpp?.port ?? null,
    voice,
    stop,
  }
}

/** The SMPP server for customers, if it is configured. It belongs to the api role. */
async function startSmpp(world: World, messages: MessageRoom): Promise<SmppServer | null> {
  const { smppServer, roles } = world.config
  if (smppServer === null || !roles.includes('api')) return null
  try {
    return await startSmppServer(world, smppServer, messages.sendService.send)
  } catch (error) {
    const { code = (error as Error).message } = error as NodeJS.ErrnoException
    const { host, port } = smppServer
    throw new BadSetting(
      `Cannot listen for SMPP on ${host}:${port} (${code}). Check LONGCODE_SMPP_HOST, LONGCODE_SMPP_PORT, and the certificate.`,
    )
  }
}

function createWorld(db: Database, config: Readonly<Config>, log: Log): World {
  return { db, clock: new Clock(), config, log, hints: new Hints(), metrics: new Metrics() }
}

interface Link {
  carrier: Carrier
  /** Of several links: their description for the start banner, and how long number lookups stay valid. */
  set?: CarrierSet
  /** Asks the provider for receipts that may be missing. A dispatcher does this once the link has started. */
  resume?: () => Promise<void>
}

interface LinkParts {
  meters: LinkMeters
  gates: LinkGates
}

/** The carrier that the settings choose. Each link has its own metrics. */
function createLink(world: World, parts: LinkParts, carriers: CarrierSettings | null): Link {
  if (carriers) return createLinks(world, parts, carriers)
  if (world.config.carrier === 'none') return { carrier: createNoCarrier() }
  const simulator = createSimulator(world.log)
  const carrier = parts.gates.guard(parts.meters.meter(simulator))
  return { carrier, resume: () => resumeSimulator(world, simulator) }
}

function createLinks(world: World, parts: LinkParts, settings: CarrierSettings): Link {
  const isDispatching = world.config.roles.includes('dispatch')
  const read = () => readCarriersOf(world.config)!
  const set = createCarrierSet({ world, ...parts, read, isDispatching }, settings)
  const resume = async () => {
    // With a real link next to it, nobody could tell which link sent a message that waits for its receipt.
    if (set.isSimulated) await resumeSimulator(world, set)
  }
  return { carrier: set, set, resume }
}

/** The content of openapi.json and the other two documents, generated without a database. */
export async function describeApi(
  config: Readonly<Config>,
  log: Log,
): Promise<Record<Audience, object>> {
  const nowhere = { url: '', poolMax: 2, applicationName: '', onError: () => {} }
  const db = openDatabase(nowhere) // connects at the first query, and there is none
  const world = createWorld(db, config, log)
  const carrier = createNoCarrier()
  const app = await buildApp(world, {
    messages: createMessageRoom(world, carrier, noteReply),
    carrier,
    sources: NO_SOURCES,
    registering: NO_REGISTRARS,
    voice: null,
    trunkBook: new TrunkBook(config),
  })
  await app.ready()
  const documents = AUDIENCES.map((audience) => [audience, apiDocument(app, audience)])
  await app.close()
  return Object.fromEntries(documents)
}

/** The loops of a role. `api` and `voice` have none here: they only listen. */
function loopsOf(role: Role, world: World, messages: MessageRoom): Loop[] {
  switch (role) {
    case 'api':
    case 'voice':
      return []
    case 'dispatch':
      return [
        messages.dispatchLoop,
        ...[
          messages.partsLoop,
          messages.inboundMediaLoop,
          messages.settleLoop,
          messages.waitingReceiptsLoop,
        ].map(inTurn(world, role)),
      ]
    case 'deliver':
      return [
        new Deliverer(world, describeMessages, {
          other: createTwilioFormat(world, messages.sendService),
          direct: messages.directDeliveries,
        }).loop,
      ]
    case 'schedule':
      return [
        plannerStatisticsLoop(world, HOT_TABLES),
        retentionLoop(world),
        keyRetentionLoop(world),
        terminationLoop(world),
        renewalLoop(world, listNumberFees),
        lowBalanceLoop(world, appendLowBalance),
        alertLoop(world, alertSources),
        ...emailLoops(world, async (db, accountId) =>
          mergeBranding(await findBranding(db, accountId), world.config.branding),
        ),
        closingLoop(world),
        sumLoop(world),
        foldLoop(world),
        accountRetentionLoop(world),
        partitionLoop(world),
        repackLoop(world),
        smppPurgeLoop(world),
        tracePurgeLoop(world),
        voicePurgeLoop(world),
        purgeFilesLoop(world),
        mediaTotalsLoop(world),
        exportLoop(world),
        purgeExportsLoop(world),
        ...textIndexLoops(world),
        messages.expiryLoop,
        messages.purgeIdsLoop,
        ...registryOf(world).loops,
      ].map(inTurn(world, role))
  }
}

function registryOf(world: World): Registry {
  return world.config.registry === 'simulated'
    ? createSimulatedRegistry(world)
    : createManualRegistry()
}
