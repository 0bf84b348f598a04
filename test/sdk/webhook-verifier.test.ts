// The webhook verifier of sdk/typescript: what is genuine, and why the rest is not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { LongcodeError, WebhookVerifier } from '../../sdk/typescript/src/index.js'

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, yes').toString('base64')}`
const OTHER = `whsec_${Buffer.from('another secret of some more bytes').toString('base64')}`
const AT = new Date('2026-11-15T12:00:00Z')
const BODY = JSON.stringify({ id: 'evt_1', eventType: 'message.status', data: { sequence: 2 } })

/** Signed with the library that docs/webhooks.md recommends. */
function signed(body = BODY, at = AT, secret = SECRET): Record<string, string> {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(at.getTime() / 1_000),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
  }
}

function verifier(secret: string | string[] = SECRET, now = AT.getTime()) {
  return new WebhookVerifier(secret, { now: () => now })
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof LongcodeError, String(error))
  return error.code
}

test('a genuine event is returned with its type, from every form of body and headers', async () => {
  const event = await verifier().verify(BODY, signed())
  assert.equal(event.eventType, 'message.status')
  if (event.eventType === 'message.status') assert.equal(event.data.sequence, 2)
  const shouted = Object.fromEntries(
    Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), [value]]),
  )
  assert.equal((await verifier().verify(Buffer.from(BODY), shouted)).id, 'evt_1')
  const headers = new Headers(signed())
  const request = new Request('http://hook.test/', { method: 'POST', body: BODY, headers })
  assert.equal((await verifier().verifyRequest(request)).id, 'evt_1')
})

test('a rotated secret and several webhooks at one endpoint are accepted', async () => {
  const both = signed()
  both['webhook-signature'] += ` ${signed(BODY, AT, OTHER)['webhook-signature']}`
  assert.equal((await verifier(OTHER).verify(BODY, both)).id, 'evt_1')
  assert.equal((await verifier([OTHER, SECRET]).verify(BODY, signed())).id, 'evt_1')
})

test('the error names what is wrong: headers, signature, time, or body', async () => {
  const { 'webhook-signature': _, ...unsigned } = signed()
  assert.equal(await codeOf(verifier().verify(BODY, unsigned)), 'webhook_headers_missing')
  assert.equal(await codeOf(verifier().verify(`${BODY} `, signed())), 'webhook_signature_wrong')
  assert.equal(await codeOf(verifier(OTHER).verify(BODY, signed())), 'webhook_signature_wrong')
  const garbage = { ...signed(), 'webhook-signature': 'v2,x v1,%%% v1,' }
  assert.equal(await codeOf(verifier().verify(BODY, garbage)), 'webhook_signature_wrong')
  const old = { ...signed(), 'webhook-timestamp': '1' }
  assert.equal(await codeOf(verifier().verify(BODY, old)), 'webhook_signature_wrong')
  const late = verifier(SECRET, AT.getTime() + 301_000)
  assert.equal(await codeOf(late.verify(BODY, signed())), 'webhook_too_old')
  const early = verifier(SECRET, AT.getTime() - 301_000)
  assert.equal(await codeOf(early.verify(BODY, signed())), 'webhook_too_new')
  const text = 'not JSON'
  assert.equal(await codeOf(verifier().verify(text, signed(text))), 'webhook_body_unreadable')
})

test('a copy of a request is a replay, and a later attempt is not', async () => {
  const one = verifier()
  await one.verify(BODY, signed())
  assert.equal(await codeOf(one.verify(BODY, signed())), 'webhook_replayed')
  const retry = signed(BODY, new Date(AT.getTime() + 5_000))
  assert.equal((await one.verify(BODY, retry)).id, 'evt_1')
  const careless = new WebhookVerifier(SECRET, { now: () => AT.getTime(), replays: null })
  await careless.verify(BODY, signed())
  assert.equal((await careless.verify(BODY, signed())).id, 'evt_1')
})

test('a shared store decides about replays, and memory is released with time', async () => {
  const added: [string, number][] = []
  const replays = {
    add: async (key: string, ttlSeconds: number) => added.push([key, ttlSeconds]) === 1,
  }
  const shared = new WebhookVerifier(SECRET, { now: () => AT.getTime(), replays })
  await shared.verify(BODY, signed())
  assert.equal(await codeOf(shared.verify(BODY, signed())), 'webhook_replayed')
  assert.deepEqual(added[0], [`evt_1.${AT.getTime() / 1_000}`, 600])

  let nowMs = AT.getTime()
  const patient = new WebhookVerifier(SECRET, { now: () => nowMs, toleranceSeconds: 10 })
  await patient.verify(BODY, signed())
  nowMs += 20_000
  assert.equal(await codeOf(patient.verify(BODY, signed())), 'webhook_too_old')
  assert.equal((await patient.verify(BODY, signed(BODY, new Date(nowMs)))).id, 'evt_1')
})

test('something that is not a secret is reported when the program starts', () => {
  assert.throws(() => new WebhookVerifier('q4ZJ0vWb8kT1nY7c'), /not a webhook secret/)
  assert.throws(() => new WebhookVerifier([]), /secret is required/)
})
