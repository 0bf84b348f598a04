// Probes for monitoring systems: live (the process responds) and ready (it can work, component by component).
// A carrier link that is down is reported but does not make the service unready: the service keeps accepting
// messages, and they wait in the queue.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { operation } from '../../kit/contract/operation.js'
import { Refusal } from '../../kit/contract/refusal.js'
import { IDENTITY_HEADER } from '../../kit/postgres/server-queries.js'
import type { World } from '../../kit/world.js'
import { createLinkView, type Link } from './link-view.js'
import { createReadinessProbe } from './readiness.js'

const ALIVE = operation({
  id: 'isAlive',
  tag: 'Health',
  summary: 'Check that the process is alive',
  isExtension: true,
  scope: null,
  reply: Type.Object({ status: Type.Literal('ok') }),
  example: { status: 'ok' },
  failure: {},
})

const READY = operation({
  id: 'isReady',
  tag: 'Health',
  summary: 'Check that the service is ready, component by component',
  description:
    'Responds within a second, even if something is wrong. `details` lists the components that are slow or not ready, with the reason. A lost Citus worker or a carrier problem does not make the service unready. Carrier states: `down`: no link is up, and accepted messages wait (`details` lists every link that is down, even while others are up); `none`: no link is set up, and sends are refused; `simulated`: deliveries are only simulated.',
  isExtension: true,
  scope: null,
  reply: Type.Object({
    status: Type.Literal('ready'),
    parts: Type.Object({
      database: Type.Enum(['ok', 'slow', 'read_only']),
      migrations: Type.Literal('ok'),
      carrier: Type.Enum(['ok', 'down', 'none', 'simulated']),
    }),
    details: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), problem: Type.String() }), { maxItems: 10 }),
    ),
  }),
  example: { status: 'ready', parts: { database: 'ok', migrations: 'ok', carrier: 'ok' } },
  failure: {},
  refuses: ['not_ready'],
})

const LINKS_MAX = 8
const WORKERS_MAX = 4

function workerProblem({ name }: { name: string }) {
  return { field: 'database', problem: `worker ${name} does not respond, so its accounts get 503` }
}

function linkProblem({
  link,
  since,
  isPartly,
}: {
  link: string
  since: string
  isPartly: boolean
}) {
  const whose = isPartly ? ' for some processes' : ''
  return { field: 'carrier', problem: `link ${link} has been down since ${since}${whose}` }
}

type Options = World & { isStopping: () => boolean; carrier: Link }

export const healthRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { isStopping, carrier } = options
  const probe = createReadinessProbe(options)
  const viewLinks = createLinkView(options, carrier)

  app.get('/healthz', ALIVE, () => ({ status: 'ok' as const }))

  app.get('/readyz', READY, async (_request, reply) => {
    if (isStopping()) throw new Refusal('not_ready', 'The service is stopping')
    const { problem, note, identity, database } = await probe()
    if (identity !== null) reply.header(IDENTITY_HEADER, identity)
    if (problem) {
      throw new Refusal('not_ready', `Not ready: ${problem.field} ${problem.problem}`, [problem])
    }
    const { state, down } = await viewLinks()
    const away = options.db.workers.away.slice(0, WORKERS_MAX).map(workerProblem)
    const links = down.slice(0, LINKS_MAX - away.length).map(linkProblem)
    const details = [...(note ? [note] : []), ...away, ...links]
    return {
      status: 'ready' as const,
      parts: { database, migrations: 'ok' as const, carrier: state },
      ...(details.length > 0 && { details }),
    }
  })
}
