// POST /sandbox/call: simulates a phone call to a number and shows what the caller hears.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type Reply, type TestService, testService } from '../harness.js'
import { told } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

const URL = '/sandbox/call'
const TARGET = '+14155550188'
const VOICE = { roles: ['voice'] as const }

async function ownNumber(service: TestService): Promise<string> {
  const { campaignId } = await activeCampaign(service)
  return buyNumber(service, campaignId)
}

function forward(service: TestService, number: string, forwardNumber: string | null) {
  return service.call('PATCH', `/v1/number/${number.slice(1)}/forwarding`, { forwardNumber })
}

/** Calls until the expected status: a forwarding change takes up to a second. */
function callUntil(service: TestService, to: string, status: number): Promise<Reply> {
  return eventually(async () => {
    const reply = await service.post(URL, { to })
    assert.equal(reply.status, 200)
    return reply.body.status === status && reply
  }, `the answer ${status}`)
}

test('a caller is redirected while forwarding is on, and hears “unavailable” before and after', async (t) => {
  const service = await testService(t, VOICE)
  const number = await ownNumber(service)
  const before = await callUntil(service, number, 480)
  const { request, response, ...rest } = before.body
  assert.deepEqual(rest, {
    success: true,
    status: 480,
    reason: 'Temporarily Unavailable',
    forwardedTo: null,
    heard: 'The caller hears that the number is unavailable: its calls are not forwarded.',
  })
  assert.ok(request.startsWith(`INVITE sip:${number}@127.0.0.1;user=phone SIP/2.0\r\n`))
  assert.match(request, /\r\nFrom: <sip:\+14155550100@127\.0\.0\.1>;tag=/)
  assert.ok(response.startsWith('SIP/2.0 480 Temporarily Unavailable\r\n'))

  await forward(service, number, TARGET)
  const { body } = await callUntil(service, number, 302)
  assert.equal(body.forwardedTo, TARGET)
  assert.equal(body.heard, `The caller is redirected to ${TARGET}.`)
  assert.match(body.response, new RegExp(`\\r\\nContact: <sip:\\${TARGET}@`))
  assert.match(body.response, new RegExp(`\\r\\nDiversion: <sip:\\${number}@`))
  await forward(service, number, null)
  await callUntil(service, number, 480)
})

test('calls are counted by number, and once per Idempotency-Key', async (t) => {
  const service = await testService(t, VOICE)
  const number = await ownNumber(service)
  await forward(service, number, TARGET)
  await callUntil(service, number, 302)
  const counts = async () => (await service.get(`/v1/number/${number.slice(1)}/calls`)).body
  const before = await eventually(async () => {
    const read = await counts()
    return read.redirected > 0 && read
  })
  const headers = { 'idempotency-key': 'call-1' }
  const input = { to: number, from: '+12125550123' }
  const first = await service.post(URL, input, { headers })
  const again = await service.post(URL, input, { headers })
  assert.match(first.body.request, /\r\nFrom: <sip:\+12125550123@/)
  assert.deepEqual(again.body, first.body)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  const other = await service.post(URL, { ...input, from: '+12125550124' }, { headers })
  assert.equal(other.status, 422)
  await service.post(URL, input)
  const after = await eventually(async () => {
    const read = await counts()
    return read.redirected >= before.redirected + 2 && read
  })
  assert.equal(after.redirected, before.redirected + 2)
  const told = service.world.metrics.counter('longcode_calls_total', '', ['answer']).samples()
  const redirected = told.find(({ labels }) => labels.includes('redirected'))
  assert.equal(
    redirected?.value,
    after.redirected,
    'the metrics count it like a call from any trunk',
  )
})

test('a call to an unowned number gets 404, and another account’s number returns not found', async (t) => {
  const service = await testService(t, VOICE)
  const { body } = await service.post(URL, { to: '+14155550199' })
  assert.deepEqual(
    [body.success, body.status, body.heard],
    [true, 404, 'The caller hears that the number does not exist: no account owns it.'],
  )
  const other = await service.otherAccount()
  const { campaignId } = await activeCampaign(service, { accountId: other.accountId })
  const theirs = await buyNumber(service, campaignId, { token: other.token })
  const refused = await service.post(URL, { to: theirs })
  assert.equal(refused.status, 404)
  assert.deepEqual(refused.body, {
    success: false,
    error: 'Number not found',
    code: 'number_missing',
  })
})

test('a call with an invalid number is refused by field', async (t) => {
  const service = await testService(t, VOICE)
  const e164 = 'must be a phone number in E.164 format, for example +14155550123'
  for (const [input, error] of [
    [{}, 'to is required'],
    [{ to: '415' }, `to ${e164}`],
    [{ to: TARGET, from: 'me' }, `from ${e164}`],
    [{ to: TARGET, from: '+12125550100>\r\nVia: x' }, `from ${e164}`],
  ] as const) {
    assert.deepEqual(told(await service.post(URL, input)), [400, error])
  }
  await assertFailureShapes(service, {
    method: 'POST',
    url: URL,
    failure: { success: false },
    scope: 'send',
    takesBody: true,
  })
})

test('a process without the voice role refuses the request with an explanation', async (t) => {
  const service = await testService(t)
  assert.deepEqual(told(await service.post(URL, { to: TARGET })), [
    503,
    'This process does not handle phone calls: it runs without the `voice` role (LONGCODE_ROLES).',
  ])
})
