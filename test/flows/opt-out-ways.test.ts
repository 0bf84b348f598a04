// An opt-out holds for every way to send: nothing reaches the carrier, and nothing is charged. The HTTP ways come from
// openapi.json: a new operation that sends needs a line in WAYS.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import inject from 'light-my-request'
import { boundCustomer, type Customer, plain, smppToken } from '../bound-customer.js'
import { customerRoutes } from '../every-route.js'
import { fakeCarrier } from '../fake-carrier.js'
import { activeCampaign } from '../fixtures.js'
import { eventually, type Json, listenerOf } from '../harness.js'
import { ATT, assertDollars, type Sending, sendingService, TMO, VZW } from '../sending.js'

const IMAGE = ['https://example.com/a.png']

interface Stage extends Sending {
  customer: Customer
  twilio: (form: Record<string, string>) => Promise<Json>
  later: string
}

/** The answer of each way that sends immediately, to a recipient. All refuse. */
const WAYS: Record<string, (stage: Stage, to: string) => Promise<unknown>> = {
  'POST /v1/message/send': ({ trySend }, to) => trySend({ to }),
  'an MMS': ({ trySend }, to) => trySend({ to, mediaUrls: IMAGE }),
  'a scheduled message': ({ trySend, later }, to) => trySend({ to, scheduledAt: later }),
  'a message from a number': ({ service, number }, to) =>
    service.post('/v1/message/send', { from: number, to, body: 'Hello' }),
  'POST /v1/message/batch': ({ service, campaignId }, to) =>
    service.post('/v1/message/batch', { messages: [{ campaign: campaignId, to, body: 'Hello' }] }),
  'a batch with others': ({ service, campaignId }, to) =>
    service.post('/v1/message/batch', {
      messages: [to, to].map((one, i) => ({ campaign: campaignId, to: one, body: `No. ${i}` })),
    }),
  'SMPP submit_sm': ({ customer, number }, to) => customer.submit(plain(number, to, 'Hello')),
  'the Twilio-compatible API': ({ twilio, number }, to) =>
    twilio({ From: number, To: to, Body: 'Hello' }),
  'its scheduled message': ({ twilio, number, later }, to) =>
    twilio({ From: number, To: to, Body: 'Hello', ScheduleType: 'fixed', SendAt: later }),
  'its MMS': ({ twilio, number }, to) => twilio({ From: number, To: to, MediaUrl: IMAGE[0]! }),
}

async function stageOf(t: TestContext) {
  const carrier = fakeCarrier()
  const sending = await sendingService(t, {
    roles: ['api', 'dispatch', 'schedule'],
    env: { LONGCODE_SMPP_PORT: '0', LONGCODE_RATE_LIMIT: '0' },
    carrier,
  })
  const { service } = sending
  const customer = await boundCustomer(t, service, await smppToken(service))
  const { body } = await service.post('/v1/account/twilio')
  const { accountSid, authToken } = body.twilio
  const basic = Buffer.from(`${accountSid}:${authToken}`).toString('base64')
  const twilio = async (form: Record<string, string>) => {
    const response = await inject(listenerOf(service), {
      method: 'POST',
      url: `/2010-04-01/Accounts/${accountSid}/Messages.json`,
      headers: {
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams(form).toString(),
    })
    return { status: response.statusCode, ...response.json() }
  }
  const later = new Date(service.world.clock.now().getTime() + 3_600_000).toISOString()
  return { ...sending, carrier, customer, twilio, later }
}

test('after an opt-out, no way to send reaches the recipient or costs anything', async (t) => {
  const stage = await stageOf(t)
  const { service, carrier, inbound, send, campaignId } = stage
  const routes = customerRoutes(service).filter(
    ({ method, body, path }) =>
      method === 'POST' && /^\/v1\/message\//.test(path) && body !== null && !/preview/.test(path),
  )
  const names = routes.map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(
    names.filter((name) => !(name in WAYS)),
    [],
    'a new way to send: add it to WAYS',
  )
  const waiting = await send({ to: ATT, scheduledAt: stage.later })
  await inbound(VZW, 'STOP')
  await inbound(ATT, 'STOP')
  await service.call('PUT', `/v1/campaign/${campaignId}/optouts/${TMO.slice(1)}`, {
    reason: 'Phone',
  })
  const sentBefore = carrier.submitted.length
  const before = await service.balance()
  for (const [name, way] of Object.entries(WAYS)) {
    for (const to of [VZW, TMO]) {
      const answer = JSON.stringify(await way(stage, to))
      assert.match(answer, /opted out|21610/i, `${name}: ${answer}`)
    }
  }
  assertDollars(await service.balance(), before)
  await stage.advance(3601)
  const failed = await eventually(async () => {
    const isSent = carrier.submitted.some(({ id }) => id === waiting)
    assert.ok(!isSent, 'the scheduled message reached the carrier')
    const message = await stage.message(waiting)
    return message.status === 'FAILED' && message
  }, 'the end of the scheduled message')
  assert.equal(failed.errorCode, 1330, 'accepted before the opt-out, due after it')
  const control = await send({ to: '+14155550109' })
  await eventually(async () => carrier.submitted.some((one) => one.id === control), 'the control')
  const recipients = carrier.submitted.slice(sentBefore).map(({ to }) => to)
  const reached = recipients.filter((to) => to === TMO)
  assert.deepEqual(reached, [], 'nothing was sent to a recipient without a keyword reply')

  const { campaignId: second } = await activeCampaign(service)
  const move = { confirm: campaignId, moveNumbersTo: second }
  assert.equal((await service.post(`/v1/campaign/${campaignId}/end`, move)).status, 200)
  await eventually(async () => {
    const { body } = await service.get(`/v1/number/${stage.number.slice(1)}`)
    return body.number.campaignId === second
  }, 'the number belongs to another campaign')
  for (const to of [VZW, TMO]) {
    const { body } = await service.post('/v1/message/send', { campaign: second, to, body: 'Hello' })
    assert.equal(body.code, 'recipient_opted_out', `${to} after the move of the number`)
  }
})
