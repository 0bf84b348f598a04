// GET /operator/v1/health: the state of the service in one cheap response, for operators without Prometheus.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { operation } from '../../kit/contract/operation.js'
import { Refusal } from '../../kit/contract/refusal.js'
import {
  Noun,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  Timestamp,
} from '../../kit/contract/schema.js'
import type { World } from '../../kit/world.js'
import { CARRIERS, ROUTES } from '../../messages/lane.js'
import { LinkStanding } from '../../operator/oversight/carrier-operations.js'
import type { VoiceRoom } from '../../voice/voice-room.js'
import { createHealthReport } from './health-report.js'
import type { Link } from './link-view.js'
import { createReadinessProbe } from './readiness.js'

const Depth = Noun('MeasuredDepth', {
  waiting: Type.Integer({ description: 'Could be sent now' }),
  pending: Type.Integer({
    description: 'Includes scheduled and claimed messages, and those due for a retry',
  }),
  oldestSeconds: NullableNumber,
})
const Outcome = Noun('RecentOutcome', {
  accepted: Type.Integer(),
  waiting: Type.Integer(),
  sent: Type.Integer({ description: 'Accepted by the carrier, including delivered messages' }),
  delivered: Type.Integer(),
  failed: Type.Integer({ description: 'FAILED or EXPIRED' }),
})
const Route = Type.Enum([...ROUTES])
const CarrierName = Type.Enum([...CARRIERS])

const OUTCOME_EXAMPLE = { accepted: 120, waiting: 0, sent: 118, delivered: 110, failed: 2 }
const DEPTH_EXAMPLE = { waiting: 0, pending: 4, oldestSeconds: null }

const HEALTH = operation({
  id: 'operatorGetHealth',
  tag: 'Operator',
  summary: 'Get the state of the service: components, queue, the last 15 minutes, and webhooks',
  description:
    'Measured at most every three seconds. `recent` covers messages accepted in the last 15 minutes, by their current status. With more than 10,000 of them, `isComplete` is false and only 10,000 are counted. `connections` and `calls` are those of the process that responds.',
  isExtension: true,
  scope: 'operator',
  reply: Type.Object({
    now: Timestamp,
    database: Type.Object({
      state: Type.Enum(['ok', 'slow', 'read_only']),
      problem: NullableString,
    }),
    carrier: Type.Object({
      name: Type.String(),
      state: Type.Enum(['ok', 'down', 'none', 'simulated']),
      downSince: NullableTimestamp,
      links: Type.Array(LinkStanding),
    }),
    queue: Type.Array(
      Type.Intersect([Type.Object({ route: Route, carrier: CarrierName }), Depth], {
        title: 'RouteDepth',
      }),
    ),
    lanes: Type.Array(
      Type.Intersect(
        [Type.Object({ accountId: Type.String(), campaignId: Type.String(), route: Route }), Depth],
        { title: 'LaneDepth' },
      ),
      { description: 'The 20 with the most waiting messages' },
    ),
    recent: Type.Object({
      minutes: Type.Integer(),
      isComplete: Type.Boolean(),
      carriers: Type.Array(
        Type.Intersect(
          [
            Type.Object({
              carrier: CarrierName,
              errors: Type.Array(Type.Object({ code: Type.Integer(), count: Type.Integer() })),
            }),
            Outcome,
          ],
          { title: 'RecentCarrier' },
        ),
      ),
      byMinute: Type.Array(
        Type.Intersect([Type.Object({ start: Timestamp }), Outcome], { title: 'RecentMinute' }),
        {
          description: 'By the minute they were accepted, oldest first',
        },
      ),
    }),
    webhooks: Type.Intersect([
      Type.Object({ off: Type.Integer({ description: 'Disabled webhooks' }) }),
      Depth,
    ]),
    workers: Type.Array(
      Type.Object({
        worker: Type.String({ description: 'Host and port' }),
        since: Timestamp,
        accounts: Type.Integer({ description: 'Accounts with a token, which get 503' }),
      }),
      { description: 'Citus workers that do not respond' },
    ),
    connections: Type.Object({
      busy: Type.Integer(),
      idle: Type.Integer(),
      waiting: Type.Integer({ description: 'Requests waiting for a connection' }),
      max: Type.Integer(),
    }),
    calls: Type.Object({
      state: Type.Enum(['listening', 'silent', 'elsewhere'], {
        description:
          'SIP; `silent`: no port is open; `elsewhere`: this process lacks the `voice` role',
      }),
      port: NullableNumber,
      tlsPort: NullableNumber,
      trunks: Type.Integer(),
      numbers: Type.Integer({ description: 'In memory' }),
    }),
  }),
  example: {
    now: '2026-11-15T12:00:00.000Z',
    database: { state: 'ok', problem: null },
    carrier: {
      name: 'simulator',
      state: 'simulated',
      downSince: null,
      links: [
        {
          link: 'simulator',
          kind: 'simulator',
          state: 'up',
          since: '2026-11-15T11:00:00.000Z',
          detail: null,
        },
      ],
    },
    queue: [{ route: 'att-sms', carrier: 'att', ...DEPTH_EXAMPLE }],
    lanes: [],
    recent: {
      minutes: 15,
      isComplete: true,
      carriers: [{ carrier: 'att', ...OUTCOME_EXAMPLE, errors: [{ code: 1350, count: 2 }] }],
      byMinute: [{ start: '2026-11-15T11:46:00.000Z', ...OUTCOME_EXAMPLE }],
    },
    webhooks: { waiting: 0, pending: 1, oldestSeconds: null, off: 1 },
    workers: [],
    connections: { busy: 1, idle: 2, waiting: 0, max: 20 },
    calls: { state: 'listening', port: 5060, tlsPort: null, trunks: 1, numbers: 120 },
  },
  failure: {},
  refuses: ['not_ready'],
})

type Options = World & { carrier: Link; voice: VoiceRoom | null }

export const operatorHealthRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const probe = createReadinessProbe(options)
  const report = createHealthReport(options, options.carrier)

  app.get('/health', HEALTH, async () => {
    const { problem, note, database } = await probe()
    if (problem) {
      throw new Refusal('not_ready', `Not ready: ${problem.field} ${problem.problem}`, [problem])
    }
    const measured = await report()
    if (!measured)
      throw new Refusal('not_ready', 'Not ready: it took too long to measure the queues')
    return {
      ...measured,
      database: { state: database, problem: note?.problem ?? null },
      calls: callsOf(options.voice),
    }
  })
}

function callsOf(voice: VoiceRoom | null) {
  const { port = null, tlsPort = null } = voice?.listening ?? {}
  const state: 'listening' | 'silent' | 'elsewhere' =
    voice === null ? 'elsewhere' : port === null ? 'silent' : 'listening'
  const trunks = voice?.trunks.length ?? 0
  return { state, port, tlsPort, trunks, numbers: voice?.forwardings.size ?? 0 }
}
