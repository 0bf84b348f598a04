// Which unusual requests of a trunk are understood, and the errors for others. Several messages are torture tests from
// RFC 4475.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { valuesOf } from './headers.js'
import { HEAD_MAX, MESSAGE_MAX } from './limits.js'
import { parseMessage, type SipRequest } from './parse-message.js'

const BASIC = [
  'INVITE sip:+14155550123@ours.test SIP/2.0',
  'Via: SIP/2.0/UDP trunk.test:5060;branch=z9hG4bK1;rport',
  'From: <sip:+12125550100@trunk.test>;tag=a',
  'To: <sip:+14155550123@ours.test>',
  'Call-ID: 1@trunk.test',
  'CSeq: 1 INVITE',
  'Max-Forwards: 70',
]

function bytesOf(lines: readonly string[], body = ''): Buffer {
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1')
}

/** Replaces lines with the same name, or adds them. Null removes a line. */
function changed(changes: Record<string, string | null>, startLine = BASIC[0]!): Buffer {
  const kept = BASIC.slice(1).filter((line) => !(line.slice(0, line.indexOf(':')) in changes))
  const added = Object.entries(changes).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}`],
  )
  return bytesOf([startLine, ...kept, ...added])
}

function requestOf(bytes: Buffer): SipRequest {
  const parsed = parseMessage(bytes)
  assert.equal(parsed.kind, 'request', JSON.stringify(parsed))
  return parsed as SipRequest
}

test('a request is parsed into its method, its URI, and the headers that a response copies', () => {
  const request = requestOf(bytesOf(BASIC, 'v=0\r\n'))
  assert.equal(request.fault, null)
  assert.equal(request.method, 'INVITE')
  assert.equal(request.uri?.user, '+14155550123')
  assert.equal(request.from, '<sip:+12125550100@trunk.test>;tag=a')
  assert.equal(request.callId, '1@trunk.test')
  assert.equal(request.maxForwards, 70)
  assert.deepEqual(request.vias, ['SIP/2.0/UDP trunk.test:5060;branch=z9hG4bK1;rport'])
})

test('the short tortuous INVITE of RFC 4475 is understood', () => {
  const request = requestOf(
    bytesOf([
      'INVITE sip:vivekg@chair-dnrc.example.com;unknownparam SIP/2.0',
      'TO :',
      ' sip:vivekg@chair-dnrc.example.com ;   tag    = 1918181833n',
      'from   : "J Rosenberg \\\\\\""       <sip:jdrosen@example.com>',
      '  ;',
      '  tag = 98asjd8',
      'MaX-fOrWaRdS: 0068',
      'Call-ID: wsinv.ndaksdj@192.0.2.1',
      'Content-Length   : 0',
      'cseq: 0009',
      '  INVITE',
      'Via  : SIP  /   2.0',
      ' /UDP',
      '    192.0.2.2;branch=390skdjuw',
      's :',
      'NewFangledHeader:   newfangled value',
      ' continued newfangled value',
      'UnknownHeaderWithUnusualValue: ;;,,;;,;',
      'Content-Type: application/sdp',
      'Route:',
      ' <sip:services.example.com;lr;unknownwith=value;unknown-no-value>',
      'v:  SIP  / 2.0  / TCP     spindle.example.com   ;',
      '  branch  =   z9hG4bK9ikj8  ,',
      ' SIP  /    2.0   / UDP  192.168.255.111   ; branch=',
      ' z9hG4bK30239',
      'm:"Quoted string \\"\\"" <sip:jdrosen@example.com> ; newparam =',
      '      newvalue ;',
      '  secondparam ; q = 0.33',
    ]),
  )
  assert.equal(request.hasToTag, true)
  assert.equal(request.vias.length, 3)
  assert.equal(request.topVia.host, '192.0.2.2')
  assert.deepEqual(request.headers.get('newfangledheader'), [
    'newfangled value continued newfangled value',
  ])
  assert.equal(request.maxForwards, 68)
  assert.equal(request.fault, null)
})

test('methods, names, and URIs with unusual characters are understood', () => {
  const request = requestOf(
    bytesOf([
      "!interesting-Method0123456789_*+`.%indeed'~ sip:1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*:&it+has=1,weird!*pas$wo~d_too.(doesn't-it)@example.com SIP/2.0",
      "Via: SIP/2.0/TCP host1.example.com;branch=z9hG4bK-.!%66*_+`'~",
      'To: "BEL:\\\x07 NUL:\\\x00 DEL:\\\x7f" <sip:1_unusual.URI~(to-be!sure)@example.com>',
      "From: token1~` token2'+_ token3*%!.- <sip:mundane@example.com>;fromParam''~+*_!.-%=\"\xd1\x80\xd0\xb0\";tag=_token~1'+`*%!-.",
      'Call-ID: intmeth.word%ZK-!.*_+\'@word`~)(><:\\/"][?}{',
      "CSeq: 139122385 !interesting-Method0123456789_*+`.%indeed'~",
    ]),
  )
  assert.equal(request.fault, null)
  assert.equal(request.hasToTag, false)
})

test('short names, several values in one header, and commas in quotes are understood', () => {
  const request = requestOf(
    bytesOf([
      BASIC[0]!,
      'v: SIP/2.0/TCP a.test;branch=1, SIP/2.0/UDP b.test;branch=2;x="a,b"',
      'f: "Doe, Jane" <sip:j@a.test;x=1>;tag=1',
      't: sip:+14155550123@ours.test;user=phone;tag=2',
      'i: c',
      'CSeq: 2 INVITE',
      'Via: SIP/2.0/UDP c.test',
      'l: 0',
      'Diversion: "a \\" , b" <sip:1@a.test>;reason=unknown, <sip:2@a.test>',
    ]),
  )
  assert.equal(request.fault, null)
  assert.deepEqual(
    request.vias.map((via) => via.slice(12, 18)),
    ['a.test', 'b.test', 'c.test'],
  )
  assert.equal(request.hasToTag, true)
  assert.equal(valuesOf(request.headers, 'diversion')?.length, 2)
})

test('an invalid request that can get a response has a description of its error', () => {
  const faults: [Buffer, RegExp][] = [
    [changed({ CSeq: '1 BYE' }), /^400 .*another method/],
    [changed({ CSeq: 'x' }), /^400 .*CSeq/],
    [changed({ CSeq: '36893488147419103232 INVITE' }), /^400 .*CSeq/],
    [changed({ CSeq: '4294967295 INVITE' }), /^400 .*CSeq/],
    [changed({ From: '"open <sip:a@b.test>' }), /^400 .*From/],
    [changed({ To: '"Mr. J. User <sip:j.user@example.com>' }), /^400 .*To/],
    [changed({ 'Max-Forwards': '256' }), /^400 .*Max-Forwards/],
    [changed({ 'Content-Length': '-999' }), /^400 .*Content-Length/],
    [changed({ 'Content-Length': '9999' }), /^400 .*shorter/],
    [changed({ 'Content-Length': '0', l: '5' }), /^400 .*Content-Length/],
    [changed({ f: '<sip:other@b.test>' }), /^400 .*from occurs twice/],
    [changed({}, 'INVITE <sip:user@example.com> SIP/2.0'), /^400 .*Request-URI/],
    [changed({}, 'INVITE sip:user@example.com; lr SIP/2.0'), /^400 .*Request-URI/],
    [changed({}, 'INVITE sip:user%zz@example.com SIP/2.0'), /^400 .*Request-URI/],
    [changed({}, 'INVITE sip:user@example.com SIP/7.0'), /^505 /],
    [changed({}, `INVITE sip:${'1'.repeat(1025)}@example.com SIP/2.0`), /^414 /],
  ]
  for (const [bytes, expected] of faults) {
    const { fault } = requestOf(bytes)
    assert.match(`${fault?.status} ${fault?.reason}`, expected)
  }
})

test('data that cannot get a response has a reason', () => {
  const cases: [Buffer, RegExp][] = [
    [changed({ Via: null }), /no valid Via/],
    [changed({ Via: 'SIP/2.0/UDP' }), /no valid Via/],
    [changed({ Via: 'SIP/2.0/UDP a.test:99999' }), /no valid Via/],
    [changed({ Via: Array(71).fill('SIP/2.0/UDP a.test').join(',') }), /no valid Via/],
    [changed({ From: null }), /From/],
    [changed({ To: '' }), /To/],
    [changed({ 'Call-ID': null }), /Call-ID/],
    [changed({ CSeq: null }), /CSeq/],
    [Buffer.from('INVITE sip:a@b SIP/2.0\r\nVia: x'), /no end/],
    [Buffer.from('hello\r\n\r\n'), /first line/],
    [Buffer.from(`A${' '.repeat(8000)}\r\n\r\n`), /first line/],
    [bytesOf([BASIC[0]!, ' folded']), /folded/],
    [bytesOf([...BASIC, 'no colon']), /name/],
    [bytesOf([...BASIC, 'a b: c']), /name/],
    [bytesOf([...BASIC, 'X: a\nY: b']), /lone/],
    [bytesOf([...BASIC, ...Array(260).fill('X: y')]), /more than 256 lines/],
    [bytesOf([...BASIC, `X: ${'y'.repeat(9000)}`]), /longer than 8192/],
    [bytesOf([...BASIC, ...Array(200).fill(`X: ${'y'.repeat(200)}`)]), /longer than 32768/],
    [Buffer.alloc(MESSAGE_MAX + 1, 'a'), /longer than 65536/],
  ]
  for (const [bytes, expected] of cases) {
    const parsed = parseMessage(bytes)
    assert.equal(parsed.kind, 'nonsense')
    assert.match((parsed as { why: string }).why, expected)
  }
  assert.ok(HEAD_MAX < MESSAGE_MAX)
})

test('empty lines alone are a ping, and before a request they are ignored', () => {
  assert.equal(parseMessage(Buffer.from('\r\n\r\n')).kind, 'ping')
  assert.equal(parseMessage(Buffer.alloc(0)).kind, 'ping')
  assert.equal(requestOf(Buffer.concat([Buffer.from('\r\n'), bytesOf(BASIC)])).fault, null)
})

test('a response is parsed into its status and headers', () => {
  const parsed = parseMessage(bytesOf(['SIP/2.0 302 Moved Temporarily', 'm: <sip:1@a.test>']))
  assert.equal(parsed.kind, 'response')
  if (parsed.kind !== 'response') return
  assert.equal(parsed.status, 302)
  assert.equal(parsed.reason, 'Moved Temporarily')
  assert.deepEqual(parsed.headers.get('contact'), ['<sip:1@a.test>'])
  assert.equal(
    parseMessage(bytesOf(['SIP/2.0 4294967301 better not break the receiver'])).kind,
    'nonsense',
  )
})
