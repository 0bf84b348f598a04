// Quick registration changes when Fastify finishes routes and hooks, and nothing that a caller or a plugin sees.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { registerQuickly } from './quick-registration.js'

function quickApp(): FastifyInstance {
  const app = Fastify()
  registerQuickly(app)
  return app
}

const schema = {
  querystring: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
}

test('routes are validated, and hooks apply to the routes of their plugin and of those inside', async () => {
  const app = quickApp()
  app.addHook('onRequest', async (_, reply) => void reply.header('outer', '1'))
  await app.register(
    async (part) => {
      part.addHook('onRequest', async (_, reply) => void reply.header('inner', '1'))
      part.get('/counted', { schema }, async ({ query }) => query)
      // A hook that comes later applies, too.
      part.addHook('onSend', async (_, reply) => void reply.header('later', '1'))
    },
    { prefix: '/part' },
  )
  app.get('/other', async () => 'other')
  const { statusCode, headers, body } = await app.inject('/part/counted?count=3')
  assert.deepEqual([statusCode, body], [200, '{"count":3}'])
  assert.deepEqual([headers.outer, headers.inner, headers.later], ['1', '1', '1'])
  assert.equal((await app.inject('/part/counted?count=x')).statusCode, 400)
  const other = await app.inject('/other')
  assert.deepEqual(
    [other.headers.outer, other.headers.inner, other.headers.later],
    ['1', undefined, undefined],
  )
})

test('a wrong schema and a failing plugin fail the start', async () => {
  const app = quickApp()
  app.get('/broken', { schema: { querystring: { type: 'nothing' } } }, async () => '')
  await assert.rejects(async () => app.ready(), /schema/i)
  const other = quickApp()
  other.register(async () => {
    throw new Error('no such port')
  })
  await assert.rejects(async () => other.ready(), /no such port/)
})

test('the same route twice is refused', () => {
  const app = quickApp()
  app.get('/once', async () => '')
  assert.throws(() => app.get('/once', async () => ''), /already declared/)
})
