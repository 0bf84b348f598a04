// Clients that hold connections open: their number is limited with a clear response, and many idle connections do not
// affect other clients.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { type TestService, testService } from '../harness.js'
import { sendingService, VZW } from '../sending.js'

const PRODUCTION = {
  LONGCODE_MODE: 'production',
  DATABASE_URL: 'postgres://unused@localhost/unused',
  LONGCODE_OPERATOR_TOKEN: 'operator-0123456789',
}
const HEALTH = 'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n'

async function portOf({ app }: TestService): Promise<number> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as net.AddressInfo).port
}

interface Connection {
  socket: net.Socket
  /** The first data from the server. */
  response: string
}

/** Requests /healthz and keeps the connection open. */
async function connect(t: TestContext, port: number): Promise<Connection> {
  const socket = net.connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  socket.write(HEALTH)
  const [chunk] = await once(socket, 'data')
  return { socket, response: String(chunk) }
}

async function ended({ socket }: Connection): Promise<void> {
  socket.resume()
  if (!socket.readableEnded) await once(socket, 'end')
}

test('connections over the per-address limit get 429 and are closed, until an open one ends', async (t) => {
  const env = { ...PRODUCTION, LONGCODE_CONNECTIONS_PER_ADDRESS: '3' }
  const service = await testService(t, { env })
  const port = await portOf(service)
  const held = [await connect(t, port), await connect(t, port), await connect(t, port)]
  for (const { response } of held) assert.match(response, /^HTTP\/1\.1 200 /)
  const over = await connect(t, port)
  assert.match(over.response, /^HTTP\/1\.1 429 Too Many Requests\r\n/)
  assert.match(over.response, /\r\nretry-after: 1\r\n/)
  assert.match(over.response, /"code":"connections_per_address"/)
  assert.match(over.response, /Too many connections are open from your address/)
  await ended(over)
  held[0]!.socket.destroy()
  await until(async () => (await connect(t, port)).response.startsWith('HTTP/1.1 200 '))
})

test('a trusted proxy has no per-address limit, but the process limit still applies', async (t) => {
  const limits = { LONGCODE_CONNECTIONS_PER_ADDRESS: '1', LONGCODE_CONNECTIONS: '4' }
  const env = { ...PRODUCTION, ...limits, LONGCODE_TRUST_PROXY: 'loopback' }
  const service = await testService(t, { env })
  const port = await portOf(service)
  for (let i = 0; i < 4; i += 1) assert.match((await connect(t, port)).response, /^HTTP\/1\.1 200 /)
  const over = await connect(t, port)
  assert.match(over.response, /^HTTP\/1\.1 503 Service Unavailable\r\n/)
  assert.match(over.response, /\r\nretry-after: 1\r\n/)
  assert.match(over.response, /"code":"connections_exhausted"/)
  await ended(over)
})

test('a connection without a request is closed', async (t) => {
  const service = await testService(t)
  const port = await portOf(service)
  const { headersTimeout, requestTimeout } = service.app.server
  assert.deepEqual([headersTimeout, requestTimeout], [10_000, 30_000])
  const socket = net.connect(port, '127.0.0.1')
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /^HTTP\/1\.1 408 Request Timeout\r\n/)
  socket.destroy()
})

// Each process needs a file descriptor per connection, and some for its own files.
const IDLE_MAX = 10_000
const SPARE = 2_000

function descriptorsMax(): number {
  const report = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } }
  }
  const { soft = 1_024 } = report.userLimits?.open_files ?? {}
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
}

test('health checks and sends succeed while thousands of idle connections are open', async (t) => {
  const { service, campaignId } = await sendingService(t, { balance: '100' })
  const port = await portOf(service)
  const count = Math.min(IDLE_MAX, Math.max(descriptorsMax() - SPARE, 200))
  t.diagnostic(`${count} connections`)
  const script = path.resolve('test/idle-connections.mjs')
  const idle = spawn(process.execPath, [script, String(port), String(count)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(() => idle.kill())
  const [line] = await once(idle.stdout, 'data')
  assert.match(String(line), new RegExp(`^${count} connections are open`))
  const origin = `http://127.0.0.1:${port}`
  for (let i = 0; i < 20; i += 1) {
    assert.equal((await fetch(`${origin}/healthz`)).status, 200)
    const sent = await fetch(`${origin}/v1/message/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ campaign: campaignId, to: VZW, body: `Hello ${i}` }),
    })
    assert.equal(sent.status, 200, await sent.text())
  }
  const open = await new Promise((resolve) => {
    service.app.server.getConnections((_, connections) => resolve(connections))
  })
  assert.ok(Number(open) >= count, `${open} are still open`)
  idle.stdin.end()
  await once(idle, 'exit')
})

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20))
}
