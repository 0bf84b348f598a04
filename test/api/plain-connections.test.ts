// Sends on raw connections: our own reader and Node's take over from each other without losing, mixing up, or repeating
// a byte, whatever the client sends and however it arrives.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { eventually } from '../harness.js'
import { type Sending, sendingService, VZW } from '../sending.js'

const FAST = '/v1/message/send'

interface Client {
  socket: net.Socket
  /** Status and body of each response so far. */
  responses: () => { status: number; head: string; body: string }[]
  /** Resolves when there are this many. */
  until: (count: number) => Promise<unknown>
}

async function connect(t: TestContext, { service: { app } }: Sending): Promise<Client> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as net.AddressInfo
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  let received = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
  })
  const responses = () => parse(received)
  const until = (count: number) =>
    eventually(async () => responses().length >= count, `${count} responses`)
  return { socket, responses, until }
}

function parse(bytes: Buffer) {
  const found = []
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n\r\n', at)
    if (end === -1) return found
    const head = bytes.toString('latin1', at, end)
    assert.match(head, /^HTTP\/1\.1 \d{3} /, 'every response starts where the one before ended')
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
    if (bytes.length < end + 4 + length) return found
    const body = bytes.toString('utf8', end + 4, end + 4 + length)
    found.push({ status: Number(head.slice(9, 12)), head, body })
    at = end + 4 + length
  }
}

function send(sending: Sending, text: string, url = FAST, more = ''): Buffer {
  const body = JSON.stringify({ campaign: sending.campaignId, to: VZW, body: text })
  return Buffer.from(
    `POST ${url} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${sending.service.token}\r\n` +
      `content-type: application/json\r\n${more}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

async function textsOf({ service }: Sending): Promise<string[]> {
  const rows = await service.world.db.query<{ body: string }>(
    sql`select body from messages order by id`,
  )
  return rows.map(({ body }) => body)
}

test('pipelined requests are answered in order, also if Node reads one of them', async (t) => {
  const sending = await sendingService(t)
  const { socket, responses, until } = await connect(t, sending)
  const get = Buffer.from(
    `GET /v1/account HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${sending.service.token}\r\n\r\n`,
  )
  const refused = Buffer.from(
    send(sending, '')
      .toString()
      .replace(/"body":""/, '"body":7 '),
  )
  socket.write(
    Buffer.concat([
      send(sending, 'one'),
      send(sending, 'two'),
      refused,
      refused,
      send(sending, 'three'),
      send(sending, 'four', `${FAST}/`),
      get,
      send(sending, 'five'),
    ]),
  )
  await until(8)
  assert.deepEqual(
    responses().map(({ status }) => status),
    [200, 200, 400, 400, 200, 200, 200, 200],
  )
  assert.match(responses()[6]!.body, /"account"/)
  const texts = await textsOf(sending)
  assert.deepEqual(texts.slice(0, 3), ['one', 'two', 'three'])
  assert.deepEqual(texts.slice(3).sort(), ['five', 'four'], 'Node runs pipelined requests at once')
})

test('a request in any pieces is read completely, and the next one too', async (t) => {
  const sending = await sendingService(t)
  const whole = send(sending, 'Grüße')
  const bodyAt = whole.indexOf('\r\n\r\n') + 4
  const ways = [[bodyAt], [bodyAt + 3], [bodyAt - 2], [20], [bodyAt, bodyAt + 5, bodyAt + 9]]
  for (const cuts of ways) {
    const { socket, responses, until } = await connect(t, sending)
    socket.setNoDelay(true)
    for (const [i, cut] of [...cuts, whole.length].entries()) {
      socket.write(whole.subarray(cuts[i - 1] ?? 0, cut))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await until(1)
    socket.write(whole)
    await until(2)
    assert.deepEqual(
      responses().map(({ status }) => status),
      [200, 200],
      String(cuts),
    )
  }
  assert.equal((await textsOf(sending)).length, 2 * ways.length)
})

test('a hidden second request in a body or after an ambiguous length is never run', async (t) => {
  const sending = await sendingService(t)
  const hidden = send(sending, 'hidden').toString()
  const cases: [string, string][] = [
    ['transfer-encoding: chunked\r\n', 'both lengths'],
    ['content-length: 4\r\n', 'two lengths'],
    ['transfer-encoding : chunked\r\n', 'a space before the colon'],
    ['x-a: b\ntransfer-encoding: chunked\r\n', 'a bare line feed'],
  ]
  for (const [header, name] of cases) {
    const { socket, responses, until } = await connect(t, sending)
    const ended = once(socket, 'end')
    socket.write(send(sending, 'outer', FAST, header).toString() + hidden)
    await until(1)
    await ended
    assert.deepEqual(
      responses().map(({ status }) => status),
      [400],
      name,
    )
  }
  const { socket, responses, until } = await connect(t, sending)
  const inner = send(sending, 'inner').toString()
  socket.write(send(sending, inner))
  socket.write(send(sending, 'last'))
  await until(2)
  assert.equal(responses().length, 2)
  assert.deepEqual(await textsOf(sending), [inner, 'last'])
})

test('unknown tokens are refused on the same connection, and valid ones continue', async (t) => {
  const sending = await sendingService(t)
  const { socket, responses, until } = await connect(t, sending)
  const stranger = send(sending, 'x')
    .toString()
    .replace(/Bearer \S+/, 'Bearer nobody')
  socket.write(stranger)
  await until(1)
  socket.write(send(sending, 'known'))
  await until(2)
  assert.deepEqual(
    responses().map(({ status }) => status),
    [401, 200],
  )
  assert.match(responses()[0]!.head, /x-request-id: req_/)
  assert.match(responses()[1]!.head, /\r\nConnection: keep-alive\r\nKeep-Alive: timeout=72$/)
  assert.deepEqual(await textsOf(sending), ['known'])
})

test('a client that sends nothing more is disconnected, with its message accepted', async (t) => {
  const sending = await sendingService(t)
  const { socket } = await connect(t, sending)
  const ended = once(socket, 'end')
  socket.end(send(sending, 'last words'))
  await ended
  await eventually(async () => (await textsOf(sending)).length === 1, 'the message')
  const half = await connect(t, sending)
  const closed = once(half.socket, 'end')
  half.socket.end(send(sending, 'half').subarray(0, -3))
  await closed
  assert.deepEqual(
    half.responses().map(({ status }) => status),
    [400],
  )
  assert.deepEqual(await textsOf(sending), ['last words'])
})

test('a client that does not read its responses is not read either', async (t) => {
  const sending = await sendingService(t)
  const { socket, responses, until } = await connect(t, sending)
  socket.pause()
  const count = 300
  const texts = Array.from({ length: count }, (_, i) => send(sending, `text ${i}`))
  socket.write(Buffer.concat(texts))
  await eventually(async () => (await textsOf(sending)).length > 0, 'the first message')
  socket.resume()
  await until(count)
  assert.ok(responses().every(({ status }) => status === 200))
  assert.deepEqual(
    await textsOf(sending),
    texts.map((_, i) => `text ${i}`),
  )
})

test('a stop closes idle connections, and answers a send in progress first', async (t) => {
  const sending = await sendingService(t)
  const idle = await connect(t, sending)
  idle.socket.write(send(sending, 'before'))
  await idle.until(1)
  const busy = await connect(t, sending)
  const ended = [once(idle.socket, 'end'), once(busy.socket, 'end')]
  busy.socket.write(send(sending, 'during'))
  await eventually(
    async () => (await textsOf(sending)).length === 2 || busy.responses().length > 0,
    'it',
  )
  await sending.service.app.close()
  await Promise.all(ended)
})
