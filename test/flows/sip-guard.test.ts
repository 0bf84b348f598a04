// Who gets no response, and what callers get when there are too many, over connections, however their requests are
// split.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually } from '../harness.js'
import { privateFolder } from '../peers/peer-process.js'
import { DatagramCaller, inviteText, statusOf } from '../peers/sip/datagram-caller.js'
import { caller, shedCaller } from '../peers/sip/scenario.js'
import { hasSipp, NO_SIPP, runSipp, startSipp } from '../peers/sip/sipp.js'
import { TARGET, voiceService } from '../peers/sip/voice-service.js'
import { selfSigned } from '../self-signed.js'
import { until } from '../until.js'

const STRANGER = '127.0.0.2'

test('a caller from an address outside the trunks gets no response', async (t) => {
  if (!hasSipp) return t.skip(NO_SIPP)
  const { port, buy } = await voiceService(t)
  const uri = `sip:${await buy(TARGET)}@ours.test`
  const scenario = caller([{ uri, status: 302 }])
  await runSipp(t, { scenario, port })
  const options = { scenario, port, address: STRANGER, args: ['-recv_timeout', '1000'] }
  const heard = await (await startSipp(t, options)).ended()
  assert.deepEqual([heard.passed, heard.failed, heard.received], [0, 1, []])
  assert.ok(heard.sent.length > 0)

  // Anything sent to the stranger would arrive before the response to the next caller.
  const [stranger, known] = [await DatagramCaller.open(t, STRANGER), await DatagramCaller.open(t)]
  const methods = ['INVITE', 'OPTIONS', 'REGISTER', 'CANCEL', 'NONSENSE']
  for (const method of methods) {
    stranger.send(stranger.invite(uri).replaceAll('INVITE', method), port)
  }
  for (let i = 0; i < 3; i += 1) {
    assert.equal(statusOf(await known.ask(known.invite(uri), port)), 302)
  }
  assert.deepEqual(stranger.received, [])
})

test('a connection from an address outside the trunks is closed without a response, and counted', async (t) => {
  const { cert, key } = selfSigned('localhost')
  const folder = privateFolder(t)
  const files = { cert: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') }
  writeFileSync(files.cert, cert)
  writeFileSync(files.key, key)
  const { service, port, tlsPort, buy } = await voiceService(t, {
    env: {
      LONGCODE_SIP_TLS_PORT: '0',
      LONGCODE_SIP_TLS_CERT: files.cert,
      LONGCODE_SIP_TLS_KEY: files.key,
    },
  })
  const uri = `sip:${await buy(TARGET)}@ours.test`
  const messages = service.world.metrics.counter('longcode_sip_messages_total', '')
  const strangers = () =>
    ['udp', 'tcp', 'tls'].map((transport) => messages.cell(transport, 'stranger').value)
  for (const [at, connections] of [
    [port, [0, 1, 0]],
    [tlsPort, [0, 1, 1]],
  ] as const) {
    const stranger = await connect(t, at, STRANGER)
    stranger.socket.write(inviteText(uri, { via: 'TCP a.test', callId: 'stranger' }))
    await stranger.closed
    assert.equal(stranger.received(), '')
    assert.deepEqual(strangers(), connections)
  }
})

test('a caller over the limit gets 503 and Retry-After, and OPTIONS still gets 200', async (t) => {
  if (!hasSipp) return t.skip(NO_SIPP)
  const { port, buy } = await voiceService(t, { env: { LONGCODE_SIP_RATE: '1' } })
  const uri = `sip:${await buy(TARGET)}@ours.test`
  const calls = 60 // a minute's worth at once
  const load = { scenario: shedCaller(uri), port, calls, callsPerSecond: 1_000 }
  const { received } = await runSipp(t, load)
  const countOf = (status: number) => received.filter((text) => statusOf(text) === status).length
  assert.ok(countOf(302) >= 1, 'some are redirected')
  assert.ok(countOf(503) >= 1, 'some are over the limit')
  const options = { method: 'OPTIONS', uri: 'sip:ours.test', status: 200 }
  await runSipp(t, { scenario: caller([options, options, options]), port })
  const late = await DatagramCaller.open(t)
  await eventually(
    async () => statusOf(await late.ask(late.invite(uri), port)) === 302,
    'calls are accepted again',
  )
})

test('a caller on a connection may write requests all at once or byte by byte, and keep it alive', async (t) => {
  const { port, buy } = await voiceService(t)
  const [number, silent] = [await buy(TARGET), await buy(null)]
  const invite = (called: string, callId: string) =>
    inviteText(`sip:${called}@ours.test`, { via: 'TCP caller.test', callId })
  const { socket, received } = await connect(t, port, '127.0.0.1')
  socket.write(invite(number, 'a') + invite(silent, 'b') + invite('+14155550100', 'c'))
  for (const byte of invite(number, 'd')) socket.write(byte)
  const answers = await until(() => {
    const found = [...received().matchAll(/^SIP\/2\.0 (\d+) .*?^Call-ID: (\S+)/gms)]
    return found.length === 4 && found.map(([, status, callId]) => `${callId} ${status}`)
  }, 'four answers')
  assert.deepEqual(answers, ['a 302', 'b 480', 'c 404', 'd 302'])
  await until(() => received().endsWith('\r\n\r\n'), 'the end of the last response')
  const before = received().length
  socket.write('\r\n\r\n')
  await until(() => received().length > before, 'a response to the ping')
  assert.equal(received().slice(before), '\r\n')
})

async function connect(t: TestContext, port: number, localAddress: string) {
  const socket = net.connect({ port, host: '127.0.0.1', localAddress, noDelay: true })
  t.after(() => socket.destroy())
  let text = ''
  socket.setEncoding('latin1').on('data', (piece) => {
    text += piece
  })
  socket.on('error', () => {}) // a reset also counts as closed
  const closed = once(socket, 'close')
  await Promise.race([once(socket, 'connect'), closed])
  return { socket, closed, received: () => text }
}
