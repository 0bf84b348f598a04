// A service that handles phone calls: SIP redirects calls as the API configured, and the API counts them.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { BadSetting } from '../../src/kit/settings/setting-reader.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type TestService, testService } from '../harness.js'
import { readAnswer, sipRequest, TARGET } from '../sip-messages.js'

async function start(t: TestContext, port = '0'): Promise<TestService> {
  return testService(t, { roles: ['voice'], env: { LONGCODE_SIP_PORT: port } })
}

async function call(t: TestContext, { voice }: TestService, number: string, callId: string) {
  const socket = createSocket('udp4')
  t.after(() => socket.close())
  socket.send(sipRequest({ number, callId }), voice!.listening!.port, '127.0.0.1')
  const [bytes] = await once(socket, 'message')
  return readAnswer(bytes)
}

test('calls to a number go to its owner’s target and are counted', async (t) => {
  const service = await start(t)
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const { voice } = service
  await eventually(async () => voice!.forwardings.find(number) === null, 'the purchase is known')
  assert.equal((await call(t, service, number, 'not forwarded')).status, 480)
  const path = `/v1/number/${number.slice(1)}`
  await service.call('PATCH', `${path}/forwarding`, { forwardNumber: TARGET })
  await eventually(async () => voice!.forwardings.find(number) === TARGET, 'the target is known')
  const answer = await call(t, service, number, 'forwarded')
  assert.equal(answer.status, 302)
  assert.deepEqual(answer.headers.get('contact'), [`<sip:${TARGET}@127.0.0.1:5070>`])
  const counts = async () => (await service.get(`${path}/calls`)).body
  await eventually(async () => (await counts()).redirected === 1, 'the calls are counted')
  const { refused, days } = await counts()
  assert.deepEqual([refused, days.length], [1, 1])
})

test('a port in use over UDP or only over TCP is reported in one line', async (t) => {
  const tcp = createServer().listen(0, '127.0.0.1')
  t.after(() => tcp.close())
  await once(tcp, 'listening')
  const { port: tcpPort } = tcp.address() as AddressInfo
  for (const taken of [(await start(t)).voice!.listening!.port, tcpPort]) {
    await assert.rejects(
      start(t, String(taken)),
      (error: Error) =>
        error instanceof BadSetting &&
        error.message ===
          `Cannot listen for SIP on 127.0.0.1:${taken} (EADDRINUSE). Check LONGCODE_SIP_HOST, LONGCODE_SIP_PORT, and the certificate.`,
    )
  }
  const udp = createSocket('udp4')
  t.after(() => udp.close())
  await once(udp.bind(tcpPort, '127.0.0.1'), 'listening') // not left open
})

test('a process without the voice role does not listen for SIP', async (t) => {
  const service = await testService(t, { env: { LONGCODE_SIP_PORT: '0' } })
  assert.equal(service.voice, null)
})
