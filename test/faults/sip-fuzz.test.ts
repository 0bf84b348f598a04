// Invalid SIP over UDP, TCP, and TLS on real sockets: every response has its five headers, valid calls get a response
// at the same time, connections are closed in time, and memory does not grow.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import fc from 'fast-check'
import { MessageSplitter } from '../../src/sip/message/message-splitter.js'
import { listenDatagrams } from '../../src/voice/listen-datagrams.js'
import { listenStreams } from '../../src/voice/listen-streams.js'
import { selfSigned } from '../self-signed.js'
import { inShort, readAnswer, sipRequest, testAnswerer } from '../sip-messages.js'
import { until } from '../until.js'
import { withoutGrowth } from './without-growth.js'

const SEED = 17
const HOST = '127.0.0.1'
/** Allowed memory growth over some thousand messages. */
const GROWTH_MAX_BYTES = 16 * 1024 * 1024

/** Valid requests with pieces removed and inserted, random headers, and noise. */
const anyMessage = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom('INVITE', 'INVITE', 'CANCEL', 'OPTIONS', 'BYE', 'ACK', 'REGISTER'),
        fc.array(
          fc.tuple(
            fc.double({ min: 0, max: 0.999, noNaN: true }),
            fc.nat(12),
            fc.oneof(
              fc.constantFrom(
                '\r\n',
                '\r\n\r\n',
                ' ',
                ';',
                ',',
                '"',
                '<',
                '>',
                '@',
                '%',
                ':',
                '\0',
              ),
              fc.string({ unit: 'binary-ascii', maxLength: 8 }),
            ),
          ),
          { maxLength: 3 },
        ),
      )
      .map(([method, changes]) => {
        const more = ['Diversion: "a" <sip:+12125550111@a.test>;counter=1', 'Supported: timer']
        return changes.reduce((text, [where, gone, piece]) => {
          const at = Math.floor(where * text.length)
          return `${text.slice(0, at)}${piece}${text.slice(at + gone)}`
        }, sipRequest({ method, more }))
      }),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.string({ unit: 'binary-ascii', maxLength: 60 }), { maxLength: 8 })
      .map((lines) => `INVITE sip:a@b SIP/2.0\r\n${lines.join('\r\n')}\r\n\r\n`),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 300 }) },
)
const bytesOf = (text: string) => Buffer.from(text, 'latin1')

test('any datagrams get complete responses or none, and the next valid call gets its response', async (t) => {
  const listener = await listenDatagrams({ host: HOST, port: 0 }, testAnswerer())
  t.after(() => listener.close())
  const socket = createSocket('udp4')
  t.after(() => socket.close())
  socket.bind(0, HOST)
  await once(socket, 'listening')
  const seen = { answers: 0, honest: '' }
  socket.on('message', (bytes) => {
    const answer = readAnswer(bytes)
    seen.answers += 1
    if (inShort(answer).startsWith('302 honest')) seen.honest = inShort(answer)
  })
  // Responses come back to this socket if the Via was not changed.
  const via = `trunk.test:${socket.address().port}`
  const datagrams = fc
    .sample(anyMessage, { numRuns: 3_000, seed: SEED })
    .map((text) => bytesOf(text.replace('trunk.test:5062', via)))
  const rounds = 120
  await withoutGrowth(t, { rounds, bytesMax: GROWTH_MAX_BYTES }, async (round) => {
    const honest = `honest-${round}`
    for (let i = 0; i < 100; i++) {
      socket.send(datagrams[(round * 100 + i) % datagrams.length]!, listener.port, HOST)
    }
    // A datagram may be lost even on this machine, so the request is repeated, as callers do.
    await until(() => {
      if (seen.honest === `302 ${honest}`) return true
      socket.send(bytesOf(sipRequest({ callId: honest })), listener.port, HOST)
      return false
    }, 'the response to the valid call')
  })
  t.diagnostic(`${rounds * 100} datagrams, ${seen.answers} responses`)
  assert.ok(seen.answers > rounds * 10, `only ${seen.answers} responses`)
})

for (const transport of ['TCP', 'TLS']) {
  test(`any bytes over ${transport} get complete responses or a closed connection, and other connections are not affected`, async (t) => {
    const tls = transport === 'TLS' ? selfSigned('voice.test') : null
    const listener = await listenStreams(
      { host: HOST, port: 0, tls, connectionsMax: 40, connectionsPerSourceMax: 40 },
      testAnswerer(),
    )
    t.after(() => listener.close())
    const open = (): Socket => {
      const where = { host: HOST, port: listener.port }
      const socket = tls
        ? connectTls({ ...where, ca: tls.cert, servername: 'voice.test' })
        : connect(where)
      t.after(() => socket.destroy())
      return socket.on('error', () => {})
    }
    const honest = open()
    const answers: string[] = []
    const splitter = new MessageSplitter(
      (bytes) => answers.push(inShort(readAnswer(bytes))),
      () => {},
    )
    honest.on('data', (chunk: Buffer) => splitter.push(chunk))
    const ends = { closed: 0, left: 0 }
    const sessions = fc.sample(fc.array(anyMessage, { minLength: 1, maxLength: 12 }), {
      numRuns: 240,
      seed: SEED,
    })
    await withoutGrowth(t, { rounds: 12, bytesMax: GROWTH_MAX_BYTES }, async (round) => {
      const some = sessions.slice(round * 20, round * 20 + 20)
      const attacks = some.map((texts, i) => attack(open(), texts, i % 3 === 0))
      honest.write(bytesOf(sipRequest({ callId: `honest-${round}` })))
      await until(() => answers.at(-1) === `302 honest-${round}`, 'the response to the valid call')
      for (const end of await Promise.all(attacks)) ends[end] += 1
      await until(() => listener.counts.connections === 1, 'the other connections to close')
    })
    t.diagnostic(JSON.stringify({ ...ends, cut: listener.counts.cut }))
    assert.ok(listener.counts.cut > 100, `only ${listener.counts.cut} were closed`)
  })
}

/** Writes the texts, in pieces or at once, and reads every response. */
async function attack(
  socket: Socket,
  texts: readonly string[],
  inPieces: boolean,
): Promise<'closed' | 'left'> {
  const splitter = new MessageSplitter(
    (bytes) => void readAnswer(bytes),
    () => {},
  )
  let isEnded = false
  socket.on('data', (chunk: Buffer) => splitter.push(chunk))
  socket.on('end', () => {
    isEnded = true
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const bytes = bytesOf(texts.join(''))
  for (let at = 0; at < bytes.length && !isEnded; ) {
    const next = inPieces ? at + 97 : bytes.length
    socket.write(bytes.subarray(at, next))
    at = next
    await new Promise(setImmediate)
  }
  // If the server does not close the connection, the client does, after the server had time to read everything.
  const answered = new Promise<'left'>((resolve) => {
    setTimeout(() => resolve('left'), 100)
  })
  const end = await Promise.race([closed.then(() => 'closed' as const), answered])
  socket.end()
  await closed
  return end
}
