// The outgoing HTTP client against real servers on loopback: what it returns, and how it ends if the other
// side is slow, endless, malformed, or absent.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import {
  createHttpClient,
  type HttpClientOptions,
  type HttpFailure,
  type HttpFailureReason,
} from './http-client.js'

function testClient(t: TestContext, options: Partial<HttpClientOptions> = {}) {
  const client = createHttpClient({
    allowPrivate: true,
    timeoutMs: 30_000,
    maxResponseBytes: 64 * 1024,
    connectionsPerOrigin: 2,
    ...options,
  })
  t.after(() => client.close())
  return client
}

async function listening(t: TestContext, server: Server): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

// Without a limit for idle connections: on a busy machine, it would expire between two requests.
const serving = (t: TestContext, listener: RequestListener) =>
  listening(t, createHttpServer({ keepAliveTimeout: 0 }, listener))

/** A server that responds to any data with these bytes, then runs `after`. */
function talking(t: TestContext, bytes: string, after: (socket: Socket) => void = () => {}) {
  const server = createServer((socket) => {
    socket.once('data', () => socket.write(bytes, () => after(socket)))
  })
  return listening(t, server)
}

function signal() {
  let raise = () => {}
  const raised = new Promise<void>((resolve) => {
    raise = resolve
  })
  return { raise: () => raise(), raised }
}

function failsWith(reason: HttpFailureReason) {
  return (error: unknown) => {
    assert.equal((error as { reason?: string }).reason, reason, String(error))
    return true
  }
}

test('a POST arrives unchanged, and its response is complete', async (t) => {
  const url = await serving(t, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method, url: path, headers } = request
    response.writeHead(201, { 'x-made': 'yes', 'set-cookie': ['a=1', 'b=2'] })
    response.end(JSON.stringify({ method, path, body, headers }))
  })
  const answer = await testClient(t).request({
    method: 'POST',
    url: `${url}/hook?a=%20b#part`,
    headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' },
    body: '{"text":"héllo"}',
  })
  assert.equal(answer.status, 201)
  assert.equal(answer.headers['x-made'], 'yes')
  assert.equal(answer.headers['set-cookie'], 'a=1, b=2')
  assert.equal(answer.truncated, false)
  assert.ok(answer.durationMs >= 0)

  const seen = JSON.parse(answer.body.toString())
  assert.equal(seen.method, 'POST')
  assert.equal(seen.path, '/hook?a=%20b')
  assert.equal(seen.body, '{"text":"héllo"}')
  assert.equal(seen.headers.host, new URL(url).host)
  assert.equal(seen.headers['webhook-id'], 'evt_1')
  assert.equal(seen.headers['accept-encoding'], 'identity')
})

test('HEAD returns headers and no body', async (t) => {
  const url = await serving(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': '123456' }).end()
  })
  const answer = await testClient(t).request({ method: 'HEAD', url })
  assert.equal(answer.headers['content-length'], '123456')
  assert.equal(answer.body.length, 0)
})

test('requests to one origin share connections, up to the limit', async (t) => {
  for (const connectionsPerOrigin of [1, 3]) {
    const ports = new Set<number | undefined>()
    const url = await serving(t, (request, response) => {
      ports.add(request.socket.remotePort)
      request.resume().on('end', () => response.end('ok'))
    })
    const client = testClient(t, { connectionsPerOrigin })
    const send = () => client.request({ method: 'POST', url, body: 'x' })
    await Promise.all(Array.from({ length: 30 }, send))
    for (let i = 0; i < 10; i++) await send()
    assert.equal(ports.size, connectionsPerOrigin)
  }
})

test('a redirect is a response and is not followed', async (t) => {
  const paths: (string | undefined)[] = []
  const url = await serving(t, (request, response) => {
    paths.push(request.url)
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  const answer = await testClient(t).request({ method: 'GET', url: `${url}/here` })
  assert.equal(answer.status, 302)
  assert.equal(answer.headers.location, '/elsewhere')
  assert.deepEqual(paths, ['/here'])
})

test('an interim 103 is not treated as the response', async (t) => {
  const url = await serving(t, (_, response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' }, () => response.end('final'))
  })
  const answer = await testClient(t).request({ method: 'GET', url })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.link, undefined)
  assert.equal(answer.body.toString(), 'final')
})

test('a server that accepts and sends nothing times out', async (t) => {
  const url = await listening(t, createServer())
  const client = testClient(t, { timeoutMs: 200 })
  await assert.rejects(client.request({ method: 'GET', url }), (error: Error) => {
    assert.equal(error.message, 'No complete answer came within 200 ms.')
    return failsWith('timeout')(error)
  })
})

test('a body that arrives byte by byte times out and is disconnected', async (t) => {
  const gone = signal()
  const url = await talking(t, 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n', (socket) => {
    const drip = setInterval(() => socket.write('.'), 20)
    socket.on('close', () => {
      clearInterval(drip)
      gone.raise()
    })
  })
  const request = { method: 'GET', url, timeoutMs: 200 } as const
  await assert.rejects(testClient(t).request(request), failsWith('timeout'))
  await gone.raised
})

test('headers that arrive byte by byte time out too', async (t) => {
  const url = await talking(t, 'HTTP/1.1 200 OK\r\n', (socket) => {
    const drip = setInterval(() => socket.write('x: y\r\n'), 20)
    socket.on('close', () => clearInterval(drip))
  })
  const request = { method: 'GET', url, timeoutMs: 200 } as const
  await assert.rejects(testClient(t).request(request), failsWith('timeout'))
})

test('a request queued behind a stuck one times out without being sent', async (t) => {
  const seen: string[] = []
  const server = createServer((socket) => {
    socket.on('data', (data) => seen.push(data.toString().split(' ')[1] ?? ''))
  })
  const url = await listening(t, server)
  const client = testClient(t, { connectionsPerOrigin: 1 })
  const stuck = client.request({ method: 'POST', url: `${url}/stuck`, body: 'x', timeoutMs: 600 })
  const waiting = client.request({ method: 'POST', url: `${url}/next`, body: 'x', timeoutMs: 200 })
  await assert.rejects(waiting, failsWith('timeout'))
  await assert.rejects(stuck, failsWith('timeout'))
  assert.deepEqual(seen, ['/stuck'])
})

test('a request is checked again when a connection is free, and the next one proceeds', async (t) => {
  const seen: string[] = []
  const url = await serving(t, (request, response) => {
    seen.push(request.url!)
    response.end('ok')
  })
  const client = testClient(t, { connectionsPerOrigin: 1 })
  const ask = (path: string, mayLeave?: () => boolean) =>
    client.request({ method: 'POST', url: url + path, body: 'x', ...(mayLeave && { mayLeave }) })
  const first = ask('/first', () => true)
  const heldBack = ask('/held-back', () => seen.length === 0)
  const next = ask('/next')
  await assert.rejects(heldBack, (error: HttpFailure) => {
    return error.reason === 'held_back' && !error.hasLeft
  })
  assert.deepEqual([(await first).status, (await next).status], [200, 200])
  assert.deepEqual(seen, ['/first', '/next'])
})

test('an endless body is cut at the limit and disconnected', async (t) => {
  const gone = signal()
  const url = await serving(t, (_, response) => {
    const pump = () => {
      while (response.write(Buffer.alloc(64 * 1024, 'a')));
    }
    response.on('drain', pump).on('close', gone.raise)
    pump()
  })
  const answer = await testClient(t, { maxResponseBytes: 1000 }).request({ method: 'GET', url })
  assert.equal(answer.truncated, true)
  assert.equal(answer.status, 200)
  assert.equal(answer.body.toString(), 'a'.repeat(1000))
  await gone.raised
})

test('a body of exactly the limit is not cut', async (t) => {
  const url = await serving(t, (_, response) => response.end('a'.repeat(1000)))
  const request = { method: 'GET', url, maxResponseBytes: 1000 } as const
  const answer = await testClient(t, { maxResponseBytes: 10 }).request(request)
  assert.equal(answer.truncated, false)
  assert.equal(answer.body.length, 1000)
})

test('the limit of a request applies, also if it is lower than that of the client', async (t) => {
  const url = await serving(t, (_, response) => response.end('a'.repeat(1000)))
  const request = { method: 'GET', url, maxResponseBytes: 10 } as const
  const answer = await testClient(t, { maxResponseBytes: 1000 }).request(request)
  assert.equal(answer.truncated, true)
  assert.equal(answer.body.length, 10)
})

test('a compressed body is returned unchanged', async (t) => {
  const url = await serving(t, (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('not really gzip')
  })
  const answer = await testClient(t).request({ method: 'GET', url })
  assert.equal(answer.body.toString(), 'not really gzip')
})

test('a socket closed before or during the response is a closed failure', async (t) => {
  const silent = await talking(t, '', (socket) => socket.end())
  const reset = await talking(t, '', (socket) => socket.resetAndDestroy())
  const half = await talking(t, 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nabc', (socket) =>
    socket.end(),
  )
  const halfChunked = await talking(
    t,
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nabc',
    (socket) => socket.end(),
  )
  const client = testClient(t)
  for (const url of [silent, reset, half, halfChunked]) {
    await assert.rejects(client.request({ method: 'POST', url, body: 'x' }), failsWith('closed'))
  }
})

test('a response that is not HTTP is a protocol failure', async (t) => {
  const smtp = await talking(t, '220 mail.example.com ESMTP\r\n')
  const headers = await talking(t, `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`)
  const client = testClient(t)
  for (const url of [smtp, headers]) {
    await assert.rejects(client.request({ method: 'GET', url }), failsWith('protocol'))
  }
})

test('a port without a listener is a connect failure', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const client = testClient(t)
  const sent = Array.from({ length: 5 }, () =>
    client.request({ method: 'GET', url: `http://127.0.0.1:${port}/` }),
  )
  for (const result of sent) await assert.rejects(result, failsWith('connect'))
})

test('a URL or header that cannot be sent is refused before connecting', async (t) => {
  const client = testClient(t)
  await assert.rejects(
    client.request({ method: 'GET', url: 'ftp://example.com' }),
    /^HttpFailure: The URL must start with http:\/\/ or https:\/\/\.$/,
  )
  const headers = { 'x-signature': 'a\r\nb: c' }
  const broken = client.request({ method: 'GET', url: 'http://127.0.0.1:1/', headers })
  await assert.rejects(broken, failsWith('protocol'))
})

test("an abort ends a request with the caller's reason", async (t) => {
  const url = await listening(t, createServer())
  const client = testClient(t)
  const abort = new AbortController()
  const sent = client.request({ method: 'GET', url, signal: abort.signal })
  abort.abort(new Error('shutting down'))
  await assert.rejects(sent, /^Error: shutting down$/)
  const late = client.request({ method: 'GET', url, signal: abort.signal })
  await assert.rejects(late, /^Error: shutting down$/)
})

test('a connection that the server closes while idle is replaced', async (t) => {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'))
  })
  const url = await listening(t, server)
  const client = testClient(t, { connectionsPerOrigin: 1 })
  for (let i = 1; i <= 3; i++) {
    const dropped = once(server, 'connection').then(([socket]) => once(socket, 'close'))
    const answer = await client.request({ method: 'POST', url, body: 'x' })
    assert.equal(answer.body.toString(), 'ok')
    assert.equal(connections, i)
    await dropped
  }
})

test('a connection is not used again after other bytes, or if its server closes it soon', async (t) => {
  const ok = (header: string, more = '') =>
    `HTTP/1.1 200 OK\r\n${header}content-length: 2\r\n\r\nok${more}`
  for (const [bytes, expected] of [
    [ok(''), 1],
    [ok('', 'HTTP/1.1 500 Injected\r\ncontent-length: 0\r\n\r\n'), 3],
    [ok('keep-alive: timeout=2\r\n'), 3],
    [ok('connection: close\r\n'), 3],
  ] as const) {
    let connections = 0
    const server = createServer((socket) => {
      connections += 1
      socket.on('data', () => socket.write(bytes))
    })
    const url = await listening(t, server)
    const client = testClient(t, { connectionsPerOrigin: 1 })
    for (let i = 1; i <= 3; i++) {
      const answer = await client.request({ method: 'POST', url, body: 'x' })
      assert.deepEqual([answer.status, answer.body.toString()], [200, 'ok'])
    }
    assert.equal(connections, expected, bytes)
  }
})

test('a body in many chunks of a byte is complete', async (t) => {
  const bytes = Array.from({ length: 2_500 }, (_, i) => String.fromCharCode(97 + (i % 26))).join('')
  const chunks = Array.from(bytes, (byte) => `1\r\n${byte}\r\n`).join('')
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
  const server = createServer((socket) => {
    socket.on('data', () => socket.write(`${head}${chunks}0\r\n\r\n`))
  })
  const url = await listening(t, server)
  const request = { method: 'GET', url } as const
  const client = testClient(t, { maxResponseBytes: 10_000 })
  assert.equal((await client.request(request)).body.toString(), bytes)
  const cut = await client.request({ ...request, maxResponseBytes: 1_500 })
  assert.deepEqual([cut.body.toString(), cut.truncated], [bytes.slice(0, 1_500), true])
})

test('close waits for requests in flight, disconnects, and accepts no more', async (t) => {
  const arrived = signal()
  let release = () => {}
  const server = createHttpServer((_, response) => {
    release = () => response.end('late')
    arrived.raise()
  })
  const url = await listening(t, server)
  const client = testClient(t)
  const sent = client.request({ method: 'GET', url })
  await arrived.raised
  const closing = client.close()
  await assert.rejects(client.request({ method: 'GET', url }), failsWith('closed'))
  release()
  assert.equal((await sent).body.toString(), 'late')
  await closing
  // The server can close only once the client has no open connections.
  server.close()
  await once(server, 'close')
})
