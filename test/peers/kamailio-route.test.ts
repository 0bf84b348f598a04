// Kamailio as the operator's own switch, set up as in docs/calls.md: it queries us over HTTP for the route of a call
// and sends the call there itself.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../free-port.js'
import { hasAskingKamailio, NO_ASKING_KAMAILIO, startAskingKamailio } from './sip/kamailio.js'
import { callee, refusedCaller, talkingCaller } from './sip/scenario.js'
import { hasSipp, NO_SIPP, runSipp, startSipp } from './sip/sipp.js'
import { DIVERSION_HOST, TARGET, voiceService } from './sip/voice-service.js'

const CALLS = 3
const OPERATOR_TOKEN = 'lco_the-token-of-the-switch'

test('a switch that queries over HTTP sends calls to the target with our Diversion, or returns our status', async (t) => {
  if (!hasSipp) return t.skip(NO_SIPP)
  if (!hasAskingKamailio) return t.skip(NO_ASKING_KAMAILIO)
  const calleePort = await freePort()
  const { service, buy, forward } = await voiceService(t, {
    contactHost: `127.0.0.1:${calleePort}`,
    env: { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN },
    isListening: false,
  })
  const [number, silent] = [await buy(TARGET), await buy(null)]
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const asker = { url, token: OPERATOR_TOKEN, trunk: 'peers' }
  const kamailio = await startAskingKamailio(t, asker)
  const target = await startSipp(t, {
    scenario: callee({
      'Request-URI': `^INVITE sip:[+]${TARGET.slice(1)}@127.0.0.1:${calleePort} `,
      Diversion: `<sip:[+]${number.slice(1)}@${DIVERSION_HOST}>;reason=unconditional`,
    }),
    port: null,
    ownPort: calleePort,
    calls: CALLS,
  })
  const said = await runSipp(t, {
    scenario: talkingCaller(`sip:${number}@ours.test`),
    port: kamailio.port,
    calls: CALLS,
  })
  const heard = await target.result()
  assert.equal(said.passed, CALLS)
  for (const method of ['INVITE', 'ACK', 'BYE']) {
    const count = heard.received.filter((text) => text.startsWith(`${method} `)).length
    assert.ok(count >= CALLS, `${count} ${method} at the callee`)
  }
  assert.match(
    heard.received[0]!,
    new RegExp(
      `^Diversion: <sip:\\${number}@${DIVERSION_HOST}>;reason=unconditional;counter=1\r?$`,
      'm',
    ),
  )

  const refuse = (uri: string, status: number, headers: readonly string[] = []) =>
    runSipp(t, { scenario: refusedCaller(uri, status, headers), port: kamailio.port })
  await refuse(`sip:${silent}@ours.test`, 480)
  await refuse('sip:+14155559999@ours.test', 404)
  await refuse('sip:12@ours.test', 484)
  // The call has already been at the target.
  await refuse(`sip:${number}@ours.test`, 482, [
    `Diversion: <sip:${TARGET}@elsewhere.test>;reason=no-answer`,
  ])
  await forward(number, null)
  await refuse(`sip:${number}@ours.test`, 480)

  const stranger = await startAskingKamailio(t, { ...asker, token: 'lco_of-nobody-at-all' })
  const scenario = refusedCaller(`sip:${number}@ours.test`, 503)
  await runSipp(t, { scenario, port: stranger.port })
})
