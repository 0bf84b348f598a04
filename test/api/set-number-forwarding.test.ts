// PATCH /v1/number/{number}/forwarding: where the calls of a number go.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { type Reply, type TestService, testService } from '../harness.js'

const TARGET = '+14155550188'

async function ownNumber(service: TestService): Promise<{ number: string; url: string }> {
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  return { number, url: `/v1/number/${number.slice(1)}` }
}

test('a number forwards to another, to a third, and no more after null', async (t) => {
  const service = await testService(t)
  const { number, url } = await ownNumber(service)
  for (const forwardNumber of [TARGET, '+12125550199', null, null]) {
    const { status, body } = await service.call('PATCH', `${url}/forwarding`, { forwardNumber })
    assert.equal(status, 200)
    const forwardEnabled = forwardNumber !== null
    assert.deepEqual(body, { success: true, phoneNumber: number, forwardNumber, forwardEnabled })

    const { body: read } = await service.get(url)
    assert.equal(read.number.forwardNumber, forwardNumber)
    assert.equal(read.number.forwardEnabled, forwardEnabled)
  }
})

test('a leading plus in the path is accepted', async (t) => {
  const service = await testService(t)
  const { number } = await ownNumber(service)
  const { status, body } = await service.call('PATCH', `/v1/number/${number}/forwarding`, {
    forwardNumber: TARGET,
  })
  assert.equal(status, 200)
  assert.equal(body.phoneNumber, number)
})

test('a forwardNumber that is absent or malformed is an invalid number format', async (t) => {
  const service = await testService(t)
  const { url } = await ownNumber(service)
  await service.call('PATCH', `${url}/forwarding`, { forwardNumber: TARGET })
  const bodies: unknown[] = [
    {},
    { forward: TARGET },
    { forwardNumber: '' },
    { forwardNumber: '   ' },
    { forwardNumber: '4155550188' },
    { forwardNumber: '14155550188' },
    { forwardNumber: '+1415555018' },
    { forwardNumber: '+141555501888' },
    { forwardNumber: '+1 415 555 0188' },
    { forwardNumber: '+1(415)5550188' },
    { forwardNumber: '+442071838750' },
    { forwardNumber: `${TARGET}\n` },
    { forwardNumber: 14155550188 },
    { forwardNumber: false },
    { forwardNumber: [TARGET] },
    { forwardNumber: { number: TARGET } },
  ]
  for (const input of bodies) {
    const { status, body } = await service.call('PATCH', `${url}/forwarding`, input)
    const { details, ...rest } = body
    assert.equal(status, 400, JSON.stringify(input))
    assert.deepEqual(rest, {
      success: false,
      error: 'Invalid number format',
      code: 'field_invalid',
    })
    assert.equal(details[0].field, 'forwardNumber')
  }
  const { body } = await service.get(url)
  assert.equal(body.number.forwardNumber, TARGET, 'a refusal changes nothing')
})

test('a number cannot forward to itself', async (t) => {
  const service = await testService(t)
  const { number, url } = await ownNumber(service)
  const { status, body } = await service.call('PATCH', `${url}/forwarding`, {
    forwardNumber: number,
  })
  assert.equal(status, 400)
  const problem = 'must be another number: calls cannot be forwarded to the number they came to'
  assert.deepEqual(body, {
    success: false,
    error: `forwardNumber ${problem}`,
    code: 'field_invalid',
    details: [{ field: 'forwardNumber', problem }],
  })
  assert.equal((await service.get(url)).body.number.forwardNumber, null)
})

test('a number that is unknown, malformed or of another account is not found', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const { campaignId } = await activeCampaign(service, { accountId: other.accountId })
  const foreign = await buyNumber(service, campaignId, { token: other.token })
  const expected = { success: false, error: 'Number not found', code: 'number_missing' }
  for (const path of [foreign.slice(1), TARGET.slice(1), '4155550188', 'x', '%00']) {
    const url = `/v1/number/${path}/forwarding`
    const { status, body } = await service.call('PATCH', url, { forwardNumber: TARGET })
    assert.equal(status, 404, path)
    assert.deepEqual(body, expected)
  }
  const self = await service.call('PATCH', `/v1/number/${foreign}/forwarding`, {
    forwardNumber: foreign,
  })
  assert.deepEqual(self.body, expected)
  const { body } = await service.get(`/v1/number/${foreign}`, { token: other.token })
  assert.equal(body.number.forwardEnabled, false)
})

test('failures before the change carry success false', async (t) => {
  const service = await testService(t)
  const { url } = await ownNumber(service)
  const reader = await service.tokenWith(['read', 'send'])
  const patch = (body: unknown, options = {}): Promise<Reply> =>
    service.call('PATCH', `${url}/forwarding`, body, options)
  const json = { 'content-type': 'application/json' }
  const rows: [Reply, number, string][] = [
    [await patch({ forwardNumber: null }, { token: null }), 401, 'token_absent'],
    [await patch({ forwardNumber: null }, { token: 'lc_no' }), 401, 'token_unknown'],
    [await patch({ forwardNumber: null }, { token: reader }), 403, 'scope_absent'],
    [await patch('{"forwardNumber"', { headers: json }), 400, 'json_broken'],
    [await patch('null', { headers: json }), 400, 'body_invalid'],
    [await patch('x', { headers: { 'content-type': 'text/plain' } }), 415, 'not_json'],
  ]
  for (const [reply, status, code] of rows) {
    assert.equal(reply.status, status)
    assert.equal(reply.body.code, code)
    assert.equal(reply.body.success, false)
  }
})
