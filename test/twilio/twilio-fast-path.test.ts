// POST …/Messages.json has a fast path that bypasses the router. A trailing slash takes the regular route. Both must
// return the same reply for every request, in every header and field.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hooksOf } from '../route-hooks.js'
import { VZW } from '../sending.js'
import { type TwilioStage, twilioStage } from './stage.js'

interface Given {
  form: Record<string, string> | string
  headers?: Record<string, string>
  /** Instead of the account's own SID. */
  account?: string
}

async function send({ base, accountSid, authToken }: TwilioStage, end: string, given: Given) {
  const { form, headers, account = accountSid } = given
  const basic = Buffer.from(`${accountSid}:${authToken}`).toString('base64')
  const type = 'application/x-www-form-urlencoded'
  const response = await fetch(`${base}/2010-04-01/Accounts/${account}/Messages.json${end}`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, 'content-type': type, ...headers },
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  })
  const text = await response.text()
  return { status: response.status, headers: Object.fromEntries(response.headers), text }
}

/** IDs and times differ between requests. The framework closes the connection after a body it cannot read. */
function comparable({ status, headers, text }: Awaited<ReturnType<typeof send>>) {
  const { date, 'x-request-id': requestId, connection: _, 'keep-alive': __, ...rest } = headers
  assert.match(requestId ?? '', /^req_[0-9a-z]+$/)
  assert.ok(date)
  const plain = text
    .replaceAll(/[SM]M[0-9a-f]{32}/g, 'SM…')
    .replaceAll(/"date_(\w+)":"[^"]+"/g, '"date_$1":"…"')
  return { status, headers: rest, text: plain }
}

async function assertSame(stage: TwilioStage, given: Given): Promise<number> {
  const fast = comparable(await send(stage, '', given))
  const route = comparable(await send(stage, '/', given))
  assert.deepEqual(fast, route, JSON.stringify(given).slice(0, 200))
  return fast.status
}

test('the fast path and the route of a new message return the same reply', async (t) => {
  const stage = await twilioStage(t)
  const { service, campaignId, number } = stage
  await service.call('PUT', `/v1/campaign/${campaignId}/optouts/14155550108`, { reason: 'Test' })
  const readOnly = await service.tokenWith(['read'])
  const sendOnly = await service.tokenWith(['send'])
  const basic = (user: string, password: string) => ({
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  })
  const good = { From: number, To: VZW, Body: 'Hello' }
  const other = `AC${'0'.repeat(32)}`
  const cases: [number, Given][] = [
    [201, { form: good }],
    [201, { form: { ...good, Body: '“Grüße” 👋 & more = 100%' } }],
    [201, { form: { ...good, Unknown: 'x', SmartEncoded: 'true' } }],
    [201, { form: { ...good, StatusCallback: 'http://127.0.0.1:9/status' } }],
    [201, { form: good, headers: { 'content-type': 'text/plain' } }],
    [201, { form: good, headers: basic('anything', sendOnly) }],
    [201, { form: good, headers: { authorization: `Bearer ${sendOnly}` } }],
    [400, { form: { ...good, To: '+14155550108' } }],
    [400, { form: { ...good, To: 'nobody' } }],
    [400, { form: { ...good, From: '+14155559999' } }],
    [400, { form: { ...good, Body: 'a'.repeat(1601) } }],
    [400, { form: { From: number, To: VZW } }],
    [400, { form: { ...good, StatusCallback: 'ftp://example.test' } }],
    [400, { form: { ...good, ContentSid: 'HX1' } }],
    [400, { form: 'To=%00' }],
    [400, { form: '&'.repeat(300) }],
    [400, { form: '' }],
    [400, { form: good, headers: { 'idempotency-key': 'x'.repeat(256) } }],
    [401, { form: good, account: other }],
    [401, { form: good, headers: basic(other, stage.authToken) }],
    [401, { form: good, headers: basic(stage.accountSid, 'nobody') }],
    [403, { form: good, headers: basic(stage.accountSid, readOnly) }],
    [404, { form: { MessagingServiceSid: `MG${'0'.repeat(32)}`, To: VZW, Body: 'Hello' } }],
    [413, { form: { ...good, Body: 'a'.repeat(300_000) } }],
  ]
  for (const [status, given] of cases) {
    assert.equal(await assertSame(stage, given), status, JSON.stringify(given).slice(0, 200))
  }
})

// The hooks of this route that POST /v1/message/send lacks or has in addition. send-fast-path.test.ts lists what they
// share. If you add one, add its counterpart to twilio-fast-path.ts, a case to the test above, and list it here.
const OWN_SEND = '/v1/message/send'
const ONLY_HERE = ['onRequest checkAccountSid']

test('every hook of the route of a new message has a counterpart in the fast path', async (t) => {
  const { service } = await twilioStage(t)
  const hooks = hooksOf(service, '/2010-04-01/Accounts/:account/Messages.json')
  const shared = hooksOf(service, OWN_SEND)
  assert.deepEqual(
    hooks.filter((hook) => !shared.includes(hook)),
    ONLY_HERE,
  )
})

test('the fast path of a new message remembers Twilio’s idempotency token', async (t) => {
  const stage = await twilioStage(t)
  const form = { From: stage.number, To: VZW, Body: 'Hello' }
  const headers = { 'i-twilio-idempotency-token': 'order-1' }
  const first = await send(stage, '', { form, headers })
  const again = await send(stage, '', { form, headers })
  assert.equal(first.status, 201)
  assert.equal(JSON.parse(again.text).sid, JSON.parse(first.text).sid)
  assert.equal(first.headers['idempotent-replayed'], undefined)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  const changed = await send(stage, '', { form: { ...form, Body: 'Bye' }, headers })
  assert.deepEqual([changed.status, JSON.parse(changed.text).code], [400, 20422])
})
