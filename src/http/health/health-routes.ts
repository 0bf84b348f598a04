// For machines that watch the service: alive (the process answers) and ready (it can do its work, part
// by part). A carrier link that is down is reported but does not make the service unready: it goes on
// accepting, and the queue waits.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { operation } from '../../kit/contract/operation.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { World } from '../../kit/world.js'
import { createLinkView, type Link } from './link-view.js'
import { createReadinessProbe } from './readiness.js'

const ALIVE = operation({
  id: 'isAlive',
  tag: 'Health',
  summary: 'Whether the process answers',
  isExtension: true,
  scope: null,
  reply: Type.Object({ status: Type.Literal('ok') }),
  example: { status: 'ok' },
  failure: {},
})

const READY = operation({
  id: 'isReady',
  tag: 'Health',
  summary: 'Whether the service can do its work, part by part',
  description:
    'Answers within a second, whatever is wrong. `details` names the parts that are not ready, or slow, and what is wrong with each. A lost worker of a Citus cluster and the carrier make nobody unready: `down`, no link is up, messages are accepted and wait (`details` names every link that is down, also while another one is up); `none`, no link is set up and sends are refused; `simulated`, deliveries are reported that never happened.',
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
  return { field: 'database', problem: `worker ${name} does not answer: its accounts get 503` }
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

  app.get('/readyz', READY, async () => {
    if (isStopping()) throw new Refusal('not_ready', 'The service is stopping')
    const { problem, note, database } = await probe()
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
