// Responses to a trunk: complete redirects, refusals, and no response where none is due.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_POLICY } from '../forwarding/forwarding-policy.js'
import { ANY_FORM } from '../forwarding/number-forms.js'
import { parseMessage, type SipResponse } from '../message/parse-message.js'
import type { Source } from '../message/via.js'
import { type AnswerSettings, answerMessage, type SipAnswer } from './answer-message.js'
import { LoadShedder } from './load-shedder.js'
import {
  canonicalNetwork,
  isHostPort,
  NO_TRUNK_LIMITS,
  TrunkFinder,
  type TrunkSettings,
} from './trunk.js'

const TRUNK: TrunkSettings = {
  name: 'main',
  sources: ['192.0.2.0/24', '198.51.100.7', '2001:db8::/32'],
  contactHost: 'sbc.trunk.test:5070',
  contactTransport: null,
  diversionHost: 'voice.ours.test',
  isDiversionEmbedded: false,
  numberForms: ANY_FORM,
  limits: NO_TRUNK_LIMITS,
}

const NUMBERS: Record<string, string | null> = {
  '+14155550123': '+14155550188',
  '+14155550124': null,
  '+14155550125': '+14155550125',
  '+14155550126': '+18765551234',
}

const SETTINGS: AnswerSettings = {
  find: (number) => NUMBERS[number],
  policy: DEFAULT_POLICY,
  key: 'a key of all nodes',
  shedder: null,
  limiter: null,
}

const SOURCE: Source = { transport: 'udp', address: '192.0.2.7', port: 40_000 }

function request(method: string, uri: string, more: readonly string[] = [], to = ''): Buffer {
  return Buffer.from(
    [
      `${method} ${uri} SIP/2.0`,
      'Via: SIP/2.0/UDP proxy.test:5062;branch=z9hG4bK2;rport, SIP/2.0/UDP first.test;branch=z9hG4bK1',
      'From: "J\xc3\xb6rg" <sip:+12125550100@trunk.test>;tag=a',
      `To: <sip:+14155550123@ours.test>${to}`,
      'Call-ID: 1@trunk.test',
      `CSeq: 7 ${method}`,
      ...more,
      'Content-Length: 0',
      '\r\n',
    ].join('\r\n'),
    'latin1',
  )
}

function ask(
  bytes: Buffer,
  trunk = TRUNK,
  settings = SETTINGS,
): SipAnswer & { response: SipResponse } {
  const outcome = answerMessage(bytes, SOURCE, trunk, settings, 0)
  assert.equal(outcome.kind, 'answered', JSON.stringify(outcome))
  const answered = outcome as SipAnswer
  return { ...answered, response: parseMessage(answered.bytes) as SipResponse }
}

function invite(number: string, more: readonly string[] = []): Buffer {
  return request('INVITE', `sip:${number}@ours.test`, more)
}

test('a call to a forwarded number is redirected to its target', () => {
  const { bytes, port, number, target, status } = ask(invite('+14155550123'))
  assert.deepEqual([status, port, number, target], [302, 40_000, '+14155550123', '+14155550188'])
  const [text, tag] = [
    bytes.toString('latin1'),
    /^To: .*;tag=(\S+)\r$/m.exec(bytes.toString('latin1'))?.[1],
  ]
  assert.match(tag!, /^[\w-]{16}$/)
  assert.deepEqual(text.split('\r\n'), [
    'SIP/2.0 302 Moved Temporarily',
    'Via: SIP/2.0/UDP proxy.test:5062;branch=z9hG4bK2;rport=40000;received=192.0.2.7',
    'Via: SIP/2.0/UDP first.test;branch=z9hG4bK1',
    'From: "J\xc3\xb6rg" <sip:+12125550100@trunk.test>;tag=a',
    `To: <sip:+14155550123@ours.test>;tag=${tag}`,
    'Call-ID: 1@trunk.test',
    'CSeq: 7 INVITE',
    'Contact: <sip:+14155550188@sbc.trunk.test:5070>',
    'Diversion: <sip:+14155550123@voice.ours.test>;reason=unconditional;counter=1',
    'History-Info: <sip:+14155550123@voice.ours.test>;index=1, <sip:+14155550188@sbc.trunk.test:5070;cause=302>;index=1.1;mp=1',
    'Content-Length: 0',
    '',
    '',
  ])
})

test('a Contact is a sip: address whatever the caller wrote', () => {
  for (const uri of [
    'sips:4155550123@ours.test',
    'tel:+1-415-555-0123',
    'sip:14155550123@ours.test',
  ]) {
    const { response } = ask(request('INVITE', uri))
    assert.deepEqual(
      response.headers.get('contact'),
      ['<sip:+14155550188@sbc.trunk.test:5070>'],
      uri,
    )
  }
})

test('a trunk gets its number format, its transport and, if configured, an embedded Diversion', () => {
  const { response } = ask(invite('+14155550123'), {
    ...TRUNK,
    contactTransport: 'tls',
    isDiversionEmbedded: true,
    numberForms: { ...ANY_FORM, written: 'country' },
  })
  assert.deepEqual(response.headers.get('contact'), [
    '<sip:14155550188@sbc.trunk.test:5070;transport=tls?Diversion=%3Csip%3A14155550123%40voice.ours.test%3E%3Breason%3Dunconditional%3Bcounter%3D1>',
  ])
})

test('earlier forwardings are kept below ours', () => {
  const earlier = '"A, B" <sip:+12125550111@a.test>;reason=user-busy;counter=2'
  const { response } = ask(
    invite('+14155550123', [
      `Diversion: ${earlier}`,
      'History-Info: <sip:+12125550111@a.test>;index=1, <sip:4155550123@ours.test;cause=486>;index=1.1;mp=1',
    ]),
  )
  assert.equal(response.status, 302)
  assert.deepEqual(response.headers.get('diversion'), [
    '<sip:+14155550123@voice.ours.test>;reason=unconditional;counter=1',
    earlier,
  ])
  assert.match(
    response.headers.get('history-info')![0]!,
    /index=1\.1;mp=1, <sip:\+14155550188@sbc\.trunk\.test:5070;cause=302>;index=1\.1\.1;mp=1\.1$/,
  )
})

test('four earlier forwardings, or an invalid counter, do not stop a call', () => {
  const statusWith = (more: string) => ask(invite('+14155550123', [more])).status
  assert.equal(statusWith('Diversion: <sip:a@a.test>;counter=4'), 302)
  assert.equal(statusWith('Diversion: <sip:a@a.test>;counter=-1'), 302)
})

test('a call that is not forwarded is refused with the correct status', () => {
  const cases: [Buffer, number, RegExp?][] = [
    [invite('+14155550199'), 404],
    [invite('+442071838750'), 404],
    [invite('+14155550124'), 480],
    [invite('+14155550126'), 480],
    [invite('+14155550125'), 482],
    [invite('12'), 484],
    [invite('alice'), 484],
    [invite('+14155550123', ['Max-Forwards: 0']), 483],
    [invite('+14155550123', ['Diversion: <sip:14155550188@a.test>']), 482],
    [invite('+14155550123', ['History-Info: <tel:+1-415-555-0188>;index=1']), 482],
    [invite('+14155550123', ['Diversion: <sip:a@a.test>;counter=5']), 482],
    [invite('+14155550123', ['Diversion: <sip:a@a.test>;counter=99999999999999999999']), 482],
    [invite('+14155550123', Array(5).fill('Diversion: <sip:a@a.test>')), 482],
    [
      invite('+14155550123', [
        'History-Info: <sip:a@a.test;cause=302>'.concat(', <sip:b@a.test>;mp=1'.repeat(4)),
      ]),
      482,
    ],
    [invite('+14155550123', ['Diversion: "open <sip:a@a.test>']), 400],
    [invite('+14155550123', ['Require: 100rel, timer']), 420, /\r\nUnsupported: 100rel, timer\r\n/],
    [request('INVITE', 'mailto:a@b.test'), 416],
    [request('INVITE', 'sip:+14155550123@ours.test', [], ';tag=old'), 481],
    [request('REGISTER', 'sip:ours.test'), 405, /\r\nAllow: INVITE, ACK, CANCEL, OPTIONS, BYE\r\n/],
    [request('BYE', 'sip:+14155550123@ours.test', [], ';tag=old'), 481],
    [request('BYE', 'sip:+14155550123@ours.test'), 481],
    [request('OPTIONS', 'sip:ours.test', ['Max-Forwards: 0']), 200, /\r\nAllow: /],
    [request('CANCEL', 'sip:+14155550123@ours.test'), 200],
    [request('INVITE', 'sip:4155550123@ours.test', ['Content-Length: 5']), 400],
  ]
  for (const [bytes, status, more] of cases) {
    const { response, target } = ask(bytes)
    assert.equal(response.status, status, bytes.toString())
    assert.equal(target, null)
    assert.equal(response.headers.has('contact'), false)
    if (more) assert.match(ask(bytes).bytes.toString('latin1'), more)
  }
})

test('a To header with a tag keeps it', () => {
  const { response } = ask(request('BYE', 'sip:a@ours.test', [], ';tag=old'))
  assert.deepEqual(response.headers.get('to'), ['<sip:+14155550123@ours.test>;tag=old'])
})

test('ACK, responses, pings, and garbage get no response', () => {
  const kindOf = (bytes: Buffer) => answerMessage(bytes, SOURCE, TRUNK, SETTINGS, 0).kind
  assert.equal(kindOf(request('ACK', 'sip:+14155550123@ours.test')), 'ignored')
  assert.equal(kindOf(request('ACK', 'not an address')), 'ignored')
  assert.equal(kindOf(Buffer.from('SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP a\r\n\r\n')), 'ignored')
  assert.equal(kindOf(Buffer.from('\r\n\r\n')), 'ping')
  assert.equal(kindOf(Buffer.from('GET / HTTP/1.1\r\n\r\n')), 'nonsense')
})

test('every node gives the same response to a request, and the same tag to its CANCEL', () => {
  const other: AnswerSettings = { ...SETTINGS }
  const tagOf = (bytes: Buffer, settings = SETTINGS) =>
    ask(bytes, TRUNK, settings).response.headers.get('to')![0]!.split(';tag=')[1]
  const call = invite('+14155550123')
  assert.ok(ask(call).bytes.equals(ask(call, TRUNK, other).bytes))
  assert.equal(tagOf(call), tagOf(request('CANCEL', 'sip:+14155550123@ours.test')))
  assert.notEqual(tagOf(call), tagOf(call, { ...SETTINGS, key: 'a key of others' }))
  const another = Buffer.from(call.toString('latin1').replace('z9hG4bK2', 'z9hG4bK3'), 'latin1')
  assert.notEqual(tagOf(call), tagOf(another))
})

test('calls over the limit get 503 with Retry-After, while OPTIONS and CANCEL still get responses', () => {
  const settings = { ...SETTINGS, shedder: new LoadShedder(2, 7), find: SETTINGS.find }
  const statusAt = (bytes: Buffer, nowMs: number) => {
    const outcome = answerMessage(bytes, SOURCE, TRUNK, settings, nowMs)
    return outcome.kind === 'answered' ? outcome.status : null
  }
  const call = invite('+14155550123')
  assert.deepEqual(
    [0, 0, 0, 400, 600, 600].map((at) => statusAt(call, at)),
    [302, 302, 503, 503, 302, 503],
  )
  assert.equal(statusAt(request('OPTIONS', 'sip:ours.test'), 600), 200)
  assert.equal(statusAt(request('CANCEL', 'sip:ours.test'), 600), 200)
  const { response } = ask(call, TRUNK, { ...settings, find: () => assert.fail('looked up') })
  assert.deepEqual(response.headers.get('retry-after'), ['7'])
})

test('a source belongs to the trunk with its most specific network, or to none', () => {
  const exact = { ...TRUNK, name: 'exact', sources: ['192.0.2.9/32'] }
  const finder = new TrunkFinder([TRUNK, exact, { ...TRUNK, name: 'nobody', sources: [] }])
  const nameOf = (address: string) => finder.find(address)?.name ?? null
  assert.equal(nameOf('192.0.2.7'), 'main')
  assert.equal(nameOf('192.0.2.9'), 'exact')
  assert.equal(nameOf('::ffff:192.0.2.9'), 'exact')
  assert.equal(nameOf('198.51.100.7'), 'main')
  assert.equal(nameOf('2001:db8:1::2'), 'main')
  for (const address of ['198.51.100.8', '2001:db9::1', 'sbc.test', ''])
    assert.equal(nameOf(address), null)
  for (let i = 0; i < 30_000; i++) finder.find(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`)
  assert.equal(nameOf('192.0.2.9'), 'exact')
})

test('valid and invalid sources and hosts of a trunk are distinguished', () => {
  assert.deepEqual(canonicalNetwork('192.0.2.9/24'), { network: '192.0.2.0/24', bits: 24 })
  assert.deepEqual(canonicalNetwork('192.0.2.9'), { network: '192.0.2.9/32', bits: 32 })
  assert.deepEqual(canonicalNetwork('2001:DB8:0::1/32'), { network: '2001:db8::/32', bits: 32 })
  for (const source of ['192.0.2.0/33', '192.0.2.0/', 'sbc.test', '', '192.0.2/24', '::/129'])
    assert.equal(canonicalNetwork(source), null, source)
  for (const host of ['a.test', 'a.test:5060', '192.0.2.1', '[2001:db8::1]:5060'])
    assert.equal(isHostPort(host), true, host)
  for (const host of ['a.test>\r\nX: y', 'a.test : 5', 'sip:a.test', 'a.test:0', '2001:db8::1', ''])
    assert.equal(isHostPort(host), false, host)
})
