// Requests and signed callbacks in the formats that providers publish, and invalid ones that look similar.

import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import type { CallbackRequest } from '../../messages/carrier-http.js'
import type { Submission } from '../../messages/carrier-port.js'
import { MESSAGE_ERRORS } from '../../messages/message-errors.js'
import { BANDWIDTH_CODES } from './bandwidth/codes.js'
import { createBandwidth } from './bandwidth/messages.js'
import { CallbackAddress } from './callbacks.js'
import type { InboundCallback, MessageApi, ReceiptCallback } from './provider.js'
import { factsOf } from './read-answer.js'
import { TELNYX_CODES } from './telnyx/codes.js'
import { createTelnyx } from './telnyx/messages.js'
import { TWILIO_CODES } from './twilio/codes.js'
import { createTwilio } from './twilio/messages.js'

const NOW = new Date('2026-11-16T12:00:00Z')
const URL_OF_OURS = 'https://ours.test/carrier/acme'
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const TELNYX_KEY = publicKey
  .export({ format: 'der', type: 'spki' })
  .subarray(-32)
  .toString('base64')

const CAMPAIGN = 'cmp_01j8zq4m5n6p7r8s9t0v1w2x3y'
const telnyx = createTelnyx({
  ...{ baseUrl: 'https://t.test', key: 'KEY', publicKey: TELNYX_KEY },
  profiles: new Map([[CAMPAIGN, 'profile-1']]),
  answersKeywords: true,
})
const bandwidth = createBandwidth({
  ...{ baseUrl: 'https://b.test', accountId: '55', user: 'u', password: 'p', application: 'app' },
  ...{ applications: new Map(), callbackUser: 'cu', callbackPassword: 'cp' },
  hasMmsReceipts: false,
  lookUpUrl: 'https://l.test',
})
const twilio = createTwilio({
  ...{ baseUrl: 'https://w.test', accountSid: 'AC1', authToken: 'tok', user: 'SK', password: 's' },
  ...{ services: new Map([[CAMPAIGN, 'MG1']]), answersKeywords: true, now: () => NOW },
  lookUpUrl: 'https://l.test',
})

const SUBMISSION: Submission = {
  ...{ accountId: 'acc_1', id: 'msg_1', campaignId: CAMPAIGN, type: 'SMS', attempt: 1 },
  ...{ from: '+14152000001', to: '+14155550107', body: 'Grüße', mediaUrls: [] },
  expiresAt: new Date(NOW.getTime() + 3_600_000),
}

function request(body: string, headers: Record<string, string> = {}): CallbackRequest {
  return { method: 'POST', path: '/', query: {}, headers, body: Buffer.from(body) }
}

function answer(provider: MessageApi, status: number, body: unknown, headers = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return provider.readSubmit({ status, headers, body: Buffer.from(text) }, NOW)
}

test('a submit carries our text unchanged, our validity, and our id', () => {
  const byTelnyx = telnyx.submit(SUBMISSION, 'https://ours.test/x')
  assert.equal(byTelnyx.headers.authorization, 'Bearer KEY')
  assert.deepEqual(JSON.parse(byTelnyx.body!), {
    ...{ from: '+14152000001', to: '+14155550107', text: 'Grüße', type: 'SMS', encoding: 'gsm7' },
    ...{ messaging_profile_id: 'profile-1', webhook_url: 'https://ours.test/x' },
    use_profile_webhooks: false,
  })
  const byBandwidth = bandwidth.submit(SUBMISSION, 'https://ours.test/x/status/acc_1/msg_1/seal')
  assert.equal(byBandwidth.url, 'https://b.test/api/v2/users/55/messages')
  assert.deepEqual(JSON.parse(byBandwidth.body!), {
    ...{ applicationId: 'app', from: '+14152000001', to: ['+14155550107'], text: 'Grüße' },
    ...{ tag: '/status/acc_1/msg_1/seal', expiration: '2026-11-16T13:00:00.000Z' },
  })
  const byTwilio = twilio.submit(
    { ...SUBMISSION, mediaUrls: ['https://m.test/1'] },
    'https://o.test',
  )
  assert.deepEqual(Object.fromEntries(new URLSearchParams(byTwilio.body)), {
    ...{ To: '+14155550107', From: '+14152000001', MessagingServiceSid: 'MG1', Body: 'Grüße' },
    ...{ MediaUrl: 'https://m.test/1', SmartEncoded: 'false', ValidityPeriod: '3600' },
    StatusCallback: 'https://o.test',
  })
})

test('a response means sent, refused, throttled, a fault of the host, or unknown', () => {
  const to = [{ carrier: 'AT&T Mobility LLC', line_type: 'Wireless' }]
  assert.deepEqual(answer(telnyx, 200, { data: { id: 'x', to } }), {
    ...{ kind: 'accepted', carrierId: 'x', facts: { network: 'att' } },
  })
  const cases: [MessageApi, number, unknown, string][] = [
    [telnyx, 200, 'nonsense', 'unknown'],
    [telnyx, 200, {}, 'unknown'],
    [telnyx, 500, '', 'unknown'],
    [telnyx, 429, { errors: [{ code: '10011' }] }, 'throttled'],
    [telnyx, 400, { errors: [{ code: '40318' }] }, 'throttled'],
    [telnyx, 401, { errors: [{ code: '10009', title: 'Authentication failed' }] }, 'fault'],
    [telnyx, 403, 'nonsense', 'fault'],
    [telnyx, 402, { errors: [{ code: '20100' }] }, 'fault'],
    [telnyx, 400, { errors: [{ code: '40300', title: 'Blocked' }] }, 'failed 1330 40300 Blocked'],
    [telnyx, 422, { errors: [{ code: '99999' }] }, 'failed 1499 99999 unmapped'],
    [telnyx, 404, 'nonsense', 'failed 1499 HTTP 404 unmapped'],
    [bandwidth, 202, { id: 'x' }, 'accepted'],
    [bandwidth, 503, '', 'unknown'],
    [bandwidth, 503, { type: 'unavailable', description: 'Later' }, 'throttled'],
    [bandwidth, 429, {}, 'throttled'],
    [bandwidth, 401, {}, 'fault'],
    [bandwidth, 400, { code: 4720, description: 'No' }, 'failed 1350 4720 No'],
    [bandwidth, 400, { errorCode: 4720, description: 'No' }, 'failed 1350 4720 No'],
    [twilio, 201, { sid: 'SM1' }, 'accepted'],
    [twilio, 503, '', 'unknown'],
    [twilio, 429, { code: 20429 }, 'throttled'],
    [twilio, 401, { code: 20003, message: 'Authenticate' }, 'fault'],
    [twilio, 400, { code: 21610, message: 'Stopped' }, 'failed 1330 21610 Stopped'],
  ]
  for (const [provider, status, body, expected] of cases) {
    const result = answer(provider, status, body)
    const words =
      result.kind === 'failed'
        ? `failed ${result.errorCode} ${result.carrierCode}${result.isUnmapped ? ' unmapped' : ''}`
        : result.kind
    assert.equal(words, expected, `${status} ${JSON.stringify(body)}`)
  }
})

test('a throttled message waits until Telnyx resets its limit, if that is within a minute', () => {
  const waitOf = (reset: string) => answer(telnyx, 429, {}, { 'x-ratelimit-reset': reset })
  for (const seconds of [1, 7, 60]) {
    const expected = { kind: 'throttled', retryAfterMs: seconds * 1000 }
    assert.deepEqual(waitOf(String(seconds)), expected)
  }
  const without = answer(telnyx, 429, {})
  for (const odd of ['0', '-1', '61', '1763294400', 'soon', '']) {
    assert.deepEqual(waitOf(odd), without, odd)
  }
})

test('a lookup returns the network or a landline, and nothing if it fails', () => {
  const replies: [MessageApi, (carrier: string, type: string) => object][] = [
    [telnyx, (name, type) => ({ data: { carrier: { name, type } } })],
    [
      bandwidth,
      (messagingProvider, lineType) => ({ data: { results: [{ messagingProvider, lineType }] } }),
    ],
    [twilio, (carrier_name, type) => ({ line_type_intelligence: { carrier_name, type } })],
  ]
  for (const [provider, replyOf] of replies) {
    const read = (status: number, body: object) =>
      provider.readLookUp!({ status, headers: {}, body: Buffer.from(JSON.stringify(body)) })
    assert.deepEqual(read(200, replyOf('Verizon Wireless', 'mobile')), { network: 'vzw' })
    assert.deepEqual(read(200, replyOf('Verizon', 'landline')), { isLandline: true })
    assert.deepEqual(read(200, {}), {})
    assert.equal(read(500, replyOf('Verizon Wireless', 'mobile')), null)
  }
  const moved = {
    ...{ carrier: { name: 'AT&T', type: 'mobile' } },
    portability: { spid_carrier_name: 'T-Mobile USA' },
  }
  const body = Buffer.from(JSON.stringify({ data: moved }))
  const facts = telnyx.readLookUp!({ status: 200, headers: {}, body })
  assert.deepEqual(facts, { network: 'tmo' }, 'the carrier that the number was ported to')
})

function telnyxCall(event_type: string, payload: object, at = NOW): CallbackRequest {
  const body = JSON.stringify({ data: { event_type, id: 'e', payload } })
  const timestamp = String(at.getTime() / 1000)
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString('base64')
  return request(body, {
    ...{ 'telnyx-signature-ed25519': signature, 'telnyx-timestamp': timestamp },
  })
}

test('a callback is genuine only with a valid, recent signature', async () => {
  const at = { url: URL_OF_OURS, now: NOW }
  const good = telnyxCall('message.sent', { id: 'x' })
  assert.ok(await telnyx.isGenuine(good, at))
  assert.ok(
    !(await telnyx.isGenuine({ ...good, body: Buffer.concat([good.body, Buffer.from(' ')]) }, at)),
  )
  assert.ok(!(await telnyx.isGenuine({ ...good, headers: {} }, at)))
  const old = telnyxCall('message.sent', { id: 'x' }, new Date(NOW.getTime() - 301_000))
  assert.ok(!(await telnyx.isGenuine(old, at)))
  const other = { ...good, headers: { ...good.headers, 'telnyx-timestamp': 'x' } }
  assert.ok(!(await telnyx.isGenuine(other, at)))

  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  assert.ok(bandwidth.isGenuine(request('[]', { authorization: basic('cu:cp') }), at))
  assert.ok(!bandwidth.isGenuine(request('[]', { authorization: basic('cu:cq') }), at))
  assert.ok(!bandwidth.isGenuine(request('[]'), at))

  const form = 'MessageSid=SM1&To=%2B1&Body=a+b'
  const text = `${URL_OF_OURS}Bodya bMessageSidSM1To+1`
  const signature = createHmac('sha1', 'tok').update(text).digest('base64')
  const signed = request(form, { 'x-twilio-signature': signature })
  assert.ok(twilio.isGenuine(signed, at))
  assert.ok(!twilio.isGenuine(signed, { ...at, url: `${URL_OF_OURS}/` }))
  assert.ok(!twilio.isGenuine({ ...signed, body: Buffer.from(`${form}&x=1`) }, at))
  assert.ok(!twilio.isGenuine(request(form), at))
})

test('a receipt reports the outcome of the message, and an unknown status is not a failure', () => {
  const receipt = (status: string, more = {}, errors: object[] = []) => {
    const payload = { id: 'x', to: [{ phone_number: '+1', status, ...more }], errors }
    const [call] = telnyx.readCallbacks(telnyxCall('message.finalized', payload))!
    const { status: became, errorCode, carrierCode } = call as ReceiptCallback
    return [became, errorCode, carrierCode]
  }
  assert.deepEqual(receipt('delivered'), ['DELIVERED', null, null])
  assert.deepEqual(receipt('delivery_unconfirmed'), ['UNCONFIRMED', null, 'delivery_unconfirmed'])
  assert.deepEqual(receipt('expired'), ['FAILED', 1400, 'expired'])
  const landline = [{ code: '40001', title: 'Not routable' }]
  assert.deepEqual(receipt('delivery_failed', { line_type: 'Wireline' }, landline), [
    ...['FAILED', 1360, '40001 Not routable'],
  ])
  assert.equal(receipt('delivery_failed', {}, landline)[1], 1350)

  const events = [
    { type: 'message-failed', errorCode: 9902, description: 'none', message: { id: 'a' } },
    { type: 'message-failed', errorCode: 4770, description: 'spam', message: { id: 'b' } },
    { type: 'message-delivered', message: { id: 'c', media: ['https://x.test'] } },
    { type: 'message-delivered', message: { id: 'd' } },
    { type: 'message-received', message: { id: 'e', direction: 'out', from: '+1', owner: '+2' } },
  ]
  const calls = bandwidth.readCallbacks(request(JSON.stringify(events)))! as ReceiptCallback[]
  assert.deepEqual(
    calls.map(({ status, errorCode }) => [status, errorCode]),
    [
      ['UNCONFIRMED', null],
      ['FAILED', 1370],
      ['SENT', null],
      ['DELIVERED', null],
    ],
  )
  const form = 'MessageSid=SM1&MessageStatus=undelivered&ErrorCode=30007&To=%2B1'
  const [byTwilio] = twilio.readCallbacks(request(form))! as ReceiptCallback[]
  assert.deepEqual([byTwilio!.status, byTwilio!.errorCode], ['FAILED', 1370])
})

test('an inbound message is read with its pictures and with the keyword that the provider handled', () => {
  const inbound = twilio.readCallbacks(
    request(
      'MessageSid=MM1&SmsStatus=received&From=%2B1&To=%2B2&Body=STOP&NumMedia=1&MediaUrl0=https%3A%2F%2Fm.test%2F1&OptOutType=STOP',
    ),
  )
  assert.deepEqual(inbound, [
    {
      ...{ kind: 'inbound', carrierId: 'MM1', from: '+1', to: '+2', body: 'STOP', facts: {} },
      ...{ mediaUrls: ['https://m.test/1'], handled: 'STOP' },
    },
  ])
  const payload = {
    ...{ id: 'x', text: 'hi', from: { phone_number: '+1', carrier: 'Verizon Wireless' } },
    to: [{ phone_number: '+2' }, { phone_number: '+3' }],
  }
  const both = telnyx.readCallbacks(telnyxCall('message.received', payload)) as InboundCallback[]
  assert.deepEqual(
    both.map(({ carrierId, facts }) => [carrierId, facts.network]),
    [
      ['x', 'vzw'],
      ['x +3', 'vzw'],
    ],
  )
})

test('a Telnyx registration callback identifies the record only by its URL', () => {
  const account = `acc_${'0'.repeat(26)}`
  const brand = `brd_${'1'.repeat(26)}`
  const call = telnyxCall('10dlc.brand.update', { brandId: 'there' })
  const at = (path: string) => telnyx.readCallbacks({ ...call, path })
  assert.deepEqual(at(`/registration/${account}/${brand}`), [
    { kind: 'registration', accountId: account, recordId: brand },
  ])
  for (const path of ['/', `/registration/${account}`, `/registration/${account}/${brand}/x`]) {
    assert.deepEqual(at(path), [], path)
  }
})

test('an invalid callback is refused, and other event types are acknowledged and ignored', () => {
  for (const body of ['', 'x', '{}', '[]x', '{"data":[]}', '{"data":{"payload":{"id":{}}}}']) {
    assert.equal(telnyx.readCallbacks(request(body)), null, body)
  }
  assert.deepEqual(telnyx.readCallbacks(telnyxCall('number_order.complete', { id: 'x' })), [])
  for (const body of ['', '{}', '[1]', '[{"type":"message-sent"}]']) {
    assert.equal(bandwidth.readCallbacks(request(body)), null, body)
  }
  for (const body of ['', 'a=b', 'MessageSid=SM1&From=%2B1']) {
    assert.equal(twilio.readCallbacks(request(body)), null, body)
  }
})

test('a URL that names a message is accepted only with its seal', () => {
  const address = new CallbackAddress(URL_OF_OURS, 'secret')
  const url = address.statusOf({ accountId: 'acc_1', id: 'msg_1' })
  const path = url.slice(URL_OF_OURS.length)
  assert.deepEqual(address.readMessage(path), { accountId: 'acc_1', id: 'msg_1' })
  assert.equal(address.readMessage(path.replace('msg_1', 'msg_2')), null)
  assert.equal(new CallbackAddress(URL_OF_OURS, 'other').readMessage(path), null)
  for (const other of ['/', '/status/', `${path}x`]) assert.equal(address.readMessage(other), null)
})

test('codes map to our error codes, unknown ones to 1499, and temporary codes in a receipt are failures', () => {
  assert.equal(TELNYX_CODES.failureOf('40018'), 1375)
  assert.equal(TWILIO_CODES.failureOf('1'), 1499)
  assert.equal(BANDWIDTH_CODES.meaningOf('1'), null)
  for (const code of ['40002', '40016']) assert.ok(TELNYX_CODES.failureOf(code) in MESSAGE_ERRORS)
})

test('every code for a sender outside a registered campaign becomes 1340', () => {
  for (const [codes, theirs] of [
    [TELNYX_CODES, ['40010']],
    [BANDWIDTH_CODES, ['4773', '4774']],
    [TWILIO_CODES, ['30033', '30034', '30035']],
  ] as const) {
    for (const code of theirs) assert.equal(codes.failureOf(code), 1340, code)
  }
})

test('a network is recognized by its brand, and a landline by the line type', () => {
  assert.deepEqual(factsOf('T-MOBILE USA, INC.', 'Wireless'), { network: 'tmo' })
  assert.deepEqual(factsOf('Metro PCS', null), { network: 'tmo' })
  assert.deepEqual(factsOf('AT&T', 'Wireline'), { isLandline: true })
  assert.deepEqual(factsOf('Somebody', 'VoIP'), { network: null })
  assert.deepEqual(factsOf(null, null), {})
})
