// Every status with every kind of body from every provider: only a response from the provider itself shows that a
// message was not sent. A response from a gateway in front of it leaves the outcome unknown.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { createBandwidth } from './bandwidth/messages.js'
import type { MessageApi } from './provider.js'
import { retryAfterMs } from './provider-codes.js'
import { createTelnyx } from './telnyx/messages.js'
import { createTwilio } from './twilio/messages.js'

type ProviderName = 'telnyx' | 'bandwidth' | 'twilio'

const NOW = new Date('2026-11-17T12:00:00Z')
const publicKey = generateKeyPairSync('ed25519')
  .publicKey.export({ format: 'der', type: 'spki' })
  .subarray(-32)
  .toString('base64')

const PROVIDERS: Record<ProviderName, MessageApi> = {
  telnyx: createTelnyx({
    ...{ baseUrl: 'https://t.test', key: 'KEY', publicKey, profiles: new Map() },
    answersKeywords: true,
  }),
  bandwidth: createBandwidth({
    ...{ baseUrl: 'https://b.test', lookUpUrl: 'https://l.test', accountId: '55', user: 'u' },
    ...{ password: 'p', application: 'app', applications: new Map(), hasMmsReceipts: false },
    ...{ callbackUser: 'cu', callbackPassword: 'cp' },
  }),
  twilio: createTwilio({
    ...{ baseUrl: 'https://w.test', lookUpUrl: 'https://l.test', accountSid: 'AC1' },
    ...{ authToken: 'tok', user: 'SK', password: 's', services: new Map(), now: () => NOW },
    answersKeywords: true,
  }),
}

/** An error in the provider's format. */
const OWN: Record<ProviderName, (code: string) => unknown> = {
  telnyx: (code) => ({ errors: [{ code, title: 'No', detail: 'No.' }] }),
  bandwidth: (code) => ({ type: 'no', code, description: 'No.' }),
  twilio: (code) => ({ code: Number(code), message: 'No', more_info: 'https://x.test', status: 1 }),
}

/** An unknown code, a throttling code, a code about the sender, and a code about our account. */
const CODES: Record<ProviderName, { other: string; slow: string; sender: string; fault: string }> =
  {
    telnyx: { other: '99999', slow: '40318', sender: '40305', fault: '10009' },
    bandwidth: { other: '9998', slow: '4785', sender: '4403', fault: '4493' },
    twilio: { other: '99999', slow: '21611', sender: '21606', fault: '20003' },
  }

/** Responses of gateways in front of a provider. */
const GATEWAYS: Record<string, string> = {
  nothing: '',
  'an HTML page': '<html><body><h1>502 Bad Gateway</h1></body></html>',
  'AWS JSON': '{"message":"Endpoint request timed out"}',
  'Envoy text': 'upstream connect error or disconnect/reset before headers',
  'JSON with the status as code': '{"code":502,"message":"Bad Gateway","description":null}',
  'RFC 9457 problem': '{"type":"about:blank","title":"Bad Gateway","status":502}',
  'an empty object': '{}',
  'an empty list of errors': '{"errors":[]}',
  'errors with the status as code': '{"errors":[{"code":"502","title":"Bad Gateway"}]}',
  'JSON cut short': '{"errors":[{"code":"40305"',
}

const STATUSES = [
  ...[300, 301, 302, 303, 304, 307, 308],
  ...Array.from({ length: 52 }, (_, i) => 400 + i),
  ...[460, 463, 494, 499],
  ...Array.from({ length: 12 }, (_, i) => 500 + i),
  ...[520, 521, 522, 523, 524, 525, 530, 598, 599],
]

function read(name: ProviderName, status: number, body: unknown, headers = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return PROVIDERS[name].readSubmit({ status, headers, body: Buffer.from(text) }, NOW)
}

function expectedOfGateway(status: number): string {
  if (status === 429) return 'throttled'
  if (status < 400 || status >= 500) return 'unknown'
  if ([408, 425, 444, 460, 463, 494, 499].includes(status)) return 'unknown'
  return [401, 403, 407].includes(status) ? 'fault' : 'failed'
}

/** The result of a provider error with an unknown code. */
function expectedOfOwn(name: ProviderName, status: number): string {
  const isLost = name !== 'bandwidth'
  if (status === 429 || status === 503) return 'throttled'
  if (status < 400) return 'unknown'
  if (status >= 500) return isLost ? 'unknown' : 'throttled'
  if ([408, 425, 444, 460, 463, 494, 499].includes(status)) {
    return isLost ? 'unknown' : status === 408 ? 'throttled' : 'failed'
  }
  return [401, 407].includes(status) ? 'fault' : 'failed'
}

test('a gateway response leaves the outcome unknown, unless the request cannot have reached the provider', () => {
  let count = 0
  for (const name of Object.keys(PROVIDERS) as ProviderName[]) {
    for (const status of STATUSES) {
      for (const [what, body] of Object.entries(GATEWAYS)) {
        const { kind } = read(name, status, body)
        assert.equal(kind, expectedOfGateway(status), `${name} ${status} with ${what}`)
        count += 1
      }
    }
  }
  assert.equal(count, 3 * STATUSES.length * Object.keys(GATEWAYS).length)
})

test('a provider error is classified by its status and code', () => {
  for (const name of Object.keys(PROVIDERS) as ProviderName[]) {
    const { other, slow, sender, fault } = CODES[name]
    for (const status of STATUSES) {
      const kindOf = (code: string) => read(name, status, OWN[name](code)).kind
      const about = `${name} ${status}`
      assert.equal(kindOf(other), expectedOfOwn(name, status), `${about}, a new code`)
      if (status < 400) continue
      assert.equal(kindOf(slow), 'throttled', `${about}, slow down`)
      if (status === 429) continue
      assert.equal(kindOf(fault), 'fault', `${about}, a fault of the host`)
      const isKey = status === 401 || status === 407
      assert.equal(kindOf(sender), isKey ? 'fault' : 'sender', `${about}, a refused sender`)
    }
  }
})

test('a success without a message id is unknown', () => {
  for (const name of Object.keys(PROVIDERS) as ProviderName[]) {
    for (const status of [200, 201, 202, 204]) {
      for (const body of Object.values(GATEWAYS)) {
        assert.equal(read(name, status, body).kind, 'unknown', `${name} ${status} ${body}`)
      }
    }
  }
})

test('Retry-After of a 429 or 503 is honored, in seconds or as a date', () => {
  const date = 'Tue, 17 Nov 2026 12:00:30 GMT'
  for (const name of Object.keys(PROVIDERS) as ProviderName[]) {
    const body = OWN[name](CODES[name].other)
    for (const status of [429, 503]) {
      for (const [value, retryMs] of [
        ['7', 7_000],
        [date, 30_000],
      ] as const) {
        assert.deepEqual(
          read(name, status, body, { 'retry-after': value }),
          { kind: 'throttled', retryAfterMs: retryMs, isForAll: true },
          `${name} ${status} ${value}`,
        )
      }
      assert.deepEqual(read(name, status, body, { 'retry-after': 'soon' }), { kind: 'throttled' })
    }
    assert.equal(read(name, 503, '', { 'retry-after': '7' }).kind, 'unknown', 'from a gateway')
  }
  const both = { 'retry-after': '3', 'x-ratelimit-reset': '9' }
  assert.deepEqual(read('telnyx', 429, '', both), {
    ...{ kind: 'throttled', retryAfterMs: 3_000, isForAll: true },
  })
})

test('a date in Retry-After is compared with the clock of the server that wrote it', () => {
  const headers = {
    'retry-after': 'Tue, 17 Nov 2026 15:00:10 GMT',
    date: 'Tue, 17 Nov 2026 15:00:00 GMT',
  }
  assert.equal(retryAfterMs(headers, NOW), 10_000)
  const past = { 'retry-after': 'Mon, 16 Nov 2026 12:00:00 GMT' }
  assert.equal(retryAfterMs(past, NOW), 0)
  assert.equal(retryAfterMs({ 'retry-after': '999999' }, NOW), 3_600_000, 'at most an hour')
  assert.equal(retryAfterMs({}, NOW), undefined)
  assert.equal(retryAfterMs({ 'retry-after': '-5' }, NOW), undefined)
})
