// Paths without their routes: the methods they support, and the shape of their failures.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { mapRoutes } from './route-map.js'

type Route = { url: string; method: string | string[]; config?: object }

function mapOf(routes: Route[]) {
  const hooks: ((route: Route) => void)[] = []
  const app = {
    addHook: (name: string, hook: (route: Route) => void) => {
      assert.equal(name, 'onRoute')
      hooks.push(hook)
    },
  }
  const map = mapRoutes(app as unknown as FastifyInstance)
  for (const route of routes) for (const hook of hooks) hook(route)
  return map
}

const GET = { message: null }
const DELETE = { success: false } as const
const map = mapOf([
  { url: '/v1/message/:id', method: 'GET', config: { failure: GET } },
  { url: '/v1/message/:id', method: 'DELETE', config: { failure: DELETE } },
  { url: '/v1/message/list', method: 'GET', config: { failure: { messages: null } } },
  { url: '/v1/a.b/:id/c', method: ['PUT', 'POST'] },
  { url: '/docs/*', method: 'GET' },
])

test('a path is found with all its methods, with or without a trailing slash', () => {
  assert.deepEqual(map.find('/v1/message/msg_1')?.methods, ['GET', 'DELETE'])
  assert.deepEqual(map.find('/v1/message/msg_1/')?.methods, ['GET', 'DELETE'])
  assert.deepEqual(map.find('/v1/a.b/1/c')?.methods, ['PUT', 'POST'])
  for (const path of [
    '/v1/message',
    '/v1/message/',
    '/v1/message/1/2',
    '/v1/axb/1/c',
    '/x/v1/message/1',
  ]) {
    assert.equal(map.find(path), null, path)
  }
  assert.ok(map.find('/docs/a/b'))
})

test('a path without parameters comes before one that matches by a parameter', () => {
  assert.deepEqual(map.find('/v1/message/list')?.failures, [{ messages: null }])
})

test('a failure has the shape of its method, or of another method on the same path', () => {
  assert.deepEqual(map.failureOf('/v1/message/1', 'GET'), GET)
  assert.deepEqual(map.failureOf('/v1/message/1', 'DELETE'), DELETE)
  assert.deepEqual(map.failureOf('/v1/message/1', 'PATCH'), GET)
  assert.deepEqual(map.failureOf('/v1/a.b/1/c', 'POST'), {})
  assert.deepEqual(map.failureOf('/nowhere', 'GET'), {})
})
