// URIs in the formats of trunks, and where the response to a request goes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readNameAddress } from './name-address.js'
import { readUri } from './uri.js'
import { readVia, replyPort, type Source, withSource } from './via.js'

test('users, hosts, ports, and parameters are parsed in all forms', () => {
  const cases: [string, string | null, string, number | null][] = [
    ['sip:+14155550123@h.test', '+14155550123', 'h.test', null],
    ['SIPS:+1-415@h.test:5061;transport=tls', '+1-415', 'h.test', 5061],
    ['sip:%2B1415@[2001:db8::1]:5070', '+1415', '[2001:db8::1]', 5070],
    ['sip:a;par=u%40example.net@h.test', 'a', 'h.test', null],
    ['sip:user:pass@10.0.0.1?Subject=x', 'user', '10.0.0.1', null],
    ['sip:h.test;lr', null, 'h.test', null],
    ['tel:+1-(415)-555-0123;ext=5', '+1-(415)-555-0123', '', null],
    ['mailto:a@b', null, '', null],
  ]
  for (const [text, user, host, port] of cases) {
    const uri = readUri(text)
    assert.deepEqual([uri?.user, uri?.host, uri?.port], [user, host, port], text)
  }
})

test('parameters of the number and of the URI are separated', () => {
  const uri = readUri('sip:+14155550123;npdi;rn=+14155550000@h.test;user=phone')
  assert.deepEqual(
    [...(uri?.userParameters ?? [])],
    [
      ['npdi', ''],
      ['rn', '+14155550000'],
    ],
  )
  assert.deepEqual([...(uri?.parameters ?? [])], [['user', 'phone']])
  assert.equal(readUri('sip:1@h.test;x="a;b"'), null, 'quotes are not allowed in a URI')
})

test('invalid URIs are null', () => {
  for (const text of [
    '',
    'sip:',
    ':a@b',
    '+1415',
    'sip:a@',
    'sip:a@h:0',
    'sip:a@[::1',
    'sip:a b@h',
  ])
    assert.equal(readUri(text), null, text)
  for (const text of ['', '<>', '<sip:a', '"x <sip:a>', '"x" sip:a', '"x" y <sip:a>', '<sip:a> b'])
    assert.equal(readNameAddress(text), null, text)
})

test('parameters after a bare URI belong to the header', () => {
  assert.equal(readNameAddress('sip:a@b;tag=1')?.parameters.get('tag'), '1')
  assert.equal(readNameAddress('<sip:a@b;tag=1>')?.parameters.has('tag'), false)
  assert.equal(readNameAddress('"a>b\\"" <sip:a@b> ; TAG = 2')?.parameters.get('tag'), '2')
})

test('a parameter loses its quotes only if they enclose all of it', () => {
  const parameterOf = (text: string) => readNameAddress(`<sip:a@b>;x=${text}`)?.parameters.get('x')
  const cases = [
    ['"a;b"', 'a;b'],
    ['"a\\"b"', 'a"b'],
    ['""', ''],
    ['a"b"', 'a"b"'],
    ['"a"b', '"a"b'],
    ['a', 'a'],
  ] as const
  for (const [text, value] of cases) assert.equal(parameterOf(text), value, text)
})

const SOURCE: Source = { transport: 'udp', address: '192.0.2.7', port: 40_000 }

test('a response contains the source address, and goes to the source port only if rport requests it', () => {
  const cases: [string, string, number][] = [
    ['SIP/2.0/UDP h.test;branch=1', 'SIP/2.0/UDP h.test;branch=1;received=192.0.2.7', 5060],
    ['SIP/2.0/UDP 192.0.2.7:5070;branch=1', 'SIP/2.0/UDP 192.0.2.7:5070;branch=1', 5070],
    [
      'SIP/2.0/UDP 192.0.2.7;rport;branch=1',
      'SIP/2.0/UDP 192.0.2.7;rport=40000;branch=1;received=192.0.2.7',
      40_000,
    ],
    [
      'SIP/2.0/UDP h.test:1;received=203.0.113.9;RPORT = 9;maddr=203.0.113.9',
      'SIP/2.0/UDP h.test:1;rport=40000;maddr=203.0.113.9;received=192.0.2.7',
      40_000,
    ],
  ]
  for (const [text, written, port] of cases) {
    const via = readVia(text)!
    assert.equal(withSource(via, SOURCE), written)
    assert.equal(replyPort(via, SOURCE), port)
  }
})

test('IPv6 addresses have no brackets, and IPv4-mapped ones become IPv4', () => {
  const via = readVia('SIP/2.0/TLS [2001:db8::9]:5061;branch=1')!
  assert.equal(via.host, '[2001:db8::9]')
  const of = (address: string) => withSource(via, { transport: 'tls', address, port: 1 })
  assert.equal(of('2001:db8::9'), 'SIP/2.0/TLS [2001:db8::9]:5061;branch=1')
  assert.match(of('2001:db8::a'), /;received=2001:db8::a$/)
  assert.match(of('::ffff:192.0.2.7'), /;received=192\.0\.2\.7$/)
  assert.equal(replyPort(readVia('SIP/2.0/TLS h.test')!, { ...SOURCE, transport: 'tls' }), 5061)
})
