// Both documented Kamailio files against an unknown sender, a forged route, a node that is down, and a carrier that
// requires a password.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { freePort } from '../free-port.js'
import { DatagramCaller, headerOf, statusOf } from './sip/datagram-caller.js'
import {
  hasAskingKamailio,
  hasKamailio,
  type Kamailio,
  NO_ASKING_KAMAILIO,
  NO_KAMAILIO,
  startAskingKamailio,
  startKamailio,
} from './sip/kamailio.js'
import { callee, strictCallee, talkingCaller } from './sip/scenario.js'
import { hasSipp, NO_SIPP, runSipp, startSipp } from './sip/sipp.js'
import { TARGET, voiceService } from './sip/voice-service.js'

const OPERATOR_TOKEN = 'lco_the-token-of-the-switch'
const STRANGER = '127.0.0.2'

interface Stage {
  kamailio: Kamailio
  number: string
  calleePort: number
}

interface StageOptions {
  /** The first node is a port where nothing listens. */
  isFirstDown?: boolean
  credentials?: string
}

type StartStage = (t: TestContext, options?: StageOptions) => Promise<Stage | null>

const startRedirecting: StartStage = async (t, { isFirstDown = false, ...more } = {}) => {
  if (!hasKamailio) return null
  const calleePort = await freePort()
  const { port, buy } = await voiceService(t, { contactHost: `127.0.0.1:${calleePort}` })
  const number = await buy(TARGET)
  const longcode = `sip:127.0.0.1:${isFirstDown ? await freePort() : port}`
  const kamailio = await startKamailio(t, {
    longcode,
    longcode2: `sip:127.0.0.1:${port}`,
    calleePort,
    ...(isFirstDown && { answerMs: 1_000 }),
    ...more,
  })
  return { kamailio, number, calleePort }
}

const startAsking: StartStage = async (t, { isFirstDown = false, ...more } = {}) => {
  if (!hasAskingKamailio) return null
  const calleePort = await freePort()
  const { service, buy } = await voiceService(t, {
    contactHost: `127.0.0.1:${calleePort}`,
    env: { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN },
    isListening: false,
  })
  const number = await buy(TARGET)
  const url2 = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const url = isFirstDown ? `http://127.0.0.1:${await freePort()}` : url2
  const asker = { url, url2, token: OPERATOR_TOKEN, trunk: 'peers', ...more }
  return { kamailio: await startAskingKamailio(t, asker), number, calleePort }
}

for (const [file, start, missing] of [
  ['kamailio-redirect.cfg', startRedirecting, NO_KAMAILIO],
  ['kamailio-route.cfg', startAsking, NO_ASKING_KAMAILIO],
] as const) {
  test(`${file} relays and answers nothing for an unknown sender, and drops a forged route`, async (t) => {
    const stage = await start(t)
    if (stage === null) return t.skip(missing)
    const { kamailio, number } = stage
    const victim = await DatagramCaller.open(t)
    const stranger = await DatagramCaller.open(t, STRANGER)
    const trusted = await DatagramCaller.open(t)
    const forge = (caller: DatagramCaller, method: string) => withRoute(caller, method, victim.port)
    for (const method of ['INVITE', 'BYE', 'MESSAGE', 'ACK', 'CANCEL', 'OPTIONS', 'REGISTER']) {
      stranger.send(forge(stranger, method), kamailio.port)
      stranger.send(stranger.invite(`sip:${number}@ours.test`), kamailio.port)
    }
    // From an allowed address: a route that Kamailio did not sign is refused.
    for (const method of ['INVITE', 'BYE', 'MESSAGE']) {
      const answer = await trusted.ask(forge(trusted, method), kamailio.port)
      assert.equal(statusOf(answer), 403, method)
    }
    trusted.send(forge(trusted, 'ACK'), kamailio.port)
    // A single Kamailio process reads all datagrams in order, so this response comes after the effects of the others.
    const ping = trusted.invite('sip:ours.test').replaceAll('INVITE', 'OPTIONS')
    assert.equal(statusOf(await trusted.ask(ping, kamailio.port)), 200)
    assert.deepEqual(victim.received, [], 'nothing was relayed')
    assert.deepEqual(stranger.received, [], 'nothing was answered')
  })

  test(`calls continue with ${file} while the first node is down`, async (t) => {
    if (!hasSipp) return t.skip(NO_SIPP)
    const stage = await start(t, { isFirstDown: true })
    if (stage === null) return t.skip(missing)
    const { kamailio, number, calleePort } = stage
    const calls = 3
    const scenario = callee({})
    const target = await startSipp(t, { scenario, port: null, ownPort: calleePort, calls })
    const uri = `sip:${number}@ours.test`
    const heard = await runSipp(t, {
      scenario: talkingCaller(uri),
      port: kamailio.port,
      calls,
      callsPerSecond: 1,
    })
    assert.equal(heard.passed, calls)
    await target.result()
  })

  test(`a carrier that requires a password gets it with ${file}`, async (t) => {
    if (!hasSipp) return t.skip(NO_SIPP)
    const [user, realm, password] = ['longcode', 'carrier.test', 'a-secret']
    const stage = await start(t, { credentials: `${user}:${realm}:${password}` })
    if (stage === null) return t.skip(missing)
    const { kamailio, number, calleePort } = stage
    const scenario = strictCallee(realm, 'n0nce')
    const target = await startSipp(t, { scenario, port: null, ownPort: calleePort, calls: 1 })
    const uri = `sip:${number}@ours.test`
    await runSipp(t, { scenario: talkingCaller(uri), port: kamailio.port })
    const { received } = await target.result()
    const invites = received.filter((text) => text.startsWith('INVITE '))
    const sequences = invites.map((text) => Number.parseInt(headerOf(text, 'CSeq')!, 10))
    assert.ok(sequences.at(-1)! > sequences[0]!, 'the second INVITE has a higher CSeq')
    const header = headerOf(invites.at(-1)!, 'Proxy-Authorization')!
    const field = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(header)?.[1]
    const secret = md5(`${user}:${realm}:${password}`)
    assert.equal(field('username'), user)
    assert.equal(field('response'), md5(`${secret}:n0nce:${md5(`INVITE:${field('uri')}`)}`))
  })
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}

/** A request that claims to be part of a call and uses Route to choose where Kamailio sends it. */
function withRoute(caller: DatagramCaller, method: string, port: number): string {
  const uri = `sip:+14155550188@127.0.0.1:${port}`
  return caller
    .invite(uri)
    .replaceAll('INVITE', method)
    .replace(`To: <${uri}>`, `To: <${uri}>;tag=forged\r\nRoute: <sip:127.0.0.1:${port};lr>`)
}
