// /carrier/{link}/…: callbacks from carriers reach their link unchanged, and their contents stay out of the log.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import inject from 'light-my-request'
import type { CallbackReply, CallbackRequest } from '../../src/messages/carrier-http.js'
import type { Carrier } from '../../src/messages/carrier-port.js'
import { fakeCarrier } from '../fake-carrier.js'
import { listenerOf, type TestService, testService } from '../harness.js'

const SECRET = 'the text of a message, +14155550123'

function callbackCarrier(
  reply: (request: CallbackRequest) => CallbackReply = () => ({ status: 200, body: 'OK' }),
): Carrier & { received: CallbackRequest[] } {
  const received: CallbackRequest[] = []
  return {
    ...fakeCarrier(),
    received,
    callback: async (link, request) => {
      if (link !== 'fake') return null
      received.push(request)
      return reply(request)
    },
  }
}

type Given = { headers?: Record<string, string>; payload?: string | Buffer }

const callBack = (service: TestService, method: string, url: string, given: Given = {}) =>
  inject(listenerOf(service), { method: method as 'GET', url, ...given })

test('a callback reaches its link with method, path, query, headers, and the exact body bytes', async (t) => {
  const carrier = callbackCarrier(() => ({
    status: 202,
    contentType: 'application/xml',
    body: '<ok/>',
  }))
  const service = await testService(t, { carrier })
  const bytes = Buffer.from([0, 255, 10, 123, 128])
  const reply = await callBack(service, 'POST', '/carrier/fake/status/msg%5f1?a=1&a=2&b=%C3%A9', {
    headers: { 'content-type': 'application/octet-stream', 'x-signature': 'abc' },
    payload: bytes,
  })
  assert.deepEqual(
    [reply.statusCode, reply.headers['content-type'], reply.body],
    [202, 'application/xml', '<ok/>'],
  )
  const [call] = carrier.received
  assert.deepEqual(
    [call!.method, call!.path, { ...call!.query }, call!.headers['x-signature'], call!.body],
    ['POST', '/status/msg_1', { a: ['1', '2'], b: 'é' }, 'abc', bytes],
  )
})

test('a callback may use any method and any or no content type, and an empty body stays empty', async (t) => {
  const carrier = callbackCarrier(({ body }) => ({ status: 200, body: String(body.length) }))
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
    const reply = await callBack(service, method, url, given)
    assert.deepEqual([reply.statusCode, reply.body], [200, length], `${method} ${url}`)
    assert.equal(reply.headers['content-type'], 'text/plain; charset=utf-8')
  }
  assert.deepEqual(
    carrier.received.map(({ path }) => path),
    ['/', '/', '/a/b', '/a', '/a'],
  )
})

test('a callback to an unknown link or one without callbacks gets 404, and a body over 256 KiB gets 413', async (t) => {
  const service = await testService(t, { carrier: callbackCarrier() })
  for (const url of ['/carrier/other', '/carrier/other/x', '/carrier/']) {
    const reply = await callBack(service, 'POST', url, { payload: SECRET })
    assert.deepEqual([reply.statusCode, reply.json().code], [404, 'path_unknown'], url)
  }
  const fits = await callBack(service, 'POST', '/carrier/fake/', {
    payload: 'x'.repeat(256 * 1024),
  })
  assert.equal(fits.statusCode, 200)
  const over = await callBack(service, 'POST', '/carrier/fake/', {
    payload: 'x'.repeat(256 * 1024 + 1),
  })
  assert.deepEqual([over.statusCode, over.json().code], [413, 'body_too_large'])
  const simulated = await testService(t)
  assert.equal((await callBack(simulated, 'POST', '/carrier/simulator/x')).statusCode, 404)
})

test('a client with many rejected callbacks is rate limited, and a carrier with accepted ones never is', async (t) => {
  const carrier = callbackCarrier(({ headers }) => ({ status: headers['x-signature'] ? 200 : 403 }))
  const service = await testService(t, { carrier, env: { LONGCODE_RATE_LIMIT: '100' } })
  const call = async (headers: Record<string, string>) =>
    (await callBack(service, 'POST', '/carrier/fake/x', { headers })).statusCode
  for (let i = 0; i < 300; i += 1) assert.equal(await call({ 'x-signature': 'good' }), 200)
  let status = 403
  for (let i = 0; i < 100_000 && status === 403; i += 1) status = await call({})
  assert.equal(status, 429)
})

test('the log contains neither the callback body nor the reply of the link', async (t) => {
  const carrier = callbackCarrier(({ body }) => ({ status: 400, body: String(body) }))
  const service = await testService(t, { carrier })
  // When the test ends, the harness searches the log, at its most verbose level, for every request body it sent.
  const reply = await service.post('/carrier/fake/x', { body: SECRET }, { token: null })
  assert.deepEqual([reply.status, JSON.parse(reply.body)], [400, { body: SECRET }])
})
