// The headers of a delivery, checked against the published vector and library of Standard Webhooks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { eventHeaders } from '../sent-request.js'
import { makeSecret, makeSignature } from '../webhook.js'
import { type SigningTime, signEvent, signStandard } from './sign-event.js'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek'

type Signer = Parameters<typeof signEvent>[0]

function headersOf(
  webhook: Omit<Signer, 'url'> & { signature: string },
  id: string,
  body: string,
  time: SigningTime,
): Record<string, string> {
  const head = signEvent({ url: 'https://example.com/', ...webhook }, id, body, time)
  return eventHeaders(head, id, webhook.signature)
}

test('the signature matches the vector of the Standard Webhooks specification', () => {
  assert.equal(
    signStandard(SECRET, ID, 1_614_265_330, '{"test": 2432232314}'),
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  )
})

test('the public library verifies every signed text', () => {
  const now = new Date()
  for (const text of ['', 'plain', 'héllo ✓ 𝄞', '\u0000 \\ " \n']) {
    const secret = makeSecret()
    const body = JSON.stringify({ text })
    const webhook = {
      signature: makeSignature(),
      secret,
      formerSecret: null,
      formerSecretUntil: null,
    }
    const headers = headersOf(webhook, 'evt_1', body, { now, offsetMs: 0 })
    assert.deepEqual(new Webhook(secret).verify(body, headers), { text })
    assert.throws(() => new Webhook(makeSecret()).verify(body, headers))
    assert.throws(() => new Webhook(secret).verify(`${body} `, headers))
  }
})

test('the contract’s signature is sent verbatim, and the secret is not sent', () => {
  const webhook = {
    signature: 'verbatim',
    secret: SECRET,
    formerSecret: null,
    formerSecretUntil: null,
  }
  const headers = headersOf(webhook, ID, '{}', {
    now: new Date(1_614_265_330_999 + 86_400_000),
    offsetMs: 86_400_000,
  })
  assert.equal(headers['x-webhook-signature'], 'verbatim')
  assert.equal(headers['content-type'], 'application/json')
  assert.equal(headers['webhook-id'], ID)
  assert.equal(headers['webhook-timestamp'], '1614265330')
  assert.match(headers['user-agent']!, /^Longcode\/\d+\.\d+\.\d+$/)
  assert.equal(JSON.stringify(headers).includes(SECRET), false)
})

test('after a rotation, both secrets sign until the previous one expires', () => {
  const now = new Date()
  const [secret, formerSecret] = [makeSecret(), makeSecret()]
  const until = new Date(now.getTime() + 1_000)
  const webhook = { signature: 's', secret, formerSecret, formerSecretUntil: until }
  const both = headersOf(webhook, 'evt_1', '{}', { now, offsetMs: 0 })
  assert.equal(both['webhook-signature']!.split(' ').length, 2)
  new Webhook(secret).verify('{}', both)
  new Webhook(formerSecret).verify('{}', both)

  const after = headersOf(webhook, 'evt_1', '{}', { now: until, offsetMs: 0 })
  new Webhook(secret).verify('{}', after)
  assert.throws(() => new Webhook(formerSecret).verify('{}', after))
})

test('a secret has the form and length that the specification requires', () => {
  const secret = makeSecret()
  assert.match(secret, /^whsec_[A-Za-z0-9+/]+=*$/)
  assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32)
  assert.notEqual(makeSecret(), secret)
})
