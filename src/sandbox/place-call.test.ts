// What a caller in the sandbox hears, from the real call handling.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerMessage } from '../sip/answer/answer-message.js'
import { LoadShedder } from '../sip/answer/load-shedder.js'
import { NO_TRUNK_LIMITS, type TrunkSettings } from '../sip/answer/trunk.js'
import { ANY_FORM } from '../sip/forwarding/number-forms.js'
import { parseMessage } from '../sip/message/parse-message.js'
import { type CallAnswerer, placeCall } from './place-call.js'

const FROM = '+12125550100'
const TRUNK: TrunkSettings = {
  name: 'sandbox',
  sources: ['127.0.0.1'],
  contactHost: '127.0.0.1',
  contactTransport: null,
  diversionHost: '127.0.0.1',
  isDiversionEmbedded: true,
  numberForms: { ...ANY_FORM, written: 'national' },
  limits: NO_TRUNK_LIMITS,
}
const NUMBERS: Record<string, string | null> = {
  '+14155550123': '+14155550188',
  '+14155550124': null,
  '+14155550125': '+14155550125',
  '+14155550126': '+18765551234',
  '+14155550127': '+19005551234',
  '+14155550131': '+14155550132',
  '+14155550132': '+14155550131',
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((i) => [`+1415555014${i}`, `+1415555014${i + 1}`])),
}

function answering(shedder: LoadShedder | null = null): CallAnswerer {
  const settings = {
    find: (number: string) => NUMBERS[number],
    policy: { allowsCaribbean: false },
    key: 'a key of all nodes',
    shedder,
    limiter: null,
  }
  return {
    answerFor: (trunk, bytes, source) => answerMessage(bytes, source, trunk, settings, 0),
  }
}

test('a call arrives in the trunk’s number format and is valid', () => {
  const forms = [
    [ANY_FORM, '+14155550123'],
    [{ ...ANY_FORM, prefix: '9#', called: ['national' as const] }, '9#4155550123'],
  ] as const
  for (const [numberForms, written] of forms) {
    const call = { from: FROM, to: '+14155550123' }
    const placed = placeCall(call, answering(), { ...TRUNK, numberForms })
    const request = parseMessage(Buffer.from(placed.request))
    assert.ok(request.kind === 'request')
    assert.equal(request.fault, null)
    assert.deepEqual([request.method, request.uri?.user], ['INVITE', written])
    assert.match(request.from, /^<sip:\+12125550100@127\.0\.0\.1>;tag=[0-9a-f]{8}$/)
    assert.equal(placed.status, 302)
  }
})

test('a redirected caller sees the target, whatever format the trunk uses', () => {
  const placed = placeCall({ from: FROM, to: '+14155550123' }, answering(), TRUNK)
  const { status, reason, forwardedTo, heard, request, response } = placed
  assert.deepEqual([status, reason], [302, 'Moved Temporarily'])
  assert.equal(forwardedTo, '+14155550188')
  assert.equal(heard, 'The caller is redirected to +14155550188.')
  assert.match(request, /^INVITE /)
  assert.match(response, /^SIP\/2\.0 302 Moved Temporarily\r\n/)
  assert.match(response, /\r\nContact: <sip:4155550188@127\.0\.0\.1\?Diversion=/)
  const again = placeCall({ from: FROM, to: '+14155550123' }, answering(), TRUNK)
  assert.notEqual(again.request, request, 'each call is separate')
})

test('a refused caller hears why, in a sentence', () => {
  for (const [to, status, heard] of [
    ['+14155550199', 404, 'the number does not exist: no account owns it'],
    ['+14155550124', 480, 'the number is unavailable: its calls are not forwarded'],
    [
      '+14155550126',
      480,
      'the number is unavailable: it is forwarded to a Caribbean number, which this service does not allow',
    ],
    [
      '+14155550127',
      480,
      'the number is unavailable: it is forwarded to a premium number, which is not allowed',
    ],
    ['+14155550125', 482, 'the call loops: the number is forwarded to itself'],
    ['+14155550131', 482, 'the call loops: its forwarding leads back to it'],
    ['+14155550141', 482, 'the call is forwarded too many times (maximum 5)'],
  ] as const) {
    const placed = placeCall({ from: FROM, to }, answering(), TRUNK)
    assert.equal(placed.status, status, to)
    assert.equal(placed.heard, `The caller hears that ${heard}.`)
    assert.equal(placed.forwardedTo, null)
  }
})

test('a caller over the limit hears to try again, and other statuses have no sentence', () => {
  const call = { from: FROM, to: '+14155550123' }
  const busy = answering(new LoadShedder(1, 1))
  placeCall(call, busy, TRUNK)
  const shed = placeCall(call, busy, TRUNK)
  assert.deepEqual([shed.status, shed.forwardedTo], [503, null])
  assert.match(shed.heard, /^The caller hears that the service has too many calls right now/)
  const none = { ...TRUNK, numberForms: { ...ANY_FORM, called: [] } }
  assert.equal(
    placeCall(call, answering(), none).heard,
    'The caller receives 484 Address Incomplete.',
  )
})
