// One running service: its database, its HTTP side and the loops of its roles, started in order and
// stopped in the opposite one. main.ts runs one; tests run as many as they like.

import type { FastifyInstance } from 'fastify'
import { buildApp } from './http/app.js'
import { Clock } from './kit/clock.js'
import type { Config, Role } from './kit/config.js'
import { openDatabase } from './kit/db.js'
import { Hints } from './kit/hints.js'
import { type Log, openLog } from './kit/log.js'
import { type Loop, type RunningLoop, startLoop } from './kit/worker-loop.js'
import type { World } from './kit/world.js'

export interface Service {
  world: World
  app: FastifyInstance
  stop: () => Promise<void>
}

/** The database must exist and be migrated. Listening is the caller's choice. */
export async function startService(
  config: Readonly<Config>,
  databaseUrl: string,
  log: Log = openLog(config.logLevel),
): Promise<Service> {
  const db = openDatabase({
    url: databaseUrl,
    poolMax: config.databasePoolMax,
    applicationName: 'longcode',
    onError: (error) => log.warn({ err: error }, 'database connection lost'),
  })
  const world: World = { db, clock: new Clock(), config, log, hints: new Hints() }
  const app = await buildApp(world)
  await app.ready()
  const loops = config.roles.flatMap((role) => loopsOf(role, world)).map((loop) => run(loop, world))

  return {
    world,
    app,
    stop: async () => {
      await app.close()
      await Promise.all(loops.map((loop) => loop.stop()))
      await db.end()
    },
  }
}

/** The loops of a role; `api` has none, its work is the HTTP side. */
function loopsOf(role: Role, _world: World): Loop[] {
  switch (role) {
    case 'api':
      return []
    case 'dispatch':
      return []
    case 'deliver':
      return []
    case 'schedule':
      return []
  }
}

function run(loop: Loop, { hints }: World): RunningLoop {
  const running = startLoop(loop)
  for (const hint of loop.hints ?? []) hints.on(hint, running.hint)
  return running
}
