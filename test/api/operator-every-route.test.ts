// Checks every operator route: who has access, and the error for everyone else. Also checks that an operator
// token has no access to customer routes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { customerRoutes, fillPath, operatorRoutes, type Route } from '../every-route.js'
import type { CallOptions } from '../harness.js'
import { OPERATOR_TOKEN, type OperatedService, operatedService } from './operator-service.js'

async function assertFailure(
  service: OperatedService,
  route: Route,
  expected: { status: number; code: string },
  body: unknown,
  options: CallOptions,
): Promise<void> {
  const reply = await service.call(route.method, fillPath(route), body, options)
  const { error, details, ...rest } = reply.body
  const where = `${route.method} ${route.path} ${expected.code}`
  assert.equal(reply.status, expected.status, where)
  assert.deepEqual(rest, { ...route.failure, code: expected.code }, where)
  assert.equal(typeof error, 'string', where)
}

test('openapi.json lists the operator routes', async (t) => {
  const service = await operatedService(t)
  const routes = operatorRoutes(service).map(({ method, path }) => `${method} ${path}`)
  assert.ok(routes.length >= 30, routes.join('\n'))
})

test('every operator route refuses missing, unknown, and customer tokens', async (t) => {
  const service = await operatedService(t)
  for (const route of operatorRoutes(service)) {
    const body = route.body ? {} : undefined
    const absent = { status: 401, code: 'token_absent' }
    const unknown = { status: 401, code: 'token_unknown' }
    await assertFailure(service, route, absent, body, { token: null })
    await assertFailure(service, route, unknown, body, { token: service.token })
    await assertFailure(service, route, unknown, body, { token: `lco_${'x'.repeat(43)}` })
  }
})

test('an operator token is refused on every customer route', async (t) => {
  const service = await operatedService(t)
  for (const route of customerRoutes(service)) {
    const body = route.body ? {} : undefined
    const unknown = { status: 401, code: 'token_unknown' }
    await assertFailure(service, route, unknown, body, { token: OPERATOR_TOKEN })
  }
})

test('a body that is not a JSON object is refused in the shape of the route', async (t) => {
  const service = await operatedService(t)
  const json = { token: OPERATOR_TOKEN, headers: { 'content-type': 'application/json' } }
  const text = { token: OPERATOR_TOKEN, headers: { 'content-type': 'text/plain' } }
  for (const route of operatorRoutes(service).filter(({ body }) => body)) {
    await assertFailure(service, route, { status: 400, code: 'json_broken' }, '{"a":', json)
    await assertFailure(service, route, { status: 400, code: 'body_invalid' }, '[]', json)
    await assertFailure(service, route, { status: 415, code: 'not_json' }, 'a=b', text)
  }
})
