// Modules without a plugin have nothing that would apply to other modules.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { addRoutes } from './add-routes.js'

test('the routes of a module get its options, and the hooks and prefix of the part that they are added to', async () => {
  const app = Fastify()
  await app.register(
    async (part) => {
      part.addHook('onRequest', async (_, reply) => void reply.header('part', 'v1'))
      await addRoutes(
        part,
        async (module, { word }: { word: string }) => {
          module.get('/word', async () => word)
        },
        { word: 'hello' },
      )
    },
    { prefix: '/v1' },
  )
  const reply = await app.inject('/v1/word')
  assert.deepEqual([reply.body, reply.headers.part], ['hello', 'v1'])
  assert.equal((await app.inject('/word')).statusCode, 404)
})

test('a module with hooks, parsers, or an error handler is refused', async () => {
  const app = Fastify()
  const refused = (name: string) => ({
    message: `Routes with ${name} need a plugin: use app.register`,
  })
  const add = (module: Parameters<typeof addRoutes>[1]) => addRoutes(app, module, {})
  await assert.rejects(
    add(async (module) => void module.addHook('onRequest', async () => {})),
    refused('addHook'),
  )
  await assert.rejects(
    add(async (module) => void module.addContentTypeParser('text/csv', async () => '')),
    refused('addContentTypeParser'),
  )
  await assert.rejects(
    add(async (module) => void module.setErrorHandler(() => {})),
    refused('setErrorHandler'),
  )
  await assert.rejects(
    add(async (module) => void module.decorateRequest('caller', null as never)),
    refused('decorateRequest'),
  )
})
