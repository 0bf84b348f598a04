// For machines that watch the service: alive (the process answers) and ready (it can do its work, part
// by part). A carrier link that is down is told but does not make the service unready: it goes on
// accepting, and the queue waits.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { pendingMigrations } from '../kit/migrate.js'
import { operation } from '../kit/operation.js'
import { type FieldProblem, Refusal } from '../kit/refusal.js'
import { sql } from '../kit/sql.js'
import type { World } from '../kit/world.js'
import type { Link } from './metrics-gauges.js'

const ALIVE = operation({
  id: 'isAlive',
  tag: 'Health',
  summary: 'Whether the process answers',
  beyond: true,
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
    'Where it is not ready, `details` names the parts that are not, and what is wrong with each. The carrier link is told beside them and makes no service unready: `down`, messages are accepted and wait; `none`, no link is set up and sends are refused; `simulated`, deliveries are reported that never happened.',
  beyond: true,
  scope: null,
  reply: Type.Object({
    status: Type.Literal('ready'),
    parts: Type.Object({
      database: Type.Literal('ok'),
      migrations: Type.Literal('ok'),
      carrier: Type.Enum(['ok', 'down', 'none', 'simulated']),
    }),
  }),
  example: { status: 'ready', parts: { database: 'ok', migrations: 'ok', carrier: 'ok' } },
  failure: {},
  refuses: ['not_ready'],
})

type Options = World & { isStopping: () => boolean; carrier: Link }

export const healthRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { isStopping, carrier } = options
  const findProblem = createReadinessProbe(options)

  app.get('/healthz', ALIVE, () => ({ status: 'ok' as const }))

  app.get('/readyz', READY, async () => {
    if (isStopping()) throw new Refusal('not_ready', 'The service is stopping')
    const problem = await findProblem()
    if (problem) {
      throw new Refusal('not_ready', `Not ready: ${problem.field} ${problem.problem}`, [problem])
    }
    return {
      status: 'ready' as const,
      parts: {
        database: 'ok' as const,
        migrations: 'ok' as const,
        carrier: stateOf(carrier),
      },
    }
  })
}

function stateOf({ isAbsent, isSimulated, isUp }: Link): 'ok' | 'down' | 'none' | 'simulated' {
  if (isAbsent) return 'none'
  if (isUp?.() === false) return 'down'
  return isSimulated ? 'simulated' : 'ok'
}

/** The first part that is not ready. Once all migrations have been seen, they stay applied. */
export function createReadinessProbe({ db, log }: World): () => Promise<FieldProblem | null> {
  let isMigrated = false
  return async () => {
    try {
      if (isMigrated) await db.query(sql`select 1 as one`)
      const pending = isMigrated ? [] : await pendingMigrations(db)
      isMigrated = pending.length === 0
      if (isMigrated) return null
      return { field: 'migrations', problem: `are behind: ${pending.join(', ')}` }
    } catch (error) {
      log.warn({ err: error }, 'database does not answer')
      return { field: 'database', problem: 'does not answer' }
    }
  }
}
