// Calls over TCP and TLS on real loopback sockets: split into bytes, many at once, and from peers that do not read, do
// not finish a message, or send garbage.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { selfSigned } from '../../test/self-signed.js'
import { inShort, readAnswer, sipRequest, TARGET, testAnswerer } from '../../test/sip-messages.js'
import { until } from '../../test/until.js'
import { MessageSplitter } from '../sip/message/message-splitter.js'
import { listenStreams, type StreamListenerOptions } from './listen-streams.js'
import type { MessageAnswerer } from './listener.js'

const CERTIFICATE = selfSigned('voice.test')

async function listening(
  t: TestContext,
  options: Partial<StreamListenerOptions> = {},
  answerer: MessageAnswerer = testAnswerer(),
) {
  const listener = await listenStreams(
    { host: '127.0.0.1', port: 0, connectionsMax: 20, connectionsPerSourceMax: 20, ...options },
    answerer,
  )
  t.after(() => listener.close())
  return listener
}

/** Reads all data. `bytes` counts it, and `answers` are the complete responses in it. */
class Peer {
  readonly answers: string[] = []
  pongs = 0
  bytes = 0
  chunks = 0
  isClosed = false

  constructor(readonly socket: Socket) {
    const splitter = new MessageSplitter(
      (bytes) => this.answers.push(inShort(readAnswer(bytes))),
      () => {},
    )
    socket.on('error', () => {})
    socket.on('close', () => {
      this.isClosed = true
    })
    socket.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length
      this.chunks += 1
      if (chunk.equals(Buffer.from('\r\n'))) this.pongs += 1
      else splitter.push(chunk)
    })
  }

  write(text: string): void {
    this.socket.write(Buffer.from(text, 'latin1'))
  }

  async answered(count: number): Promise<string[]> {
    await until(() => this.answers.length >= count, `${count} answers`)
    return this.answers
  }

  closed(): Promise<true> {
    return until(() => this.isClosed, 'the connection to be closed')
  }
}

async function peer(t: TestContext, port: number, isSecure = false): Promise<Peer> {
  const where = { host: '127.0.0.1', port }
  const socket = isSecure
    ? connectTls({ ...where, ca: CERTIFICATE.cert, servername: 'voice.test' })
    : connect(where)
  t.after(() => socket.destroy())
  const made = new Peer(socket)
  await once(socket, isSecure ? 'secureConnect' : 'connect')
  return made
}

for (const transport of ['TCP', 'TLS']) {
  const isSecure = transport === 'TLS'
  const tls = isSecure ? CERTIFICATE : null

  test(`many messages in one write over ${transport} get their responses in order and in one write`, async (t) => {
    const { port } = await listening(t, { tls })
    const one = await peer(t, port, isSecure)
    one.write(
      [
        sipRequest({ callId: 'a', body: 'v=0\r\n' }),
        sipRequest({ callId: 'b', method: 'OPTIONS' }),
        sipRequest({ callId: 'b', method: 'ACK' }),
        sipRequest({ callId: 'c', number: '+14155550199' }),
      ].join(''),
    )
    assert.deepEqual(await one.answered(3), ['302 a', '200 b', '404 c'])
    // A TLS record is one write. Over TCP, several writes may arrive together.
    if (isSecure) assert.equal(one.chunks, 1)
  })

  test(`a message that arrives byte by byte over ${transport} gets a response`, async (t) => {
    const { port } = await listening(t, { tls })
    const one = await peer(t, port, isSecure)
    one.socket.setNoDelay(true)
    for (const byte of Buffer.from(sipRequest({ callId: 'a', body: 'v=0\r\n' }))) {
      one.socket.write(Buffer.of(byte))
      await new Promise(setImmediate)
    }
    assert.deepEqual(await one.answered(1), ['302 a'])
  })

  test(`a ping over ${transport} gets its pong`, async (t) => {
    const { port } = await listening(t, { tls })
    const one = await peer(t, port, isSecure)
    one.write('\r\n\r\n')
    await until(() => one.pongs === 1, 'the pong')
    one.write(`\r\n\r\n${sipRequest({ callId: 'a' })}`)
    assert.deepEqual(await one.answered(1), ['302 a'])
  })

  test(`garbage over ${transport} closes the connection after the responses to earlier messages`, async (t) => {
    const { port, counts } = await listening(t, { tls })
    for (const nonsense of [
      sipRequest().replace('Content-Length: 0', 'Content-Length: 99999999'),
      sipRequest().replace('Content-Length: 0', 'Content-Length: -1'),
      `INVITE sip:a@b SIP/2.0\r\n${'X: y\r\n'.repeat(300)}\r\n`,
      `INVITE sip:a@b SIP/2.0\r\n${`X: ${'y'.repeat(990)}\r\n`.repeat(40)}`,
      'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
    ]) {
      const before = counts.cut
      const one = await peer(t, port, isSecure)
      one.write(sipRequest({ callId: 'a' }) + nonsense + sipRequest({ callId: 'b' }))
      await one.closed()
      assert.deepEqual(one.answers, ['302 a'], nonsense.slice(0, 40))
      assert.equal(counts.cut, before + 1)
    }
  })
}

test('the response over a connection names the transport', async (t) => {
  const { port } = await listening(t)
  const one = await peer(t, port)
  let text = ''
  one.socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  one.write(sipRequest())
  await one.answered(1)
  assert.match(text, new RegExp(`;rport=${one.socket.localPort};received=127\\.0\\.0\\.1\r\n`))
  assert.match(text, new RegExp(`Contact: <sip:\\${TARGET}@sbc\\.trunk\\.test>\r\n`))
})

for (const tls of [null, CERTIFICATE]) {
  const name = tls ? 'TLS' : 'TCP'
  test(`a source that is not allowed gets no byte over ${name}`, async (t) => {
    const answerer = testAnswerer(['127.0.0.2'])
    const { port, counts } = await listening(t, { tls }, answerer)
    const stranger = await peer(t, port)
    await stranger.closed()
    assert.deepEqual([stranger.bytes, answerer.asked, counts.refused], [0, 0, 1])
  })
}

test('a source that is no longer allowed is disconnected', async (t) => {
  let isAllowed = true
  const known = testAnswerer()
  const { port } = await listening(
    t,
    {},
    {
      shareOf: () => (isAllowed ? { trunk: 'test', trunks: 1 } : null),
      pauseMs: () => 0,
      answer: (bytes, source) => (isAllowed ? known.answer(bytes, source) : null),
    },
  )
  const one = await peer(t, port)
  one.write(sipRequest({ callId: 'a' }))
  await one.answered(1)
  isAllowed = false
  one.write(sipRequest({ callId: 'b' }))
  await one.closed()
  assert.deepEqual(one.answers, ['302 a'])
})

test('the share of a connection is that of its address and transport', async (t) => {
  for (const [tls, transport] of [
    [null, 'tcp'],
    [CERTIFICATE, 'tls'],
  ] as const) {
    const asked: unknown[] = []
    const shareOf = (source: object) => {
      asked.push(source)
      return null
    }
    const { port } = await listening(t, { tls }, { ...testAnswerer(), shareOf })
    await (await peer(t, port)).closed()
    assert.deepEqual(asked, [{ transport, address: '127.0.0.1' }])
  }
})

test('a connection that its peer resets is forgotten, and others get responses', async (t) => {
  for (const tls of [null, CERTIFICATE]) {
    const { port, counts } = await listening(t, { tls })
    const reset = await peer(t, port)
    reset.write(tls ? '\x16\x03\x01' : 'INVITE')
    await until(() => counts.connections === 1, 'the connection')
    reset.socket.resetAndDestroy()
    await until(() => counts.connections === 0, 'its end')
    const one = await peer(t, port, tls !== null)
    one.write(sipRequest({ callId: 'a' }))
    assert.deepEqual(await one.answered(1), ['302 a'])
  }
})

test('a trunk that sends too much is read again after its pause', async (t) => {
  let pauseMs = 50
  const { port } = await listening(t, {}, { ...testAnswerer(), pauseMs: () => pauseMs })
  const one = await peer(t, port)
  one.write(sipRequest({ callId: 'a' }))
  await one.answered(1)
  pauseMs = 0
  one.write(sipRequest({ callId: 'b' }))
  assert.deepEqual(await one.answered(2), ['302 a', '302 b'])
})

test('each trunk has its share of the connections, and can use what the others leave', async (t) => {
  let trunk = 'a'
  const shareOf = () => ({ trunk, trunks: 2 })
  const { port, counts } = await listening(t, { connectionsMax: 5 }, { ...testAnswerer(), shareOf })
  // Two of five are guaranteed to each.
  const connect = async (name: string, isAdmitted: boolean) => {
    trunk = name
    const { connections, refused } = counts
    const one = await peer(t, port)
    await until(() => counts.connections + counts.refused > connections + refused, 'the decision')
    assert.equal(counts.connections, connections + (isAdmitted ? 1 : 0), `${name} ${connections}`)
    return one
  }
  const [first] = [await connect('a', true), await connect('a', true), await connect('a', true)]
  await connect('a', false)
  await connect('b', true)
  await connect('a', false)
  await connect('b', true)
  await connect('b', false)
  first!.socket.destroy()
  await until(() => counts.connections === 4, 'the slot to be free')
  await connect('b', true)
})

test('one connection too many is closed immediately, and is accepted after another ends', async (t) => {
  for (const limits of [{ connectionsMax: 2 }, { connectionsPerSourceMax: 2 }]) {
    const { port, counts } = await listening(t, limits)
    const [first, second] = [await peer(t, port), await peer(t, port)]
    await until(() => counts.connections === 2, 'both connections')
    const third = await peer(t, port)
    await third.closed()
    assert.equal(third.bytes, 0)
    second.write(sipRequest({ callId: 'b' }))
    assert.deepEqual(await second.answered(1), ['302 b'])
    first.socket.destroy()
    await until(() => counts.connections === 1, 'the slot to be free')
    const fourth = await peer(t, port)
    fourth.write(sipRequest({ callId: 'd' }))
    assert.deepEqual(await fourth.answered(1), ['302 d'])
  }
})

test('an unfinished handshake is closed and frees its slot', async (t) => {
  const { port, counts } = await listening(t, {
    tls: CERTIFICATE,
    connectionsMax: 2,
    times: { handshakeMs: 200 },
  })
  const silent = await peer(t, port)
  const slow = await peer(t, port)
  slow.write('\x16\x03\x01\x02\x00')
  await silent.closed()
  await slow.closed()
  await until(() => counts.connections === 0, 'the slots to be free')
  assert.deepEqual([silent.bytes, slow.bytes, counts.cut], [0, 0, 2])
  const garbled = await peer(t, port)
  garbled.write(sipRequest())
  await garbled.closed()
  assert.deepEqual(garbled.answers, [])
})

test('a connection with a message that never finishes is closed', async (t) => {
  const { port, counts } = await listening(t, { times: { messageMs: 200 } })
  const patient = await peer(t, port)
  const slow = await peer(t, port)
  slow.write(sipRequest({ callId: 'a' }))
  slow.write(sipRequest({ callId: 'b' }).slice(0, 100))
  const trickle = setInterval(() => slow.write('x'), 20)
  t.after(() => clearInterval(trickle))
  await slow.closed()
  assert.deepEqual([slow.answers, counts.cut], [['302 a'], 1])
  // A connection may stay idle.
  patient.write(sipRequest({ callId: 'c' }))
  assert.deepEqual(await patient.answered(1), ['302 c'])
})

test('an idle connection is closed, and pings keep it open', async (t) => {
  const { port, counts } = await listening(t, { times: { idleMs: 3_000 } })
  const silent = await peer(t, port)
  const pinging = await peer(t, port)
  const pings = setInterval(() => pinging.write('\r\n\r\n'), 50)
  t.after(() => clearInterval(pings))
  await silent.closed()
  pinging.write(sipRequest({ callId: 'a' }))
  assert.deepEqual(await pinging.answered(1), ['302 a'])
  assert.equal(counts.cut, 1)
})

test('a peer that does not read is no longer read from, and is disconnected', async (t) => {
  const answerer = testAnswerer()
  const { port, counts } = await listening(t, { times: { unreadMs: 500 } }, answerer)
  const deaf = await peer(t, port)
  deaf.socket.pause()
  const many = sipRequest({ callId: 'a' }).repeat(200)
  let written = 0
  while (!deaf.isClosed && counts.cut === 0) {
    if (deaf.socket.writableLength < 1_000_000) {
      deaf.write(many)
      written += 200
    }
    await new Promise(setImmediate)
  }
  assert.equal(counts.cut, 1)
  assert.ok(answerer.asked < written, `${answerer.asked} of ${written} got responses`)
  await until(() => counts.connections === 0, 'the connection to close')
})

test('a peer that reads late gets every response', async (t) => {
  const { port } = await listening(t)
  const late = await peer(t, port)
  late.socket.pause()
  const count = 20_000
  for (let i = 0; i < count; i += 200) {
    const texts = Array.from({ length: 200 }, (_, n) => sipRequest({ callId: `${i + n}` }))
    late.write(texts.join(''))
  }
  await until(() => late.socket.writableLength > 0, 'the listener to stop reading')
  late.socket.resume()
  const answers = await late.answered(count)
  assert.deepEqual(
    answers,
    Array.from({ length: count }, (_, i) => `302 ${i}`),
  )
})

test('a stop ends connections, whatever their peers do', async (t) => {
  for (const tls of [null, CERTIFICATE]) {
    const listener = await listening(t, { tls, times: { lingerMs: 200 } })
    const talking = await peer(t, listener.port, tls !== null)
    talking.write(sipRequest({ callId: 'a' }))
    await talking.answered(1)
    const halfOpen = await peer(t, listener.port)
    halfOpen.write(tls ? '\x16\x03\x01\x02\x00' : sipRequest().slice(0, 50))
    const deaf = await peer(t, listener.port, tls !== null)
    deaf.socket.pause()
    await until(() => listener.counts.connections === 3, 'all to be connected')
    await listener.close()
    await talking.closed()
    await halfOpen.closed()
    assert.equal(listener.counts.connections, 0)
  }
})
