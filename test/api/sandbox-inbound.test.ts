// POST /sandbox/inbound: a simulated phone sends a message to one of the account's numbers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { testService } from '../harness.js'
import { sendingService, told, VZW } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

const URL = '/sandbox/inbound'

test('an inbound message from a simulated phone is stored', async (t) => {
  const { service, inbound, message } = await sendingService(t)
  const before = await service.balance()
  const { status, body } = await inbound(VZW, 'Grüße — ’hi’ \u{1f600}')
  assert.equal(status, 200)
  assert.deepEqual(body, { success: true, id: body.id })
  assert.equal((await message(body.id)).body, 'Grüße — ’hi’ \u{1f600}', 'unchanged')
  assert.equal(await service.balance(), before)
})

test('the same Idempotency-Key creates one inbound message', async (t) => {
  const { service, number, campaignId } = await sendingService(t)
  const headers = { 'idempotency-key': 'in-1' }
  const input = { from: VZW, to: number, body: 'Hi' }
  const first = await service.post(URL, input, { headers })
  const second = await service.post(URL, input, { headers })
  assert.deepEqual(second.body, first.body)
  assert.equal(second.headers['idempotent-replayed'], 'true')
  const list = await service.get(`/v1/message/list?campaign=${campaignId}`)
  assert.equal(list.body.messages.length, 1)
  const other = await service.post(URL, { ...input, body: 'Ho' }, { headers })
  assert.equal(other.status, 422)
})

test('a number nobody holds, or another account’s number, returns not found', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const { campaignId } = await activeCampaign(service, { accountId: other.accountId })
  const foreign = await buyNumber(service, campaignId, { token: other.token })
  for (const to of ['+14155550199', foreign]) {
    const { status, body } = await service.post(URL, { from: VZW, to, body: 'Hi' })
    assert.equal(status, 404)
    assert.deepEqual(body, { success: false, error: 'Number not found', code: 'number_missing' })
  }
})

test('an invalid inbound message is refused by field', async (t) => {
  const { inbound, service, number } = await sendingService(t)
  const e164 = 'must be a phone number in E.164 format, for example +14155550123'
  for (const [input, error] of [
    [{ to: number, body: 'Hi' }, 'from is required'],
    [{ from: 'me', to: number, body: 'Hi' }, `from ${e164}`],
    [{ from: VZW, to: '415', body: 'Hi' }, `to ${e164}`],
    [{ from: VZW, to: number }, 'body is required'],
  ] as const) {
    assert.deepEqual(told(await service.post(URL, input)), [400, error])
  }
  for (const [more, error] of [
    [{ mediaUrls: ['ftp://x'] }, 'mediaUrls[0] must start with http:// or https://'],
    [
      { mediaUrls: Array.from({ length: 11 }, () => 'http://a.example/') },
      'mediaUrls must be a list of at most 10 http(s) URLs',
    ],
    [{ part: { reference: 1, total: 2, sequence: 3 } }, 'part.sequence must be at most part.total'],
    [{ part: { reference: 1, total: 2 } }, 'part.sequence is required'],
    [{ part: { reference: 1, total: 2, sequence: 0 } }, 'part.sequence must be at least 1'],
  ] as const) {
    assert.deepEqual(told(await inbound(VZW, 'Hi', more)), [400, error])
  }
})

test('simulating an inbound message requires the send scope', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'POST',
    url: URL,
    failure: { success: false },
    scope: 'send',
    takesBody: true,
  })
})
