// Adds the routes of a module to a part of the API. A Fastify plugin for each of our 60 modules would cost more of the
// start time than their routes, and keeps only hooks and parsers apart, which most modules do not have.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'

const OF_PLUGINS = ['addHook', 'addContentTypeParser', 'setErrorHandler', 'decorateRequest']

const plain = new WeakMap<FastifyInstance, FastifyInstance>()

/** A module with hooks or parsers is refused, because they would apply to others: register it as a plugin. */
export async function addRoutes<Options extends object>(
  app: FastifyInstance,
  routes: FastifyPluginAsyncTypebox<Options>,
  options: NoInfer<Options>,
): Promise<void> {
  await routes(withoutHooks(app), options)
}

function withoutHooks(app: FastifyInstance): FastifyInstance {
  const known = plain.get(app)
  if (known) return known
  const refusals = OF_PLUGINS.map((name) => [name, () => refuse(name)])
  const made = Object.assign(Object.create(app), Object.fromEntries(refusals))
  plain.set(app, made)
  return made
}

function refuse(name: string): never {
  throw new Error(`Routes with ${name} need a plugin: use app.register`)
}
