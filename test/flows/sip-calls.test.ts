// SIPp as a provider's switch: what the caller of a number gets, over UDP and TCP, and how that follows the
// number's forwarding.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { eventually } from '../harness.js'
import { DatagramCaller, headerOf, statusOf } from '../peers/sip/datagram-caller.js'
import { caller, cancelingCaller, type Step } from '../peers/sip/scenario.js'
import { hasSipp, NO_SIPP, runSipp } from '../peers/sip/sipp.js'
import { DIVERSION_HOST, OTHER_TARGET, TARGET, voiceService } from '../peers/sip/voice-service.js'
import { startWire } from '../peers/sip/wire.js'

/** What a caller expects in a redirect. */
function redirectTo(target: string, number: string): Pick<Step, 'status' | 'expect'> {
  const [to, from] = [target.slice(1), number.slice(1)]
  const ours = `<sip:[+]${from}@${DIVERSION_HOST}>`
  return {
    status: 302,
    expect: {
      Contact: `^ *<sip:[+]${to}@carrier.test>$`,
      Diversion: `^ *${ours};reason=unconditional;counter=1$`,
      'History-Info': `${ours};index=1, *<sip:[+]${to}@carrier.test;cause=302>;index=1.1;mp=1$`,
      To: ';tag=[A-Za-z0-9_-]+$',
    },
  }
}

function sip(number: string): string {
  return `sip:${number}@ours.test`
}

test('a caller of a forwarded number is redirected to its target, whatever the number format', async (t) => {
  if (!hasSipp) return t.skip(NO_SIPP)
  const { port, buy } = await voiceService(t)
  const number = await buy(TARGET)
  const ten = number.slice(2)
  const uris = [
    sip(number),
    sip(`1${ten}`),
    sip(ten),
    `${sip(number)};user=phone`,
    `sip:${ten};phone-context=+1@ours.test;user=phone`,
    `tel:${number}`,
    `tel:+1-${ten.slice(0, 3)}-${ten.slice(3, 6)}-${ten.slice(6)}`,
  ]
  const scenario = caller(uris.map((uri) => ({ uri, ...redirectTo(TARGET, number) })))
  for (const transport of ['udp', 'tcp'] as const) {
    const { received, sent } = await runSipp(t, { scenario, port, transport })
    assert.ok(received.length >= uris.length, transport)
    assert.ok(sent.filter((text) => text.startsWith('ACK')).length >= uris.length, transport)
  }
  // And as docs/calls.md shows it.
  const shown = readFileSync('docs/sipp-call.xml', 'latin1')
  await runSipp(t, { scenario: shown, port, args: ['-s', number] })
})

test('a caller who cannot be redirected gets the reason, and OPTIONS gets a response', async (t) => {
  if (!hasSipp) return t.skip(NO_SIPP)
  const { port, buy } = await voiceService(t)
  const [number, silent] = [await buy(TARGET), await buy(null)]
  const allow = { Allow: 'INVITE, ACK, CANCEL, OPTIONS, BYE' }
  const to = (uri: string, status: number, headers: string[] = []) => ({ uri, status, headers })
  const scenario = caller([
    to(sip('+14155550100'), 404),
    to(sip('+442071838750'), 404),
    to(sip(silent), 480),
    to(sip('12'), 484),
    to(sip(number), 482, [`Diversion: <sip:${TARGET}@elsewhere.test>;reason=user-busy`]),
    to(sip(number), 482, ['Diversion: <sip:a@elsewhere.test>;counter=5']),
    to(sip(number), 483, ['Max-Forwards: 0']),
    { ...to(sip(number), 420, ['Require: 100rel']), expect: { Unsupported: '^ *100rel$' } },
    to(sip(number), 400, ['Diversion: "open <sip:a@elsewhere.test>']),
    to('mailto:a@ours.test', 416),
    { ...to(sip(number), 481), method: 'BYE' },
    { ...to('sip:ours.test', 405), method: 'REGISTER', expect: allow },
    { ...to('sip:ours.test', 200), method: 'OPTIONS', expect: allow },
    // After all that, calls continue as usual.
    { uri: sip(number), ...redirectTo(TARGET, number) },
  ])
  for (const transport of ['udp', 'tcp'] as const) {
    const { received } = await runSipp(t, { scenario, port, transport })
    const contacts = received.filter((text) => /^Contact:/m.test(text))
    assert.ok(
      contacts.every((text) => text.startsWith('SIP/2.0 302')),
      'only redirects have a Contact',
    )
  }
})

test('a caller who hangs up before the response gets the redirect, and 200 for the CANCEL', async (t) => {
  if (!hasSipp) return t.skip(NO_SIPP)
  const { port, buy } = await voiceService(t)
  const number = await buy(TARGET)
  const held: (() => void)[] = []
  let isCanceled = false
  const wire = await startWire(t, port, {
    request: (message, pass) => {
      pass()
      isCanceled ||= message.startsWith('CANCEL')
      if (isCanceled) for (const passHeld of held.splice(0)) passHeld()
    },
    answer: (_, pass) => (isCanceled ? pass() : held.push(pass)),
  })
  const { received } = await runSipp(t, {
    scenario: cancelingCaller(sip(number)),
    port: wire.port,
  })
  const tags = received.map((text) => /^To: .*;tag=(\S+)/m.exec(text)![1])
  assert.equal(new Set(tags).size, 1, 'the call and its CANCEL get the same tag')
})

test('a call follows the latest forwarding, and none once the number is released', async (t) => {
  if (!hasSipp) return t.skip(NO_SIPP)
  const { service, port, buy, forward } = await voiceService(t)
  const number = await buy(TARGET)
  const watcher = await DatagramCaller.open(t)
  /** Repeats until calls get this response, because they follow a change within a second. Then SIPp calls. */
  const callUntil = async (step: Pick<Step, 'status' | 'expect'>, contact: string | null) => {
    await eventually(async () => {
      const answer = await watcher.ask(watcher.invite(sip(number)), port)
      return statusOf(answer) === step.status && headerOf(answer, 'Contact') === contact
    }, `a response ${step.status} ${contact}`)
    await runSipp(t, { scenario: caller([{ uri: sip(number), ...step }]), port })
  }
  await callUntil(redirectTo(TARGET, number), `<sip:${TARGET}@carrier.test>`)
  await forward(number, OTHER_TARGET)
  await callUntil(redirectTo(OTHER_TARGET, number), `<sip:${OTHER_TARGET}@carrier.test>`)
  await forward(number, null)
  await callUntil({ status: 480 }, null)
  await forward(number, TARGET)
  await callUntil(redirectTo(TARGET, number), `<sip:${TARGET}@carrier.test>`)
  const released = await service.call('DELETE', `/v1/number/${encodeURIComponent(number)}`)
  assert.equal(released.status, 200, JSON.stringify(released.body))
  await callUntil({ status: 404 }, null)
})
