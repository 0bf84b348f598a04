// Messages from chunks: any split gives the same messages, single bytes take linear time, pings are found between
// messages, and invalid data ends the stream with a reason.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MessageSplitter } from './message-splitter.js'

function messageOf(body: string, header = 'Content-Length'): Buffer {
  return Buffer.from(
    `OPTIONS sip:a@b.test SIP/2.0\r\nX: y\r\n${header}: ${body.length}\r\n\r\n${body}`,
  )
}

function splitAll(chunks: readonly Buffer[]) {
  const messages: string[] = []
  let pings = 0
  const splitter = new MessageSplitter(
    (bytes) => messages.push(bytes.toString('latin1')),
    () => {
      pings += 1
    },
  )
  let problem: string | null = null
  for (const chunk of chunks) problem ??= splitter.push(chunk)
  return { messages, pings, problem, isMidMessage: splitter.isMidMessage }
}

function singles(bytes: Buffer): Buffer[] {
  return Array.from(bytes, (byte) => Buffer.from([byte]))
}

test('the messages are the same however the bytes are split', () => {
  const bodies = fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1, maxLength: 6 })
  const cuts = fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 40 })
  fc.assert(
    fc.property(bodies, cuts, (bodies, cuts) => {
      const sent = bodies.map((length, i) =>
        messageOf('\r\n\r\n'.repeat(length).slice(0, length), i % 2 ? 'l' : undefined),
      )
      const all = Buffer.concat(sent.flatMap((message) => [message, Buffer.from('\r\n')]))
      const chunks: Buffer[] = []
      let at = 0
      for (const cut of cuts) {
        chunks.push(all.subarray(at, at + cut))
        at += cut
      }
      chunks.push(all.subarray(Math.min(at, all.length)))
      const { messages, problem, isMidMessage } = splitAll(chunks)
      assert.deepEqual(
        messages,
        sent.map((message) => message.toString('latin1')),
      )
      assert.deepEqual([problem, isMidMessage], [null, false])
    }),
    { numRuns: 200 },
  )
})

test('single bytes give the same messages', () => {
  const one = messageOf('x'.repeat(3000))
  const { messages, problem } = splitAll(Array(20).fill(singles(one)).flat())
  assert.equal(problem, null)
  assert.deepEqual(messages, Array(20).fill(one.toString()))
})

test('two empty lines are a ping, one is ignored, and many in a chunk are one ping', () => {
  assert.equal(splitAll([Buffer.from('\r\n\r\n')]).pings, 1)
  assert.equal(splitAll(singles(Buffer.from('\r\n\r\n'))).pings, 1)
  assert.equal(splitAll([Buffer.from('\r\n'), messageOf(''), Buffer.from('\r\n')]).pings, 0)
  assert.equal(splitAll([Buffer.from('\r\n'.repeat(1000))]).pings, 1)
})

test('a message without a Content-Length ends with its headers', () => {
  const bare = Buffer.from('ACK sip:a@b.test SIP/2.0\r\nX: y\r\n\r\n')
  assert.equal(splitAll([bare, bare]).messages.length, 2)
})

test('invalid data ends the stream after the messages before it', () => {
  const bad: [string, RegExp][] = [
    ['A b SIP/2.0\r\nContent-Length: 99999999\r\n\r\n', /too long/],
    ['A b SIP/2.0\r\nContent-Length: 99999999999999999999\r\n\r\n', /not a number/],
    ['A b SIP/2.0\r\nContent-Length: -1\r\n\r\n', /not a number/],
    ['A b SIP/2.0\r\nContent-Length: 1\r\nl: 2\r\n\r\n', /two/],
    [`A b SIP/2.0\r\n${'X: y\r\n'.repeat(300)}\r\n`, /more than 256 lines/],
    [`A b SIP/2.0\r\n${'X'.repeat(9000)}: y\r\n\r\n`, /longer than 8192/],
    ['x'.repeat(40_000), /longer than 32768/],
    ['GET / HTTP/1.1\nHost: a\n\r\n\r\n', /lone/],
  ]
  for (const [text, expected] of bad) {
    const bytes = Buffer.concat([messageOf('hello'), Buffer.from(text), messageOf('')])
    for (const chunks of [[bytes], singles(bytes)]) {
      const { messages, problem } = splitAll(chunks)
      assert.equal(messages.length, 1, text.slice(0, 50))
      assert.match(problem!, expected)
    }
  }
})

test('an unfinished message is reported', () => {
  assert.equal(splitAll([messageOf('hello').subarray(0, 3)]).isMidMessage, true)
  assert.equal(splitAll([messageOf('hello').subarray(0, -1)]).isMidMessage, true)
  assert.equal(splitAll([]).isMidMessage, false)
})
