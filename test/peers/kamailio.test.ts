// Kamailio between a provider and us, set up as in docs/calls.md: it follows our redirect to a complete call, which is
// answered and hung up, over each transport to us.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { freePort } from '../free-port.js'
import { selfSigned } from '../self-signed.js'
import { privateFolder } from './peer-process.js'
import { hasKamailio, type KamailioSettings, NO_KAMAILIO, startKamailio } from './sip/kamailio.js'
import { callee, refusedCaller, talkingCaller } from './sip/scenario.js'
import { hasSipp, NO_SIPP, runSipp, startSipp } from './sip/sipp.js'
import { DIVERSION_HOST, TARGET, voiceService } from './sip/voice-service.js'

const CALLS = 3
const EARLIER = '<sip:+12125550111@elsewhere.test>;reason=user-busy;counter=1'

for (const transport of ['udp', 'tcp', 'tls'] as const) {
  test(`a caller behind Kamailio reaches the number’s target, with Kamailio querying us over ${transport}`, async (t) => {
    if (!hasSipp) return t.skip(NO_SIPP)
    if (!hasKamailio) return t.skip(NO_KAMAILIO)
    const calleePort = await freePort()
    const tls = transport === 'tls' ? certificateFiles(t) : null
    const { port, tlsPort, buy } = await voiceService(t, {
      contactHost: `127.0.0.1:${calleePort}`,
      env: tls ? { LONGCODE_SIP_TLS_PORT: '0', ...settingsOf(tls) } : {},
    })
    const [number, silent] = [await buy(TARGET), await buy(null)]
    const kamailio = await startKamailio(t, {
      longcode: `sip:127.0.0.1:${tls ? tlsPort : port};transport=${transport}`,
      calleePort,
      ...(tls && { tls }),
    })
    const target = await startSipp(t, {
      scenario: callee({
        'Request-URI': `^INVITE sip:[+]${TARGET.slice(1)}@127.0.0.1:${calleePort} `,
        Diversion: `^ *<sip:[+]${number.slice(1)}@${DIVERSION_HOST}>;reason=unconditional`,
      }),
      port: null,
      ownPort: calleePort,
      calls: CALLS,
    })
    const said = await runSipp(t, {
      scenario: talkingCaller(`sip:${number}@ours.test`, [`Diversion: ${EARLIER}`]),
      port: kamailio.port,
      calls: CALLS,
    })
    const heard = await target.result()
    assert.equal(said.passed, CALLS)
    for (const method of ['INVITE', 'ACK', 'BYE']) {
      const count = heard.received.filter((text) => text.startsWith(`${method} `)).length
      assert.ok(count >= CALLS, `${count} ${method} at the callee`)
    }
    const diversions = heard.received[0]!.match(/^Diversion: .*$/gm)!.map((line) => line.trimEnd())
    assert.deepEqual(diversions, [
      `Diversion: <sip:${number}@${DIVERSION_HOST}>;reason=unconditional;counter=1`,
      `Diversion: ${EARLIER}`,
    ])
    // A response that is not a redirect goes back to the caller unchanged.
    const refused = refusedCaller(`sip:${silent}@ours.test`, 480)
    await runSipp(t, { scenario: refused, port: kamailio.port })
  })
}

test('a caller behind Kamailio is only sent to the carrier, whatever the redirect contains', async (t) => {
  if (!hasSipp) return t.skip(NO_SIPP)
  if (!hasKamailio) return t.skip(NO_KAMAILIO)
  const [calleePort, otherPort] = [await freePort(), await freePort()]
  const { port, buy } = await voiceService(t, { contactHost: `127.0.0.1:${otherPort}` })
  const uri = `sip:${await buy(TARGET)}@ours.test`
  const kamailio = await startKamailio(t, { longcode: `sip:127.0.0.1:${port}`, calleePort })
  const { sent } = await runSipp(t, { scenario: refusedCaller(uri, 502), port: kamailio.port })
  assert.match(sent.at(-1)!, /^ACK /)
})

type Files = NonNullable<KamailioSettings['tls']>

/** One certificate for both ends, which trust each other. */
function certificateFiles(t: TestContext): Files {
  const folder = privateFolder(t)
  const { cert, key } = selfSigned('localhost')
  const files = { cert: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') }
  writeFileSync(files.cert, cert)
  writeFileSync(files.key, key)
  return { ...files, ca: files.cert }
}

function settingsOf({ cert, key }: Files): Record<string, string> {
  return { LONGCODE_SIP_TLS_CERT: cert, LONGCODE_SIP_TLS_KEY: key }
}
