// Gauges measured at scrape time: queues, ledger, pool, and process. Queues are queried at most every few seconds.
// The ledger (ledger-gauges.ts) is summed far less often, so frequent scrapes cost nothing.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { countBinds } from '../../accounts/smpp-bind-queries.js'
import { findStuckRegistrations, REGISTRATION_STUCK_MS } from '../../brands/registration-queries.js'
import { findDeliveryDepth } from '../../events/queue/delivery-depth-queries.js'
import type { World } from '../../kit/world.js'
import {
  countUnsettled,
  type Depth,
  findDeepestLanes,
  findRouteDepths,
  type LaneDepth,
} from '../../messages/queue-depth-queries.js'
import {
  findStuckProvisioning,
  PROVISIONING_STUCK_MS,
} from '../../numbers/provider-number-queries.js'
import type { VoiceRoom } from '../../voice/voice-room.js'
import { keepFor } from './keep-for.js'
import { createLedgerWatch } from './ledger-gauges.js'
import { linkGauges } from './link-gauges.js'
import type { Link } from './link-view.js'
import type { Gauge } from './metrics-text.js'
import { createQuotaWatch } from './quota-gauges.js'

const QUEUES_KEPT_MS = 5_000
const LANES_MAX = 20

export interface GaugeReader {
  read: (options: { withLanes: boolean }) => Promise<Gauge[]>
  stop: () => void
}

/** The forwarding table in memory; null in a process that does not handle phone calls. */
export type Voice = { forwardings: Pick<VoiceRoom['forwardings'], 'size' | 'ageMs'> } | null

export function createGaugeReader(world: World, carrier: Link, voice: Voice): GaugeReader {
  const readQueues = keepFor(QUEUES_KEPT_MS, () =>
    queueGauges(world).catch((error) => {
      world.log.warn({ err: error }, 'could not measure the queues')
      return null
    }),
  )
  const ledger = createLedgerWatch(world)
  const quotas = createQuotaWatch(world)
  const loopDelay = monitorEventLoopDelay({ resolution: 20 })
  loopDelay.enable()
  return {
    read: async ({ withLanes }) => {
      const queues = await readQueues()
      const delayS = loopDelay.percentile(99) / 1e9
      loopDelay.reset() // otherwise one bad minute would be reported forever
      return [
        gauge('longcode_database_up', 'Whether the database responds', queues === null ? 0 : 1),
        gauge(
          'longcode_database_workers_unreachable',
          'Citus workers that do not respond',
          world.db.workers.away.length,
        ),
        ...(queues?.gauges ?? []),
        ...(queues && withLanes ? laneGauges(queues.lanes, world.clock.now()) : []),
        ...ledger.gauges({ withAccounts: withLanes }),
        ...quotas.gauges({ withAccounts: withLanes }),
        ...carrierGauges(world, carrier),
        ...voiceGauges(voice),
        ...poolGauges(world),
        ...processGauges(delayS),
      ]
    },
    stop: () => {
      loopDelay.disable()
    },
  }
}

/** A process that does not dispatch has no links, and does not report on those of others. */
function carrierGauges({ config }: World, carrier: Link): Gauge[] {
  const isOurs = config.roles.includes('dispatch')
  if (!isOurs && !carrier.isAbsent) return []
  const isUp = carrier.isUp?.() !== false
  return [
    gauge('longcode_carrier_up', 'Whether at least one carrier link is up', isUp ? 1 : 0),
    ...linkGauges(carrier.links?.() ?? []),
  ]
}

function voiceGauges(voice: Voice): Gauge[] {
  if (voice === null) return []
  const { size, ageMs } = voice.forwardings
  return [
    gauge('longcode_forwardings', 'Numbers in the call forwarding table in memory', size),
    gauge(
      'longcode_forwardings_age_seconds',
      'Seconds since the table was compared with the database',
      ageMs / 1000,
    ),
  ]
}

interface Queues {
  gauges: Gauge[]
  lanes: LaneDepth[]
}

async function queueGauges(world: World): Promise<Queues> {
  const { db, clock } = world
  const now = clock.now()
  const routes = await findRouteDepths(db, now)
  const lanes = await findDeepestLanes(db, now, LANES_MAX)
  const deliveries = await findDeliveryDepth(db, 'webhook', now)
  const unsettled = await countUnsettled(db)
  const labelled = routes.map((depth) => ({ ...depth, labels: [depth.route] }))
  return {
    lanes,
    gauges: [
      ...depthGauges('longcode_queue', 'Messages', ['route'], labelled, now),
      ...depthGauges(
        'longcode_webhook_queue',
        'Deliveries',
        [],
        [{ ...deliveries, labels: [] }],
        now,
      ),
      gauge(
        'longcode_carrier_unsettled',
        'Messages that were submitted and whose outcome is unknown',
        unsettled.messages,
      ),
      gauge(
        'longcode_carrier_receipts_unmatched',
        'Receipts whose message was not found yet',
        unsettled.receipts,
      ),
      gauge('longcode_webhooks_disabled', 'Disabled webhooks', deliveries.disabledSubscriptions),
      ...(await smppGauges(world, now)),
      ...(await provisioningGauges(world, now)),
    ],
  }
}

/** Of numbers that come from a provider, and of what is registered through one, where some may. */
async function provisioningGauges({ db, config }: World, now: Date): Promise<Gauge[]> {
  if (config.carriersFile === null) return []
  const { count } = await findStuckProvisioning(db, new Date(now.getTime() - PROVISIONING_STUCK_MS))
  const failingBefore = new Date(now.getTime() - REGISTRATION_STUCK_MS)
  const registrations = await findStuckRegistrations(db, failingBefore)
  return [
    gauge(
      'longcode_provider_numbers_stuck',
      'Numbers stuck for ten minutes in an order, setup, or release at the provider',
      count,
    ),
    gauge(
      'longcode_registrations_stuck',
      'Brands and campaigns stuck for ten minutes in a registration at the provider',
      registrations.count,
    ),
  ]
}

/**
 * Customers' SMPP sessions, if enabled. Messages that wait for a customer who is not bound are not our
 * failure.
 */
async function smppGauges({ db, clock, config }: World, now: Date): Promise<Gauge[]> {
  if (config.smppServer === null) return []
  const depth = { ...(await findDeliveryDepth(db, 'smpp', now)), labels: [] }
  const bound = await countBinds(db, clock.machineNow())
  return [
    gauge('longcode_smpp_server_binds', 'Customer SMPP binds in all processes', bound),
    ...depthGauges('longcode_smpp_server_queue', 'Receipts and messages', [], [depth], now),
  ]
}

type LabelledDepth = Depth & { labels: readonly string[] }

function depthGauges(
  name: string,
  what: string,
  labelNames: readonly string[],
  depths: readonly LabelledDepth[],
  now: Date,
): Gauge[] {
  const of = (suffix: string, help: string, measure: (depth: Depth) => number): Gauge => ({
    name: `${name}_${suffix}`,
    help: `${what} ${help}`,
    labelNames,
    samples: depths.map((depth) => ({ labels: depth.labels, value: measure(depth) })),
  })
  return [
    of('waiting', 'that could be sent now', (depth) => depth.waiting),
    of('pending', 'that are waiting, scheduled, or due for a retry', (d) => d.pending),
    of('oldest_seconds', 'waiting: age of the oldest', (depth) => ageS(depth, now)),
  ]
}

// Campaign names are tenant data, so only operators get these lines.
function laneGauges(lanes: readonly LaneDepth[], now: Date): Gauge[] {
  const labelNames = ['account', 'campaign', 'route']
  const samples = (measure: (lane: LaneDepth) => number) =>
    lanes.map((lane) => ({
      labels: [lane.accountId, lane.campaignId, lane.route],
      value: measure(lane),
    }))
  return [
    {
      name: 'longcode_lane_waiting',
      help: `Messages that could be sent now, in the ${LANES_MAX} lanes with the most waiting messages`,
      labelNames,
      samples: samples((lane) => lane.waiting),
    },
    {
      name: 'longcode_lane_oldest_seconds',
      help: 'Age of the oldest message waiting in the lane',
      labelNames,
      samples: samples((lane) => ageS(lane, now)),
    },
  ]
}

function ageS({ oldestDueAt }: Depth, now: Date): number {
  return oldestDueAt === null ? 0 : Math.max(0, now.getTime() - oldestDueAt.getTime()) / 1000
}

function poolGauges({ db }: World): Gauge[] {
  return [
    {
      name: 'longcode_database_pool',
      help: 'Database connections of this process, and requests that wait for one',
      labelNames: ['pool', 'state'],
      samples: db.poolUses().flatMap(({ name, total, idle, waiting, max }) => [
        { labels: [name, 'busy'], value: total - idle },
        { labels: [name, 'idle'], value: idle },
        { labels: [name, 'waiting'], value: waiting },
        { labels: [name, 'max'], value: max },
      ]),
    },
  ]
}

function processGauges(loopDelayS: number): Gauge[] {
  const { user, system } = process.cpuUsage()
  return [
    gauge(
      'process_resident_memory_bytes',
      'Resident memory of the process',
      process.memoryUsage.rss(),
    ),
    {
      ...gauge('process_cpu_seconds_total', 'CPU time of the process', (user + system) / 1e6),
      type: 'counter',
    },
    gauge('process_uptime_seconds', 'Seconds since the process started', process.uptime()),
    gauge('nodejs_eventloop_delay_p99_seconds', 'Event loop delay', loopDelayS),
  ]
}

function gauge(name: string, help: string, value: number): Gauge {
  return { name, help, samples: [{ value }] }
}
