// For machines that watch the service: alive (the process answers) and ready (it can do its work).

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { operation } from '../kit/operation.js'
import { Refusal } from '../kit/refusal.js'
import { sql } from '../kit/sql.js'
import type { World } from '../kit/world.js'

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
  beyond: true,
  scope: null,
  reply: Type.Object({
    status: Type.Literal('ready'),
    parts: Type.Record(Type.String(), Type.Literal('ok')),
  }),
  example: { status: 'ready', parts: { database: 'ok' } },
  failure: {},
  refuses: ['not_ready'],
})

export const healthRoutes: FastifyPluginAsyncTypebox<
  World & { isStopping: () => boolean }
> = async (app, { db, isStopping, log }) => {
  app.get('/healthz', ALIVE, () => ({ status: 'ok' as const }))

  app.get('/readyz', READY, async () => {
    if (isStopping()) throw new Refusal('not_ready', 'The service is stopping')
    try {
      await db.query(sql`select 1 as one`)
    } catch (error) {
      log.warn({ err: error }, 'database does not answer')
      throw new Refusal('not_ready', 'The database does not answer')
    }
    return { status: 'ready' as const, parts: { database: 'ok' as const } }
  })
}
