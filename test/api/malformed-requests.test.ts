// Malformed requests: broken HTTP, oversized headers, two Host headers, invalid UTF-8, paths that cannot be
// decoded, impossible times. Each reply explains the problem, has a request id and the error shape of its
// route, and is never a server error.

import assert from 'node:assert/strict'
import net from 'node:net'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { allRoutes, fillPath, type JsonSchema } from '../every-route.js'
import type { Json, TestService } from '../harness.js'
import { sendingService, VZW } from '../sending.js'
import { OPERATOR_TOKEN, operatedService } from './operator-service.js'

interface RawReply {
  status: number
  headers: string
  body: Json
}

/** Sends raw bytes and reads until the server closes the connection. */
async function exchange(service: TestService, bytes: string | Buffer): Promise<RawReply> {
  const { app } = service
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as net.AddressInfo
  const received = await new Promise<string>((resolve, reject) => {
    let text = ''
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('end', () => {
      socket.destroy()
      resolve(text)
    })
    // The service may reset a connection that still sends after its response.
    socket.on('error', (error) => (text === '' ? reject(error) : resolve(text)))
  })
  const [headers = '', body = ''] = received.split('\r\n\r\n')
  return { status: Number(headers.split(' ')[1]), headers, body: JSON.parse(body) as Json }
}

function request(service: TestService, line: string, headers: string[], body = ''): Buffer {
  const head = [
    `${line} HTTP/1.1`,
    `authorization: Bearer ${service.token}`,
    'connection: close',
    ...(body === '' ? [] : ['content-type: application/json']),
    ...(body === '' ? [] : [`content-length: ${Buffer.byteLength(body, 'latin1')}`]),
    ...headers,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1')
}

function assertRefused({ headers, body }: RawReply, code: string): void {
  assert.equal(body.code, code, JSON.stringify(body))
  assert.equal(typeof body.error, 'string')
  assert.match(headers, /\r\nx-request-id: req_[0-9a-z]+/i)
  assert.match(headers, /\r\nconnection: close/i)
}

test('bytes that are not HTTP are refused, in the shape of the route if it is recognizable', async (t) => {
  const { service } = await sendingService(t)
  const nonsense = await exchange(service, 'hello?\r\n\r\n')
  assert.equal(nonsense.status, 400)
  assertRefused(nonsense, 'request_malformed')
  assert.match(nonsense.body.requestId as string, /^req_/)
  const length = 'content-length: x'
  const send = await exchange(
    service,
    request(service, 'POST /v1/message/send', ['host: a', length]),
  )
  assertRefused(send, 'request_malformed')
  assert.equal(send.body.success, false)
  const read = await exchange(
    service,
    request(service, 'GET /v1/message/x?y=1', ['host: a', length]),
  )
  assert.equal(read.body.message, null)
})

test('oversized headers are refused with 431', async (t) => {
  const { service } = await sendingService(t)
  for (const size of [20_000, 1_000_000]) {
    const long = `x-long: ${'x'.repeat(size)}`
    const reply = await exchange(service, request(service, 'GET /v1/brand/x', ['host: a', long]))
    assert.equal(reply.status, 431)
    assertRefused(reply, 'headers_too_large')
    assert.equal(reply.body.brand, null)
  }
})

test('a request that does not arrive in time gets 408', async (t) => {
  const { service } = await sendingService(t)
  const socket = new PassThrough()
  const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  service.app.server.emit('clientError', late, socket as unknown as net.Socket)
  const received = String(socket.read())
  assert.match(received, /^HTTP\/1\.1 408 Request Timeout\r\n/)
  assert.match(received, /"code":"request_late"/)
  const { requestTimeout, keepAliveTimeout } = service.app.server
  assert.equal(requestTimeout, 30_000)
  assert.equal(keepAliveTimeout, 72_000, 'longer than the usual minute of proxies')
})

test('a request must have exactly one Host header, on the fast path and the regular route', async (t) => {
  const { service, campaignId } = await sendingService(t)
  const body = JSON.stringify({ campaign: campaignId, to: VZW, body: 'Hello' })
  for (const path of ['/v1/message/send', '/v1/message/send/']) {
    const line = `POST ${path}`
    assert.equal((await exchange(service, request(service, line, ['host: a'], body))).status, 200)
    for (const hosts of [[], ['host: a', 'Host: a'], ['host: a', 'x: y', 'HOST: b']]) {
      const reply = await exchange(service, request(service, line, hosts, body))
      assert.equal(reply.status, 400)
      assertRefused(reply, 'host_invalid')
      assert.equal(reply.body.success, false)
    }
  }
  const read = await exchange(
    service,
    request(service, 'GET /v1/brand/list', ['host: a', 'host: b']),
  )
  assert.deepEqual(read.body.brands, [])
})

test('invalid UTF-8 is refused, and the character U+FFFD is accepted', async (t) => {
  const { service, campaignId } = await sendingService(t)
  const sendText = (path: string, text: string) => {
    const body = `{"campaign":"${campaignId}","to":"${VZW}","body":"${text}"}`
    return exchange(service, request(service, `POST ${path}`, ['host: a'], body))
  }
  for (const path of ['/v1/message/send', '/v1/message/send/']) {
    for (const bytes of ['\xff', '\xc3(', '\xed\xa0\x80', '\xf0\x9f']) {
      const reply = await sendText(path, bytes)
      assert.equal(reply.status, 400)
      assertRefused(reply, 'body_not_utf8')
      assert.equal(reply.body.success, false)
    }
    assert.equal((await sendText(path, '\xef\xbf\xbd')).status, 200)
  }
})

test('broken percent-encoding gets 400 in the shape of the route', async (t) => {
  const { service } = await sendingService(t)
  const expected: [method: string, url: string, code: string, failure: Json][] = [
    ['GET', '/v1/message/%zz', 'path_malformed', { message: null }],
    ['DELETE', '/v1/message/%zz', 'path_malformed', { success: false }],
    ['GET', '/v1/campaign/%E0%A4%A/numbers', 'path_malformed', { numbers: [] }],
    ['GET', '/v1/nothing/%zz', 'path_malformed', {}],
    ['GET', '/v1/message/list?campaign=%zz', 'query_malformed', { messages: null }],
    ['GET', '/v1/message/list?%zz=1&campaign=x', 'query_malformed', { messages: null }],
    ['GET', '/v1/brand/list?limit=5&x=%ff', 'query_malformed', { brands: [] }],
  ]
  for (const [method, url, code, failure] of expected) {
    const reply = await service.call(method, url)
    const { error, code: reported, requestId, ...rest } = reply.body
    assert.equal(reply.status, 400, url)
    assert.equal(reported, code, url)
    assert.deepEqual(rest, failure, url)
    assert.match(reply.headers['x-request-id']!, /^req_/)
  }
})

test('a NUL character is refused with the path of its field, up to the nesting limit', async (t) => {
  const { service } = await sendingService(t)
  const deep = { a: [{ b: { c: ['x', 'a\0b'] } }] }
  const reply = await service.post('/v1/message/send', { body: 'Hello', metadata: deep })
  assert.equal(reply.body.error, 'metadata.a[0].b.c[1] must not contain the character NUL')
  const nested = (depth: number) => `{"x":${'['.repeat(depth)}"\\u0000"${']'.repeat(depth)}}`
  for (const path of ['/v1/message/send', '/v1/message/send/', '/v1/brand/create']) {
    const post = (body: string) =>
      service.post(path, body, { headers: { 'content-type': 'application/json' } })
    assert.equal((await post(nested(31))).body.code, 'field_invalid')
    for (const depth of [32, 5000]) {
      const { status, body } = await post(nested(depth))
      assert.equal(status, 400)
      assert.equal(body.code, 'json_too_deep')
      assert.equal(body.success, false)
    }
  }
})

/** The names of a body's time fields. */
function timesOf(schema: JsonSchema): string[] {
  return Object.entries(schema.properties ?? {})
    .filter(([, field]) => field.format === 'date-time')
    .map(([name]) => name)
}

test('leap seconds and impossible dates are refused in every time field of every route', async (t) => {
  const service = await operatedService(t)
  const reported: string[] = []
  for (const route of allRoutes(service)) {
    const token = route.tag === 'Operator' ? OPERATOR_TOKEN : service.token
    const url = fillPath(route)
    for (const time of ['2026-12-31T23:59:60Z', '2026-02-30T00:00:00Z', '0000-01-01T00:00:00Z']) {
      for (const { name, schema } of route.parameters) {
        if (schema.format !== 'date-time') continue
        const query = new URLSearchParams({ [name]: time })
        const { status, body } = await service.call(route.method, `${url}?${query}`, undefined, {
          token,
        })
        assert.equal(status, 400, `${route.path} ${name}`)
        assert.ok(body.details.some(({ field }: { field: string }) => field === name))
        reported.push(name)
      }
      for (const name of timesOf(route.body ?? {})) {
        const { status, body } = await service.call(route.method, url, { [name]: time }, { token })
        assert.equal(status, 400, `${route.path} ${name}`)
        const detail = body.details.find(({ field }: { field: string }) => field === name)
        assert.equal(detail?.problem, 'must be an ISO 8601 time such as 2026-12-24T18:00:00Z')
        reported.push(name)
      }
    }
  }
  assert.ok(reported.length >= 30, `${reported.length} times`)
})
