// Rules for every route: which tokens may use it, and how it refuses invalid ids and values.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SCOPES, type Scope } from '../../src/kit/contract/operation.js'
import { customerRoutes, fillPath, type Route } from '../every-route.js'
import { type Reply, testService } from '../harness.js'

function assertFailure(route: Route, reply: Reply, status: number | readonly number[]): void {
  const where = `${route.method} ${route.path}: ${JSON.stringify(reply.body)}`
  assert.ok([status].flat().includes(reply.status), `${where} answered ${reply.status}`)
  for (const [field, value] of Object.entries(route.failure)) {
    assert.deepEqual(reply.body[field], value, `${where} lacks ${field}`)
  }
  assert.equal(typeof reply.body.error, 'string', where)
  assert.equal(typeof reply.body.code, 'string', where)
  assert.match(reply.headers['x-request-id']!, /^req_/)
}

test('every route returns 401 in its error shape for a missing, unknown, or malformed token', async (t) => {
  const service = await testService(t)
  assert.ok(customerRoutes(service).length >= 30, 'there are routes to check')
  for (const route of customerRoutes(service)) {
    const url = fillPath(route)
    const body = route.body ? {} : undefined
    const bare = await service.call(route.method, url, body, { token: null })
    assertFailure(route, bare, 401)
    assert.equal(bare.headers['www-authenticate'], 'Bearer')
    const unknown = await service.call(route.method, url, body, { token: 'lc_nobody' })
    assertFailure(route, unknown, 401)
    const headers = { authorization: 'Basic dXNlcjpwYXNz' }
    assertFailure(route, await service.call(route.method, url, body, { token: null, headers }), 401)
  }
})

/** A second copy of the required scopes, so a scope that is weakened by mistake fails the test. */
const SCOPE_OF: Record<Scope, readonly string[]> = {
  billing: [
    'PATCH /v1/account',
    'GET /v1/account/ledger',
    'GET /v1/account/usage',
    'GET /v1/account/balances',
    'GET /v1/account/statement/{month}',
  ],
  send: [
    'POST /v1/message/send',
    'POST /v1/message/batch',
    'POST /v1/media',
    'DELETE /v1/message/{id}',
    'PATCH /v1/campaign/{id}/conversations/{number}',
    'POST /v1/campaign/{id}/conversations/{number}/notes',
    'DELETE /v1/campaign/{id}/conversations/{number}/notes/{noteId}',
    'PUT /v1/contact/{number}',
    'DELETE /v1/contact/{number}',
    'POST /v1/saved-reply/create',
    'PATCH /v1/saved-reply/{id}',
    'DELETE /v1/saved-reply/{id}',
    'POST /sandbox/inbound',
    'POST /sandbox/call',
  ],
  // Read-only, although they take a body, and files of what was read. All other reads require it too.
  read: [
    'POST /v1/campaign/check',
    'POST /v1/message/preview',
    'POST /v1/message/batch/preview',
    'POST /v1/export/create',
    'DELETE /v1/export/{id}',
  ],
  // All other writes require it too.
  manage: [
    'GET /v1/token/list',
    'GET /v1/account/twilio',
    'GET /v1/account/activity',
    'GET /console/people/invitation',
  ],
}

function scopeOf({ method, path }: Route): Scope {
  const named = SCOPES.find((scope) => SCOPE_OF[scope].includes(`${method} ${path}`))
  return named ?? (method === 'GET' ? 'read' : 'manage')
}

test('a token with one scope can use the routes that require it and no others', async (t) => {
  const service = await testService(t)
  const routes = customerRoutes(service)
  const names = routes.map(({ method, path }) => `${method} ${path}`)
  for (const name of Object.values(SCOPE_OF).flat()) assert.ok(names.includes(name), name)
  for (const scope of SCOPES) {
    const token = await service.tokenWith([scope])
    for (const route of routes) {
      const needed = scopeOf(route)
      const where = `${route.method} ${route.path} with the scope ${scope}`
      assert.equal(route.scope, needed, `${where}, as the reference says`)
      // Unknown ids and an empty body: accepted requests change nothing. The stream would never end.
      const query = route.path.endsWith('/stream') ? '?lastEventId=x' : ''
      const body = route.body ? {} : undefined
      const reply = await service.call(route.method, fillPath(route) + query, body, { token })
      const isForManagers = reply.status === 403 && route.path.startsWith('/console/people/')
      if (scope === needed && isForManagers) {
        assert.equal(reply.body.code, 'role_absent', where)
      } else if (scope === needed) {
        assert.ok([200, 400, 404].includes(reply.status), `${where} answered ${reply.status}`)
      } else {
        assertFailure(route, reply, 403)
        assert.equal(reply.body.code, 'scope_absent', where)
        assert.equal(reply.body.error, `This access token lacks the scope ${needed}`, where)
      }
    }
  }
})

test('an unknown, malformed, or very long id returns not found, never a server error', async (t) => {
  const service = await testService(t)
  // A phone that never sent a message is valid: its handset is empty.
  const withIds = customerRoutes(service).filter(
    ({ path }) => /\{(?:id|number)\}/.test(path) && !path.startsWith('/sandbox/handset'),
  )
  const fills = [
    undefined,
    '%00',
    'x',
    '..%2f..',
    "'; drop table x",
    '💥',
    'a'.repeat(600),
    '-',
    '0',
  ]
  for (const route of withIds) {
    for (const fill of fills) {
      const url = fillPath(route, fill === undefined ? fill : encodeOnce(fill))
      const reply = await service.call(route.method, url, route.body ? {} : undefined)
      assertFailure(route, reply, [400, 404])
      if (!route.body && !route.parameters.some((p) => p.in === 'query' && p.required)) {
        assert.equal(reply.status, 404, `${route.method} ${route.path} with ${fill}`)
      }
    }
  }
})

function encodeOnce(text: string): string {
  return text.includes('%') ? text : encodeURIComponent(text)
}

test('an invalid query value returns 400 and names the field', async (t) => {
  const service = await testService(t)
  for (const route of customerRoutes(service)) {
    for (const parameter of route.parameters.filter((p) => p.in === 'query')) {
      for (const value of badValues(parameter.schema)) {
        const url = `${fillPath(route)}?${parameter.name}=${encodeURIComponent(value)}`
        const reply = await service.call(route.method, url)
        assertFailure(route, reply, 400)
        const fields = reply.body.details.map((detail: { field: string }) => detail.field)
        assert.ok(fields.includes(parameter.name), `${url}: ${JSON.stringify(reply.body)}`)
      }
    }
  }
})

function badValues(schema: {
  type?: string | string[]
  enum?: unknown[]
  pattern?: string
}): string[] {
  if (schema.enum) return ['SIDEWAYS', '']
  if (schema.type === 'integer') return ['-1', 'abc', '1.5', '', '99999999999999']
  if (schema.type === 'boolean') return ['maybe']
  return schema.pattern?.startsWith('^') ? ['%%%', '\0'] : ['\0']
}

test('a body that is broken, not an object, not JSON, or too large is refused in the route’s shape', async (t) => {
  const service = await testService(t)
  const json = { 'content-type': 'application/json' }
  for (const route of customerRoutes(service).filter(({ body }) => body)) {
    const url = fillPath(route)
    const send = (payload: unknown, headers = json) =>
      service.call(route.method, url, payload, { headers })
    assertFailure(route, await send('{"broken'), 400)
    for (const payload of ['[1,2]', '"text"', '7', 'null', 'true']) {
      assertFailure(route, await send(payload), 400)
    }
    assertFailure(route, await send('a=1', { 'content-type': 'text/plain' }), 415)
    assertFailure(route, await send(`{"x":"${'x'.repeat(1024 * 1024)}"}`), 413)
    assertFailure(route, await send('{"__proto__":{"x":1}}'), 400)
  }
})

test('a request without a body counts as one with an empty body', async (t) => {
  const service = await testService(t)
  const bare = await service.call('POST', '/v1/message/send')
  assert.equal(bare.status, 400)
  assert.equal(bare.body.error, 'Message body required')
  const json = await service.call('POST', '/v1/message/send', '', {
    headers: { 'content-type': 'application/json' },
  })
  assert.equal(json.body.error, 'Message body required')
  assert.equal((await service.post('/v1/token/create')).status, 200)
  const forwarding = await service.call('PATCH', '/v1/number/14155550100/forwarding')
  assert.equal(forwarding.body.error, 'Invalid number format')
})

test('an unknown method or path is refused with a clear error', async (t) => {
  const service = await testService(t)
  const other = await service.call('PUT', '/v1/message/send', {})
  assert.equal(other.status, 405)
  assert.equal(other.headers.allow, 'POST')
  assert.deepEqual(other.body, {
    success: false,
    error: 'This path supports POST, not PUT',
    code: 'method_unknown',
  })
  for (const url of ['/v1/nothing', '/v2/message/send', '/v1']) {
    const reply = await service.get(url)
    assert.equal(reply.status, 404, url)
    assert.deepEqual(reply.body, { error: 'No such path', code: 'path_unknown' })
  }
  const broken = await service.get('/v1/brand/%zz')
  assert.equal(broken.status, 400)
  assert.equal(broken.body.code, 'path_malformed')
})

test('in production mode requests are rate limited per token, and the reply has Retry-After', async (t) => {
  const service = await testService(t, {
    env: { LONGCODE_RATE_LIMIT: '1', LONGCODE_RATE_BURST: '3' },
  })
  t.mock.method(performance, 'now', () => 0) // otherwise a slow machine refills the bucket
  const replies: Reply[] = []
  for (let i = 0; i < 5; i += 1) replies.push(await service.get('/v1/account'))
  assert.deepEqual(
    replies.slice(0, 3).map((reply) => reply.status),
    [200, 200, 200],
  )
  const refused = replies.at(-1)!
  assert.equal(refused.status, 429)
  assert.equal(refused.body.account, null)
  assert.equal(refused.headers['retry-after'], '1')
  assert.equal(refused.headers['ratelimit-limit'], '3')
  assert.equal(refused.headers['ratelimit-remaining'], '0')
})

test('a person who opens the service’s address in a browser is redirected to the console', async (t) => {
  const service = await testService(t)
  const reply = await service.app.inject({ url: '/' })
  assert.equal(reply.statusCode, 302)
  assert.equal(reply.headers.location, '/console/')
  const icon = await service.app.inject({ url: '/favicon.svg' })
  assert.equal(icon.headers['content-type'], 'image/svg+xml')
})
