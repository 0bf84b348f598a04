// The requests about messages of every provider, whole: a probe, a text, a message with files, a lookup, and a list;
// what a list proves; and which callbacks are genuine. A new provider gets its own row.

import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import type { MessageApi, ProviderRequest } from '../../src/carriers/providers/provider.js'
import type { Submission } from '../../src/messages/carrier-port.js'
import { NOW, submission } from '../smpp-fixtures.js'
import { callbackTo } from './link-stage.js'
import { accountOf, MESSAGES, messagesOf, type ProviderName } from './provider-messages.js'

const STATUS_URL = 'https://ours.test/carrier/acme/status/acc_1/msg_1/seal'
const PHONE = '+14155550123'
const FROM = '+14152004000'
const SID = `AC${'0'.repeat(32)}`
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

const headers: Record<ProviderName, Record<string, string>> = {
  telnyx: { authorization: 'Bearer KEY' },
  bandwidth: { authorization: basic('u:p') },
  twilio: { authorization: basic(`${SID}:tok`) },
}

interface Row {
  probe: string
  post: string
  type: string
  /** The fields of a text, of one without GSM 7-bit characters, and of a message with files only. */
  text: object
  unicode: object
  media: object
  lookUp: { method: string; url: string; body?: object }
}

const FILES = ['https://m.test/1', 'https://m.test/2']
const TELNYX = { from: FROM, to: PHONE, webhook_url: STATUS_URL, use_profile_webhooks: false }
const TAGGED = {
  ...{ applicationId: 'app', from: FROM, to: [PHONE], tag: '/status/acc_1/msg_1/seal' },
  expiration: new Date(NOW.getTime() + 3_600_000).toISOString(),
}
const FORM = { To: PHONE, From: FROM, SmartEncoded: 'false', StatusCallback: STATUS_URL }
const HOUR = { ...FORM, ValidityPeriod: '3600' }
const ENCODED = encodeURIComponent(PHONE)
const TWILIO = `https://w.test/2010-04-01/Accounts/${SID}/Messages.json`

const ROWS: Record<ProviderName, Row> = {
  telnyx: {
    probe: 'https://t.test/v2/messaging_profiles?page[size]=1',
    ...{ post: 'https://t.test/v2/messages', type: 'application/json' },
    text: { ...TELNYX, text: 'Hello', type: 'SMS', encoding: 'gsm7' },
    unicode: { ...TELNYX, text: 'Привет', type: 'SMS', encoding: 'ucs2' },
    media: { ...TELNYX, media_urls: FILES, type: 'MMS' },
    lookUp: { method: 'GET', url: `https://t.test/v2/number_lookup/${ENCODED}?type=carrier` },
  },
  bandwidth: {
    probe: 'https://b.test/api/v2/users/55/messages?limit=1',
    ...{ post: 'https://b.test/api/v2/users/55/messages', type: 'application/json' },
    text: { ...TAGGED, text: 'Hello' },
    unicode: { ...TAGGED, text: 'Привет' },
    media: { ...TAGGED, text: '', media: FILES },
    lookUp: {
      ...{ method: 'POST', url: 'https://l.test/v2/accounts/55/phoneNumberLookup' },
      body: { phoneNumbers: [PHONE] },
    },
  },
  twilio: {
    probe: `${TWILIO}?PageSize=1`,
    ...{ post: TWILIO, type: 'application/x-www-form-urlencoded' },
    text: { ...HOUR, Body: 'Hello' },
    unicode: { ...HOUR, Body: 'Привет' },
    media: { ...HOUR, MediaUrl: FILES },
    lookUp: {
      method: 'GET',
      url: `https://l.test/v2/PhoneNumbers/${ENCODED}?Fields=line_type_intelligence`,
    },
  },
}

function fieldsOf({ body = '', headers }: ProviderRequest): unknown {
  if (headers['content-type'] === 'application/json') return JSON.parse(body)
  const form = new URLSearchParams(body)
  return Object.fromEntries(
    [...form.keys()].map((name) => {
      const values = form.getAll(name)
      return [name, values.length > 1 ? values : values[0]]
    }),
  )
}

/** The time stands still, for validity. */
const messagesAt = (name: ProviderName): MessageApi => accountOf(name).createMessages(() => NOW)

for (const [name, row] of Object.entries(ROWS) as [ProviderName, Row][]) {
  test(`${name}: the requests about messages are exactly these`, () => {
    const messages = messagesAt(name)
    assert.deepEqual(messages.probe(), { method: 'GET', url: row.probe, headers: headers[name] })
    const media: Partial<Submission> = { type: 'MMS', body: '', mediaUrls: FILES }
    for (const [fields, expected] of [
      [{}, row.text],
      [{ body: 'Привет' }, row.unicode],
      [media, row.media],
    ] as const) {
      const request = messages.submit(submission(fields), STATUS_URL)
      assert.deepEqual([request.method, request.url], ['POST', row.post])
      assert.deepEqual(request.headers, { ...headers[name], 'content-type': row.type })
      assert.deepEqual(fieldsOf(request), expected)
    }
    const { body, ...lookUp } = row.lookUp
    const request = messages.lookUp!(PHONE)
    assert.deepEqual({ method: request.method, url: request.url }, lookUp)
    const type = body && { 'content-type': 'application/json' }
    assert.deepEqual(request.headers, { ...headers[name], ...type })
    assert.deepEqual(request.body && JSON.parse(request.body), body)
  })

  test(`${name}: one file is sent like several`, () => {
    const one = submission({ type: 'MMS', mediaUrls: [FILES[0]!] })
    const { media_urls, media, MediaUrl } = fieldsOf(
      messagesAt(name).submit(one, STATUS_URL),
    ) as Record<string, unknown>
    assert.deepEqual([media_urls ?? media ?? [MediaUrl]], [[FILES[0]]])
  })

  test(`${name}: only a response from 200 to 299 shows that a message is accepted`, () => {
    const body = Buffer.from(JSON.stringify({ data: { id: 'm-1' }, id: 'm-1', sid: 'm-1' }))
    const kindOf = (status: number) =>
      messagesAt(name).readSubmit({ status, headers: {}, body }, NOW).kind
    assert.deepEqual([199, 200, 299, 300].map(kindOf), [
      ...['unknown', 'accepted', 'accepted', 'unknown'],
    ])
  })

  test(`${name}: only providers with private files have credentials for them`, () => {
    const expected = name === 'telnyx' ? undefined : headers[name]
    assert.deepEqual(messagesAt(name).mediaHeaders?.(), expected)
  })
}

test('twilio: a message is valid there as long as here: at least a second, and at most ten hours', () => {
  const validity = (leftMs: number) => {
    const expiresAt = new Date(NOW.getTime() + leftMs)
    const { body } = messagesAt('twilio').submit(submission({ expiresAt }), STATUS_URL)
    return new URLSearchParams(body).get('ValidityPeriod')
  }
  const seconds = [-5_000, 0, 1_999, 2_000, 36_000_000, 36_001_000].map(validity)
  assert.deepEqual(seconds, ['1', '1', '1', '2', '36000', '36000'])
})

const ACCEPTED_AT = new Date('2026-11-16T05:00:00Z')
/** What the clocks of a provider and ours may differ by. */
const EARLY = '2026-11-16T04:58:00.000Z'
const TOO_EARLY = '2026-11-16T04:57:59.999Z'

test('a list is requested for the two numbers, from a little before the message was accepted', () => {
  const bandwidth = MESSAGES.bandwidth.query!(submission({ type: 'MMS' }), ACCEPTED_AT)
  const { pathname, searchParams } = new URL(bandwidth.url)
  assert.equal(pathname, '/api/v2/users/55/messages')
  assert.deepEqual(Object.fromEntries(searchParams), {
    ...{ sourceTn: FROM, destinationTn: PHONE, messageDirection: 'OUTBOUND', messageType: 'mms' },
    ...{ fromDateTime: EARLY, limit: '100' },
  })
  assert.deepEqual(
    [bandwidth.method, bandwidth.headers, bandwidth.maxResponseBytes],
    ['GET', headers.bandwidth, undefined],
  )
  const twilio = MESSAGES.twilio.query!(submission(), ACCEPTED_AT)
  assert.deepEqual(twilio, {
    ...{ method: 'GET', headers: headers.twilio, maxResponseBytes: 8 * 1024 * 1024 },
    url: `${TWILIO}?To=${ENCODED}&From=${encodeURIComponent(FROM)}&PageSize=1000`,
  })
  assert.equal(MESSAGES.telnyx.query, undefined)
})

const listed = (name: ProviderName, body: object, status = 200) =>
  MESSAGES[name].readQuery!(
    { status, headers: {}, body: Buffer.from(JSON.stringify(body)) },
    submission(),
    ACCEPTED_AT,
  )

test('bandwidth: a list proves that a message is there, but not that it is missing', () => {
  const one = (messageId: string, more = {}) => ({
    ...{ messageId, sourceTn: FROM, destinationTn: PHONE, messageDirection: 'OUTBOUND' },
    ...{ receiveTime: EARLY, ...more },
  })
  const messages = [
    one('a'),
    { messageId: 'b' },
    one('c', { receiveTime: 'odd' }),
    one('d', { sourceTn: '+1' }),
    one('e', { destinationTn: '+1' }),
    one('f', { messageDirection: 'INBOUND' }),
    one('g', { receiveTime: TOO_EARLY }),
    { ...one('h'), messageId: undefined },
  ]
  const found = { kind: 'listed', similarIds: [], isComplete: false, hasTexts: false }
  assert.deepEqual(listed('bandwidth', { messages }), { ...found, carrierIds: ['a', 'b', 'c'] })
  assert.deepEqual(listed('bandwidth', {}), { ...found, carrierIds: [] })
  assert.equal(listed('bandwidth', { messages }, 201), null)
})

test('twilio: a list has texts, equal or similar, and is complete if it reaches back far enough', () => {
  const one = (sid: string, more: object = {}) => ({
    ...{ sid, from: FROM, to: PHONE, body: 'Hello', direction: 'outbound-api' },
    ...{ date_created: EARLY, ...more },
  })
  const messages = [
    one('a'),
    one('b', { from: undefined, to: undefined, direction: undefined, date_created: undefined }),
    one('c', { from: '+1' }),
    one('d', { to: '+1' }),
    one('e', { direction: 'inbound' }),
    one('f', { body: 'Acme: HELLO!' }),
    one('g', { body: 'Goodbye' }),
    one('h', { body: '...' }),
    one('i', { body: undefined }),
    one('j', { sid: undefined }),
  ]
  const found = { kind: 'listed', isComplete: true, hasTexts: true }
  const both = { carrierIds: ['a', 'b'], similarIds: ['f', 'h', 'i'] }
  assert.deepEqual(listed('twilio', { messages }), { ...found, ...both })
  const old = one('z', { date_created: TOO_EARLY })
  const next = { next_page_uri: '/2010-04-01/next' }
  assert.deepEqual(listed('twilio', { messages: [...messages, old] }), { ...found, ...both })
  assert.deepEqual(listed('twilio', { messages, ...next }), {
    ...{ ...found, ...both, isComplete: false },
  })
  assert.equal(listed('twilio', { messages: [old], ...next })!.isComplete, true)
  const page = (length: number) => ({ messages: Array.from({ length }, (_, i) => one(`s${i}`)) })
  assert.equal(listed('twilio', page(999))!.isComplete, true)
  assert.equal(listed('twilio', page(1_000))!.isComplete, false)
  for (const body of [{}, { messages: 'none' }]) assert.equal(listed('twilio', body), null)
  assert.equal(listed('twilio', { messages }, 201), null)
})

test('telnyx: a callback is genuine for five minutes, with both headers and a whole signature', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const messages = messagesOf('telnyx', { publicKey: raw.toString('base64') })
  const isGenuine = (ageMs: number, more: Record<string, string | undefined> = {}) => {
    const timestamp = String((NOW.getTime() - ageMs) / 1_000)
    const signature = sign(null, Buffer.from(`${timestamp}|{}`), privateKey).toString('base64')
    const own = { 'telnyx-signature-ed25519': signature, 'telnyx-timestamp': timestamp }
    const request = { ...callbackTo('/', '{}'), headers: { ...own, ...more } }
    return messages.isGenuine(request, { url: STATUS_URL, now: NOW })
  }
  for (const age of [0, 300_000, -300_000]) assert.equal(await isGenuine(age), true)
  for (const age of [301_000, -301_000]) assert.equal(await isGenuine(age), false)
  for (const more of [
    { 'telnyx-signature-ed25519': undefined },
    { 'telnyx-timestamp': undefined },
    { 'telnyx-signature-ed25519': Buffer.alloc(63).toString('base64') },
    { 'telnyx-signature-ed25519': Buffer.alloc(64).toString('base64') },
    { 'telnyx-timestamp': `${NOW.getTime() / 1_000}.0` },
    { 'telnyx-timestamp': '1'.repeat(13) },
  ]) {
    assert.equal(await isGenuine(0, more), false, JSON.stringify(more))
  }
})

test('twilio: fields are signed by name and value, each pair once, and only up to 500 of them', () => {
  const isGenuine = (form: string, signed: string) => {
    const signature = createHmac('sha1', 'tok')
      .update(STATUS_URL + signed)
      .digest('base64')
    const request = callbackTo('/', form, { 'x-twilio-signature': signature })
    return MESSAGES.twilio.isGenuine(request, { url: STATUS_URL, now: NOW })
  }
  assert.equal(isGenuine('b=2&a=1', 'a1b2'), true)
  assert.equal(isGenuine('b=2&a=1', 'b2a1'), false)
  assert.equal(isGenuine('a=2&a=1&a=2', 'a1a2'), true)
  assert.equal(isGenuine('a=2&a=1', 'a2a1'), false)
  const many = (count: number) => {
    const names = Array.from({ length: count }, (_, i) => `f${String(i).padStart(3, '0')}`)
    return isGenuine(
      names.map((name) => `${name}=1`).join('&'),
      names.map((name) => `${name}1`).join(''),
    )
  }
  assert.deepEqual([many(501), many(502)], [true, false])
  const short = callbackTo('/', 'a=1', { 'x-twilio-signature': 'AAAA' })
  assert.equal(MESSAGES.twilio.isGenuine(short, { url: STATUS_URL, now: NOW }), false)
})
