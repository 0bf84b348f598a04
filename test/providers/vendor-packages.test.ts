// Our signatures against the official Telnyx and Twilio packages: they accept what our fakes sign, we accept what they
// sign, and both refuse the same requests.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TelnyxWebhook } from 'telnyx/lib/webhooks.js'
import twilioPackage from 'twilio'
import { createTelnyx } from '../../src/carriers/providers/telnyx/messages.js'
import { createTwilio } from '../../src/carriers/providers/twilio/messages.js'
import type { CallbackRequest } from '../../src/messages/carrier-http.js'
import { telnyxFace, twilioFace } from './faces.js'
import type { Call, Face, Taken } from './fake-provider.js'

const BASE = 'https://ours.test/carrier/acme'
const STATUS_URL = `${BASE}/status/acc_1/msg_1/aaaaaaaaaaaaaaaaaaaaaa`
const TAKEN: Taken = {
  ...{
    id: 'id1',
    from: '+14152000001',
    to: '+14155550107',
    text: 'x',
    tag: null,
    fields: {},
    ...{ at: new Date(0), atMs: 0 },
  },
  statusUrl: STATUS_URL,
}

function callsOf(face: Face): Call[] {
  const written = {
    id: 'in1',
    from: '+14155550107',
    to: '+14152000001',
    text: "O'Brien & Söhne +1",
  }
  return [
    face.receipt(TAKEN, BASE, { status: 'sent' }),
    face.receipt(TAKEN, BASE, { status: 'failed', code: '30007' }),
    face.inbound({ ...written, mediaUrls: ['https://m.test/1?a=b'] }, BASE),
    face.inbound({ ...written, text: '' }, BASE),
  ]
}

function requestOf({ headers, body }: Pick<Call, 'headers' | 'body'>): CallbackRequest {
  return { method: 'POST', path: '/', query: {}, headers, body: Buffer.from(body) }
}

test('Telnyx’s package accepts what our fake signs, and refuses what we refuse', async () => {
  const face = telnyxFace()
  const { publicKey } = face
  const settings = { baseUrl: 'https://t.test', key: 'KEY', answersKeywords: true }
  const ours = createTelnyx({ ...settings, publicKey, profiles: new Map() })
  const theirs = new TelnyxWebhook(publicKey)
  const isTheirs = (call: Call) =>
    theirs.verify(call.body, call.headers).then(
      () => true,
      () => false,
    )
  const isOurs = ({ url, ...call }: Call) =>
    ours.isGenuine(requestOf(call), { url, now: new Date() })
  for (const call of callsOf(face)) {
    assert.deepEqual([await isTheirs(call), await isOurs(call)], [true, true])
    const timestamp = call.headers['telnyx-timestamp']!
    const wrong: Call[] = [
      { ...call, body: `${call.body} ` },
      { ...call, headers: { ...call.headers, 'telnyx-timestamp': String(Number(timestamp) - 1) } },
      { ...call, headers: { ...call.headers, 'telnyx-signature-ed25519': 'AAAA' } },
      { ...call, headers: { 'telnyx-timestamp': timestamp } },
      telnyxFace().inbound(
        { id: 'x', from: '+1', to: '+2', text: 'signed with another key' },
        BASE,
      ),
    ]
    for (const one of wrong)
      assert.deepEqual([await isTheirs(one), await isOurs(one)], [false, false])
  }
})

test('Twilio’s package and our code accept each other’s signatures and refuse the same requests', () => {
  const token = 'tok-123'
  const sid = 'AC'.padEnd(34, '0')
  const ours = createTwilio({
    ...{ baseUrl: 'https://w.test', accountSid: sid, authToken: token, user: sid, password: 'p' },
    ...{ services: new Map(), answersKeywords: true, now: () => new Date() },
    lookUpUrl: 'https://l.test',
  })
  const isOurs = ({ url, ...call }: Call) =>
    ours.isGenuine(requestOf(call), { url, now: new Date() })
  const isTheirs = ({ url, headers, body }: Call) =>
    twilioPackage.validateRequest(token, headers['x-twilio-signature']!, url, fieldsOf(body))
  for (const call of callsOf(twilioFace(token))) {
    assert.deepEqual([isTheirs(call), isOurs(call)], [true, true])
    const wrong: Call[] = [
      { ...call, body: `${call.body}&x=1` },
      { ...call, url: `${call.url}/` },
      { ...call, url: call.url.replace('https', 'http') },
      { ...call, headers: { 'x-twilio-signature': 'AAAA' } },
    ]
    for (const one of wrong) assert.deepEqual([isTheirs(one), isOurs(one)], [false, false])
  }
  // Repeated names in any order, and one that is a property of every object.
  const bodies = ['b=2&a=1', 'a=2&a=1&a=2&B=&c=x+y%26', 'a=%F0%9F%98%80&constructor=x']
  for (const body of bodies) {
    const signature = twilioPackage.getExpectedTwilioSignature(token, BASE, fieldsOf(body))
    const call = { url: BASE, headers: { 'x-twilio-signature': signature }, body }
    assert.ok(isOurs(call), body)
    assert.ok(!isOurs({ ...call, body: `${body}1` }))
  }
})

/** The form fields as a server passes them to the package. */
function fieldsOf(body: string): Record<string, string | string[]> {
  const form = new URLSearchParams(body)
  const entries = [...new Set(form.keys())].map((name): [string, string | string[]] => {
    const values = form.getAll(name)
    return [name, values.length === 1 ? values[0]! : values]
  })
  return Object.fromEntries(entries)
}
