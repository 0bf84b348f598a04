// +442071234567 is valid E.164 but not a +1 number. The error must explain that, not reject the format.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BRAND_BODY_EXAMPLE } from '../../src/brands/brand-examples.js'
import { sendingService } from '../sending.js'
import { OPERATOR_TOKEN } from './operator-service.js'

const LONDON = '+442071234567'
const ONLY = 'is not a +1 number: only +1 numbers can be messaged'

test('every field with a phone number refuses other countries: only +1 numbers can be messaged', async (t) => {
  const env = { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN }
  const { service, campaignId, number, trySend } = await sendingService(t, { env })
  const errorOf = async (method: string, url: string, body?: unknown, token = service.token) => {
    const reply = await service.call(method, url, body, { token })
    assert.equal(reply.status, 400, `${url}: ${JSON.stringify(reply.body)}`)
    return reply.body.error
  }
  assert.equal((await trySend({ to: LONDON })).body.error, `to ${ONLY}`)
  assert.equal((await trySend({ from: LONDON })).body.error, `from ${ONLY}`)
  const messages = [{ campaign: campaignId, to: LONDON, body: 'Hello' }]
  const batch = await service.post('/v1/message/batch', { messages })
  assert.equal(batch.body.results[0].error, `to ${ONLY}`)
  const brand = { ...BRAND_BODY_EXAMPLE, phone: LONDON }
  assert.equal(await errorOf('POST', '/v1/brand/create', brand), `phone ${ONLY}`)
  assert.equal(await errorOf('POST', '/v1/brand/draft', { phone: LONDON }), `phone ${ONLY}`)
  const buy = { number: LONDON, campaign: campaignId }
  assert.equal(await errorOf('POST', '/v1/number/buy', buy), `number ${ONLY}`)
  const inbound = { from: LONDON, to: number, body: 'Hello' }
  assert.equal(await errorOf('POST', '/sandbox/inbound', inbound), `from ${ONLY}`)
  for (const text of [LONDON, encodeURIComponent(LONDON)]) {
    const list = `/v1/message/list?campaign=${campaignId}&number=${text}`
    assert.equal(await errorOf('GET', list), `number ${ONLY}`)
  }
  for (const [root, token] of [
    ['/v1', service.token],
    ['/operator/v1', OPERATOR_TOKEN],
  ] as const) {
    const url = `${root}/campaign/${campaignId}/optouts/442071234567`
    const error = await errorOf('PUT', url, { reason: 'By mail' }, token)
    assert.equal(error, `The number in the path ${ONLY}`)
  }
  const withdraw = { numbers: [LONDON] }
  assert.equal(
    await errorOf('POST', '/operator/v1/number/withdraw', withdraw, OPERATOR_TOKEN),
    `numbers[0] ${ONLY}`,
  )

  // The contract fixes this error text, so the details explain the problem.
  const url = `/v1/number/${number.slice(1)}/forwarding`
  const forwarding = await service.call('PATCH', url, { forwardNumber: LONDON })
  assert.equal(forwarding.body.error, 'Invalid number format')
  assert.deepEqual(forwarding.body.details, [
    { field: 'forwardNumber', problem: `${ONLY.replace('messaged', 'called')}, or null` },
  ])
})

test('text that is not a phone number gets an error with the expected format', async (t) => {
  const { trySend } = await sendingService(t)
  for (const to of ['4155550123', '+1415555012', '+14155550123 ', '+0044', 'x', '+44', 7]) {
    const { body } = await trySend({ to })
    assert.equal(body.error, 'to must be a phone number in E.164 format, for example +14155550123')
  }
})
