// /carrier/{link}/…: what carriers call over HTTP reaches their link as it came, and nobody else's ears.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import inject from 'light-my-request'
import type { CallbackReply, CallbackRequest } from '../../src/messages/carrier-http.js'
import type { Carrier } from '../../src/messages/carrier-port.js'
import { fakeCarrier } from '../fake-carrier.js'
import { listenerOf, type TestService, testService } from '../harness.js'

const SECRET = 'the text of a message, +14155550123'

function calledBack(
  reply: (request: CallbackRequest) => CallbackReply = () => ({ status: 200, body: 'OK' }),
): Carrier & { called: CallbackRequest[] } {
  const called: CallbackRequest[] = []
  return {
    ...fakeCarrier(),
    called,
    callback: async (link, request) => {
      if (link !== 'fake') return null
      called.push(request)
      return reply(request)
    },
  }
}

type Given = { headers?: Record<string, string>; payload?: string | Buffer }

const knock = (service: TestService, method: string, url: string, given: Given = {}) =>
  inject(listenerOf(service), { method: method as 'GET', url, ...given })

test('a call reaches its link with method, path, query, headers and the very bytes of its body', async (t) => {
  const carrier = calledBack(() => ({
    status: 202,
    contentType: 'application/xml',
    body: '<ok/>',
  }))
  const service = await testService(t, { carrier })
  const bytes = Buffer.from([0, 255, 10, 123, 128])
  const reply = await knock(service, 'POST', '/carrier/fake/status/msg%5f1?a=1&a=2&b=%C3%A9', {
    headers: { 'content-type': 'application/octet-stream', 'x-signature': 'abc' },
    payload: bytes,
  })
  assert.deepEqual(
    [reply.statusCode, reply.headers['content-type'], reply.body],
    [202, 'application/xml', '<ok/>'],
  )
  const [call] = carrier.called
  assert.deepEqual(
    [call!.method, call!.path, { ...call!.query }, call!.headers['x-signature'], call!.body],
    ['POST', '/status/msg_1', { a: ['1', '2'], b: 'é' }, 'abc', bytes],
  )
})

test('any method, any content type or none is taken, and an empty body is empty', async (t) => {
  const carrier = calledBack(({ body }) => ({ status: 200, body: String(body.length) }))
  const service = await testService(t, { carrier })
  const cases: [string, string, Given, string][] = [
    ['GET', '/carrier/fake', {}, '0'],
    ['PUT', '/carrier/fake/', { payload: 'x=1' }, '3'],
    ['DELETE', '/carrier/fake/a/b', {}, '0'],
    [
      'PATCH',
      '/carrier/fake/a',
      { payload: '{', headers: { 'content-type': 'application/json' } },
      '1',
    ],
    ['POST', '/carrier/fake/a', { payload: '{}', headers: { 'content-type': 'text/xml' } }, '2'],
  ]
  for (const [method, url, given, length] of cases) {
    const reply = await knock(service, method, url, given)
    assert.deepEqual([reply.statusCode, reply.body], [200, length], `${method} ${url}`)
    assert.equal(reply.headers['content-type'], 'text/plain; charset=utf-8')
  }
  assert.deepEqual(
    carrier.called.map(({ path }) => path),
    ['/', '/', '/a/b', '/a', '/a'],
  )
})

test('a link that takes no calls, or is not there, is not found, and too much is refused', async (t) => {
  const service = await testService(t, { carrier: calledBack() })
  for (const url of ['/carrier/other', '/carrier/other/x', '/carrier/']) {
    const reply = await knock(service, 'POST', url, { payload: SECRET })
    assert.deepEqual([reply.statusCode, reply.json().code], [404, 'path_unknown'], url)
  }
  const fits = await knock(service, 'POST', '/carrier/fake/', { payload: 'x'.repeat(256 * 1024) })
  assert.equal(fits.statusCode, 200)
  const over = await knock(service, 'POST', '/carrier/fake/', {
    payload: 'x'.repeat(256 * 1024 + 1),
  })
  assert.deepEqual([over.statusCode, over.json().code], [413, 'body_too_large'])
  const simulated = await testService(t)
  assert.equal((await knock(simulated, 'POST', '/carrier/simulator/x')).statusCode, 404)
})

test('who is turned away too often has to wait, and a carrier that is welcome never', async (t) => {
  const carrier = calledBack(({ headers }) => ({ status: headers['x-signature'] ? 200 : 403 }))
  const service = await testService(t, { carrier, env: { LONGCODE_RATE_LIMIT: '100' } })
  const call = async (headers: Record<string, string>) =>
    (await knock(service, 'POST', '/carrier/fake/x', { headers })).statusCode
  for (let i = 0; i < 300; i += 1) assert.equal(await call({ 'x-signature': 'good' }), 200)
  let status = 403
  for (let i = 0; i < 100_000 && status === 403; i += 1) status = await call({})
  assert.equal(status, 429)
})

test('neither the body nor what a link says of it is in the log', async (t) => {
  const carrier = calledBack(({ body }) => ({ status: 400, body: String(body) }))
  const service = await testService(t, { carrier })
  // The harness looks for the bodies of its own calls in the log, down to its last level, when the test ends.
  const reply = await service.post('/carrier/fake/x', { body: SECRET }, { token: null })
  assert.deepEqual([reply.status, JSON.parse(reply.body)], [400, { body: SECRET }])
})
