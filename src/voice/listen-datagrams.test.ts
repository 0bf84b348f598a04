// Calls over UDP on real loopback sockets.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { type TestContext, test } from 'node:test'
import { inShort, readAnswer, sipRequest, TARGET, testAnswerer } from '../../test/sip-messages.js'
import { until } from '../../test/until.js'
import { listenDatagrams } from './listen-datagrams.js'
import type { MessageAnswerer } from './listener.js'

async function listening(t: TestContext, answerer: MessageAnswerer, host = '127.0.0.1') {
  const listener = await listenDatagrams({ host, port: 0 }, answerer)
  t.after(() => listener.close())
  return listener
}

async function caller(t: TestContext, to: number, host = '127.0.0.1') {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  const answers: Buffer[] = []
  socket.on('message', (bytes) => answers.push(bytes))
  socket.bind(0, host)
  await once(socket, 'listening')
  t.after(() => socket.close())
  return {
    answers,
    port: socket.address().port,
    send: (text: string) => socket.send(Buffer.from(text, 'latin1'), to, host),
  }
}

/** Some containers have no IPv6. */
const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)
const NO_IPV6 = hasIpv6 ? false : 'this machine has no IPv6'

for (const host of ['127.0.0.1', '::1']) {
  const skip = host === '::1' && NO_IPV6
  test(`a call over UDP to ${host} is redirected`, { skip }, async (t) => {
    const { port } = await listening(t, testAnswerer(), host)
    const one = await caller(t, port, host)
    one.send(sipRequest())
    await until(() => one.answers.length > 0, 'the answer')
    const { status, headers } = readAnswer(one.answers[0]!)
    assert.equal(status, 302)
    assert.deepEqual(headers.get('contact'), [`<sip:${TARGET}@sbc.trunk.test>`])
    assert.match(headers.get('via')![0]!, new RegExp(`;rport=${one.port};received=${host}$`))
  })
}

test('a dual-stack listener responds to an IPv4 caller', { skip: NO_IPV6 }, async (t) => {
  const { port } = await listening(t, testAnswerer(), '::')
  const one = await caller(t, port)
  one.send(sipRequest())
  await until(() => one.answers.length > 0, 'the answer')
  assert.match(readAnswer(one.answers[0]!).headers.get('via')![0]!, /;received=127\.0\.0\.1$/)
})

test('without rport the response goes to the port in the Via', async (t) => {
  const { port } = await listening(t, testAnswerer())
  const sender = await caller(t, port)
  const other = await caller(t, port)
  sender.send(
    sipRequest().replace('trunk.test:5062', `trunk.test:${other.port}`).replace(';rport', ''),
  )
  await until(() => other.answers.length > 0, 'the answer')
  assert.equal(readAnswer(other.answers[0]!).status, 302)
  assert.deepEqual(sender.answers, [])
})

test('a source that is not allowed gets no response', async (t) => {
  const answerer = testAnswerer(['127.0.0.2'])
  const { port } = await listening(t, answerer, '0.0.0.0')
  const stranger = await caller(t, port)
  const known = await caller(t, port, '127.0.0.2')
  stranger.send(sipRequest({ callId: 'stranger' }))
  stranger.send(sipRequest({ callId: 'stranger', method: 'OPTIONS' }))
  await until(() => answerer.asked === 2, 'both to be read')
  known.send(sipRequest({ callId: 'known' }))
  await until(() => known.answers.length > 0, 'the response to the other caller')
  assert.deepEqual(stranger.answers, [])
})

test('an invalid datagram gets no response, and the next call does', async (t) => {
  const { port } = await listening(t, testAnswerer())
  const one = await caller(t, port)
  for (const text of ['', '\r\n\r\n', '\0', 'SIP/2.0 200 OK\r\n\r\n', 'x'.repeat(60_000)])
    one.send(text)
  one.send(sipRequest({ method: 'ACK' }))
  one.send(sipRequest({ callId: 'last' }))
  await until(() => one.answers.length > 0, 'the answer')
  assert.deepEqual(
    one.answers.map((bytes) => inShort(readAnswer(bytes))),
    ['302 last'],
  )
})

test('responses that cannot be sent are counted, and others are sent', async (t) => {
  const good = testAnswerer()
  const answerer: MessageAnswerer = {
    shareOf: () => ({ trunk: 'test', trunks: 1 }),
    pauseMs: () => 0,
    answer(bytes, source) {
      const outcome = good.answer(bytes, source)
      if (outcome?.kind !== 'answered' || !bytes.includes('bad')) return outcome
      // No port, and more than fits in a datagram.
      return bytes.includes('bad port')
        ? { ...outcome, port: 0 }
        : { ...outcome, bytes: Buffer.alloc(70_000) }
    },
  }
  const { port, counts } = await listening(t, answerer)
  const one = await caller(t, port)
  one.send(sipRequest({ callId: 'bad port' }))
  one.send(sipRequest({ callId: 'bad length' }))
  one.send(sipRequest({ callId: 'good' }))
  await until(() => one.answers.length > 0 && counts.unsent === 2, 'the answer')
  assert.deepEqual(
    one.answers.map((bytes) => inShort(readAnswer(bytes))),
    ['302 good'],
  )
})

test('an address in use is reported', async (t) => {
  const { port } = await listening(t, testAnswerer())
  await assert.rejects(listenDatagrams({ host: '127.0.0.1', port }, testAnswerer()), {
    code: 'EADDRINUSE',
  })
})
