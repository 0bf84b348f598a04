// What is no proper request: broken HTTP, headers without end, two hosts, bytes that are no text, a
// path that cannot be decoded, a time that no clock shows. All are answered in words, with an id, in
// the shape of their endpoint, and none of them as a fault of ours.

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

/** Says the bytes as they are and hears until the other side closes. */
async function say(service: TestService, bytes: string | Buffer): Promise<RawReply> {
  const { app } = service
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as net.AddressInfo
  const heard = await new Promise<string>((resolve, reject) => {
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
  const [headers = '', body = ''] = heard.split('\r\n\r\n')
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

function assertTold({ headers, body }: RawReply, code: string): void {
  assert.equal(body.code, code, JSON.stringify(body))
  assert.equal(typeof body.error, 'string')
  assert.match(headers, /\r\nx-request-id: req_[0-9a-z]+/i)
  assert.match(headers, /\r\nconnection: close/i)
}

test('bytes that are no HTTP are told so, in the endpoint’s shape where it can be seen', async (t) => {
  const { service } = await sendingService(t)
  const nonsense = await say(service, 'hello?\r\n\r\n')
  assert.equal(nonsense.status, 400)
  assertTold(nonsense, 'request_malformed')
  assert.match(nonsense.body.requestId as string, /^req_/)
  const length = 'content-length: x'
  const send = await say(service, request(service, 'POST /v1/message/send', ['host: a', length]))
  assertTold(send, 'request_malformed')
  assert.equal(send.body.success, false)
  const read = await say(service, request(service, 'GET /v1/message/x?y=1', ['host: a', length]))
  assert.equal(read.body.message, null)
})

test('headers without end are refused with 431', async (t) => {
  const { service } = await sendingService(t)
  for (const size of [20_000, 1_000_000]) {
    const long = `x-long: ${'x'.repeat(size)}`
    const reply = await say(service, request(service, 'GET /v1/brand/x', ['host: a', long]))
    assert.equal(reply.status, 431)
    assertTold(reply, 'headers_too_large')
    assert.equal(reply.body.brand, null)
  }
})

test('a request that does not arrive in time is told so', async (t) => {
  const { service } = await sendingService(t)
  const socket = new PassThrough()
  const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  service.app.server.emit('clientError', late, socket as unknown as net.Socket)
  const heard = String(socket.read())
  assert.match(heard, /^HTTP\/1\.1 408 Request Timeout\r\n/)
  assert.match(heard, /"code":"request_late"/)
  const { requestTimeout, keepAliveTimeout } = service.app.server
  assert.equal(requestTimeout, 30_000)
  assert.equal(keepAliveTimeout, 72_000, 'longer than the usual proxy’s minute')
})

test('a request has one Host header, on both ways to a send', async (t) => {
  const { service, campaignId } = await sendingService(t)
  const body = JSON.stringify({ campaign: campaignId, to: VZW, body: 'Hello' })
  for (const path of ['/v1/message/send', '/v1/message/send/']) {
    const line = `POST ${path}`
    assert.equal((await say(service, request(service, line, ['host: a'], body))).status, 200)
    for (const hosts of [[], ['host: a', 'Host: a'], ['host: a', 'x: y', 'HOST: b']]) {
      const reply = await say(service, request(service, line, hosts, body))
      assert.equal(reply.status, 400)
      assertTold(reply, 'host_invalid')
      assert.equal(reply.body.success, false)
    }
  }
  const read = await say(service, request(service, 'GET /v1/brand/list', ['host: a', 'host: b']))
  assert.deepEqual(read.body.brands, [])
})

test('bytes that are no UTF-8 are refused, and the character U+FFFD itself is not', async (t) => {
  const { service, campaignId } = await sendingService(t)
  const say8 = (path: string, text: string) => {
    const body = `{"campaign":"${campaignId}","to":"${VZW}","body":"${text}"}`
    return say(service, request(service, `POST ${path}`, ['host: a'], body))
  }
  for (const path of ['/v1/message/send', '/v1/message/send/']) {
    for (const bytes of ['\xff', '\xc3(', '\xed\xa0\x80', '\xf0\x9f']) {
      const reply = await say8(path, bytes)
      assert.equal(reply.status, 400)
      assertTold(reply, 'body_not_utf8')
      assert.equal(reply.body.success, false)
    }
    assert.equal((await say8(path, '\xef\xbf\xbd')).status, 200)
  }
})

test('broken percent-encoding is a 400 in the shape of the endpoint, by path, method and query', async (t) => {
  const { service } = await sendingService(t)
  const wanted: [method: string, url: string, code: string, failure: Json][] = [
    ['GET', '/v1/message/%zz', 'path_malformed', { message: null }],
    ['DELETE', '/v1/message/%zz', 'path_malformed', { success: false }],
    ['GET', '/v1/campaign/%E0%A4%A/numbers', 'path_malformed', { numbers: [] }],
    ['GET', '/v1/nothing/%zz', 'path_malformed', {}],
    ['GET', '/v1/message/list?campaign=%zz', 'query_malformed', { messages: null }],
    ['GET', '/v1/message/list?%zz=1&campaign=x', 'query_malformed', { messages: null }],
    ['GET', '/v1/brand/list?limit=5&x=%ff', 'query_malformed', { brands: [] }],
  ]
  for (const [method, url, code, failure] of wanted) {
    const reply = await service.call(method, url)
    const { error, code: told, requestId, ...rest } = reply.body
    assert.equal(reply.status, 400, url)
    assert.equal(told, code, url)
    assert.deepEqual(rest, failure, url)
    assert.match(reply.headers['x-request-id']!, /^req_/)
  }
})

test('NUL is refused by the name of its field, however deep it stands', async (t) => {
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

/** The fields of a body that are times, with the way to them. */
function timesOf(schema: JsonSchema): string[] {
  return Object.entries(schema.properties ?? {})
    .filter(([, field]) => field.format === 'date-time')
    .map(([name]) => name)
}

test('a leap second is no time in any field of any endpoint', async (t) => {
  const service = await operatedService(t)
  const told: string[] = []
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
        told.push(name)
      }
      for (const name of timesOf(route.body ?? {})) {
        const { status, body } = await service.call(route.method, url, { [name]: time }, { token })
        assert.equal(status, 400, `${route.path} ${name}`)
        const detail = body.details.find(({ field }: { field: string }) => field === name)
        assert.equal(detail?.problem, 'must be an ISO 8601 time such as 2026-12-24T18:00:00Z')
        told.push(name)
      }
    }
  }
  assert.ok(told.length >= 30, `${told.length} times`)
})
