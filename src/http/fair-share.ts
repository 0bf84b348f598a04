// Gives each request the connections of its class, and limits each account to a fair share of them. A read
// holds its part of the share while its handler runs. A write holds it only during its transaction
// (idempotency.ts), because it may wait for a provider in between.

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { DatabaseClass } from '../kit/contract/operation.js'
import type { Database } from '../kit/postgres/db.js'
import type { PoolName } from '../kit/postgres/pool-split.js'
import type { World } from '../kit/world.js'

const POOL_OF: Record<DatabaseClass, PoolName | null> = {
  send: null, // the messages module brings its own
  read: 'read',
  write: 'read',
  report: 'report',
  operator: 'report',
  open: null, // the pool that its plugin was given
}

interface RouteConfig {
  scope?: string | null
  databaseClass?: DatabaseClass
}

function classOf({ config, method }: Pick<RouteOptions, 'config' | 'method'>): DatabaseClass {
  const { scope, databaseClass } = (config ?? {}) as RouteConfig
  if (databaseClass) return databaseClass
  if (scope === 'operator') return 'operator'
  return method === 'GET' ? 'read' : 'write'
}

/** Call it before the routes are added. */
export function useFairShare(app: FastifyInstance, db: Database): void {
  app.addHook('onRoute', (route) => {
    const name = POOL_OF[classOf(route)]
    if (name === null || route.method !== 'GET') return
    const { handler } = route
    const pool = db.pool(name)
    route.handler = function admitted(request, reply) {
      const owner = request.caller?.accountId ?? request.operator?.tokenId
      const run = async () => handler.call(this, request, reply)
      return owner === undefined ? run() : pool.admit(owner, run)
    }
  })
}

/**
 * The context that plugins get for the requests of a pool. The service does not start if a route of another
 * class is added there.
 */
export function worldOf(app: FastifyInstance, world: World, pool: PoolName): World {
  app.addHook('onRoute', (route) => {
    const own = POOL_OF[classOf(route)]
    if (own === null || own === pool) return
    throw new Error(
      `${route.method} ${route.url} belongs to the pool ${own}, not ${pool}. Register it there.`,
    )
  })
  return { ...world, db: world.db.pool(pool) }
}
