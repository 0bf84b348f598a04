// 100,000 invalid datagrams: noise, random headers, and valid requests with bytes changed, removed, and inserted.
// Nothing throws, every response has its five headers, and a repeated request gets the same response. Seeded, so a
// failure can be reproduced.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DEFAULT_POLICY } from '../forwarding/forwarding-policy.js'
import { ANY_FORM } from '../forwarding/number-forms.js'
import { MessageSplitter } from '../message/message-splitter.js'
import { parseMessage } from '../message/parse-message.js'
import type { Source } from '../message/via.js'
import { answerMessage, type SipAnswer } from './answer-message.js'
import { NO_TRUNK_LIMITS, type TrunkSettings } from './trunk.js'

const DATAGRAMS = 100_000
const SEED = 0x51b
const SOURCE: Source = { transport: 'udp', address: '192.0.2.7', port: 40_000 }
const TRUNK: TrunkSettings = {
  name: 'main',
  sources: [],
  contactHost: 'sbc.trunk.test',
  contactTransport: null,
  diversionHost: 'voice.ours.test',
  isDiversionEmbedded: true,
  numberForms: ANY_FORM,
  limits: NO_TRUNK_LIMITS,
}
const SETTINGS = {
  find: (number: string) => (number.endsWith('3') ? '+14155550188' : null),
  policy: DEFAULT_POLICY,
  key: 'a key of all nodes',
  shedder: null,
  limiter: null,
}

const HEADERS = [
  'Via: SIP/2.0/UDP a.test:5060;branch=z9hG4bK1;rport',
  'v: SIP/2.0/TCP [2001:db8::1];branch=2, SIP/2.0/UDP b.test',
  'From: "A \\" B" <sip:+12125550100@a.test>;tag=a',
  'To: <sip:+14155550123@ours.test>',
  'Call-ID: 1@a.test',
  'CSeq: 1 INVITE',
  'Max-Forwards: 70',
  'Diversion: <sip:+12125550111@a.test>;reason=user-busy;counter=1',
  'History-Info: <sip:+12125550111@a.test>;index=1, <tel:+14155550123>;index=1.1',
  'Content-Length: 0',
]
const TEMPLATES = ['INVITE', 'INVITE', 'CANCEL', 'OPTIONS', 'BYE', 'ACK'].flatMap((method) =>
  ['sip:+14155550123@ours.test;user=phone', 'tel:+1-415-555-0123;phone-context=+1'].map((uri) =>
    [`${method} ${uri} SIP/2.0`, ...HEADERS, '\r\n']
      .join('\r\n')
      .replace('1 INVITE', `1 ${method}`),
  ),
)
const PIECES = [
  '\r\n',
  '\r\n\r\n',
  ' ',
  '\t',
  ';',
  ',',
  '"',
  '<',
  '>',
  '@',
  '%',
  '%0d%0a',
  ':',
  '\\',
  '\0',
  '\xff',
  '=',
  '[',
  '',
]

/** Mulberry32: small and the same on every machine. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const random = randomOf(SEED)

function noise(length: number): string {
  return String.fromCharCode(...Array.from({ length }, () => random(256)))
}

function changed(): string {
  let text = TEMPLATES[random(TEMPLATES.length)]!
  for (let changes = random(5); changes > 0; changes--) {
    const at = random(text.length)
    const kind = random(4)
    const piece = kind === 0 ? noise(random(4)) : PIECES[random(PIECES.length)]!
    text = `${text.slice(0, at)}${piece}${text.slice(at + (kind === 1 ? 0 : random(12)))}`
  }
  return text
}

function datagram(): Buffer {
  const kind = random(16)
  const text =
    kind === 0
      ? noise(random(200))
      : kind === 1
        ? `${TEMPLATES[0]!.slice(0, 45)}${noise(80)}\r\n\r\n`
        : changed()
  return Buffer.from(text, 'latin1')
}

function ask(bytes: Buffer) {
  return answerMessage(bytes, SOURCE, TRUNK, SETTINGS, 0)
}

const FIVE = ['via', 'from', 'to', 'call-id', 'cseq']

/** Whether there was a response. */
function check(bytes: Buffer): boolean {
  const outcome = ask(bytes)
  const again = ask(bytes)
  if (outcome.kind !== 'answered' || again.kind !== 'answered') {
    assert.equal(outcome.kind, again.kind)
    return false
  }
  const fault = faultOf(outcome)
  // The text is built only for a failure, because there are many messages.
  if (fault !== null) assert.fail(`${fault}: ${bytes.toString('latin1')}`)
  if (!outcome.bytes.equals(again.bytes)) assert.fail(`differs: ${bytes.toString('latin1')}`)
  return true
}

function faultOf({ bytes, port, status }: SipAnswer): string | null {
  const answer = parseMessage(bytes)
  if (answer.kind !== 'response') return 'no response'
  const { headers } = answer
  const missing = FIVE.find((name) => !headers.get(name)?.[0])
  if (missing !== undefined) return `without ${missing}`
  if (!/;\s*tag/i.test(headers.get('to')![0]!)) return 'without a tag'
  if (!(port > 0 && port < 65_536)) return 'no port'
  const contacts = headers.get('contact') ?? []
  if (contacts.length !== (status === 302 ? 1 : 0)) return 'Contacts'
  if (!contacts.every((one) => one.startsWith('<sip:+14155550188@sbc.trunk.test?')))
    return 'Contact'
  // No input can end the head or add a header.
  return bytes.indexOf('\r\n\r\n') === bytes.length - 4 ? null : 'two heads'
}

test('any datagram gets a response with its five headers or none, and always the same one', () => {
  let answers = 0
  for (let i = 0; i < DATAGRAMS; i++) if (check(datagram())) answers += 1
  assert.ok(answers > DATAGRAMS / 5, `only ${answers} responses`)
  assert.ok(answers < DATAGRAMS / 1.1, `${answers} were answered`)
})

test('any header values do no harm', () => {
  const value = fc.string({ unit: 'binary-ascii', maxLength: 60 })
  const name = fc.constantFrom(
    'Via',
    'From',
    'To',
    'Call-ID',
    'CSeq',
    'Diversion',
    'History-Info',
    'Require',
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 4 }), (more) => {
      const lines = more.map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n]/g, '')}`)
      const kept = HEADERS.filter(
        (line) => !lines.some((one) => one.split(':')[0] === line.split(':')[0]),
      )
      const head = ['INVITE sip:+14155550123@ours.test SIP/2.0', ...kept, ...lines]
      check(Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'))
    }),
    { numRuns: 3000, seed: SEED },
  )
})

test('long lines of one character take no longer than others', () => {
  for (const char of [
    ...PIECES.filter((piece) => piece !== ''),
    'a',
    '1',
    '\\"',
    '<>',
    ' \t',
    '%41',
    ';a=',
    ',<',
  ]) {
    const long = char.repeat(Math.floor(8000 / char.length)).replaceAll(/[\r\n]/g, '')
    for (const name of ['Via', 'From', 'To', 'CSeq', 'Diversion', 'History-Info', 'Require', 'X']) {
      ask(
        Buffer.from(
          [...TEMPLATES[0]!.split('\r\n').slice(0, -2), `${name}: ${long}`, '\r\n'].join('\r\n'),
          'latin1',
        ),
      )
      ask(Buffer.from(`INVITE sip:${long} SIP/2.0\r\n${name}: ${long}\r\n\r\n`, 'latin1'))
    }
  }
})

test('any stream gives messages or an error, in bounded memory', () => {
  for (let i = 0; i < 2000; i++) {
    let bytesOut = 0
    const splitter = new MessageSplitter(
      (bytes) => {
        bytesOut += bytes.length
        ask(bytes)
      },
      () => {},
    )
    let bytesIn = 0
    for (let chunks = 0; chunks < 8; chunks++) {
      const chunk = datagram()
      bytesIn += chunk.length
      if (splitter.push(chunk) !== null) break
    }
    assert.ok(bytesOut <= bytesIn)
  }
})
