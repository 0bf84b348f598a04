// POST /v1/message/batch: up to 1000 messages, each with its own result under the rules of a send.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { type Json, type Reply, testService } from '../harness.js'
import { ATT, assertDollars, SMS_PRICE, sendingService, told, VZW } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

const URL = '/v1/message/batch'

function ids(reply: Reply): string[] {
  return reply.body.results.map((result: { id: string }) => result.id)
}

test('every message has its own result, in request order', async (t) => {
  const { service, campaignId: campaign, number, message } = await sendingService(t)
  const optedOut = '+14155550109'
  const optout = `/v1/campaign/${campaign}/optouts/${optedOut.slice(1)}`
  await service.call('PUT', optout, { reason: 'Requested by phone' })
  const before = await service.balance()
  const { status, body } = await service.post(URL, {
    messages: [
      { campaign, to: VZW, body: 'One', metadata: { n: '1' } },
      { campaign, to: VZW },
      { campaign, to: '415', body: 'Three' },
      { from: number, to: ATT, body: 'Four' },
      { campaign: 'cmp_none', to: VZW, body: 'Five' },
      { campaign, to: VZW, body: 'Six', mediaUrls: ['ftp://a.example'] },
      { campaign, to: optedOut, body: 'Seven' },
      { campaign, from: ATT, to: VZW, body: 'Eight' },
      {},
    ],
  })
  assert.equal(status, 200)
  assert.equal(body.success, true)
  const [first, , , fourth] = body.results
  const refused = (error: string, code: string) => ({ success: false, error, code })
  assert.deepEqual(body.results, [
    { success: true, id: first.id },
    refused('Message body required', 'field_invalid'),
    refused('to must be a phone number in E.164 format, for example +14155550123', 'field_invalid'),
    { success: true, id: fourth.id },
    refused('Campaign not found', 'campaign_missing'),
    refused('mediaUrls[0] must start with http:// or https://', 'field_invalid'),
    refused('Recipient has opted out', 'recipient_opted_out'),
    refused(
      "from must be one of the campaign's numbers, listed at /v1/campaign/{id}/numbers",
      'sender_foreign',
    ),
    refused('Message body required', 'field_invalid'),
  ])
  assert.deepEqual((await message(first.id)).metadata, { n: '1' })
  assert.equal((await message(fourth.id)).campaignId, campaign)
  assertDollars(await service.balance(), before - 2 * SMS_PRICE)
})

test('a request of exactly 1 MiB is accepted, and one byte more is refused', async (t) => {
  const service = await testService(t)
  const reply = (bytes: number) =>
    service.call('POST', URL, '{"messages":[]}'.padEnd(bytes), {
      headers: { 'content-type': 'application/json' },
    })
  const read = await reply(1024 * 1024)
  assert.deepEqual([read.status, read.body.code], [400, 'field_invalid'], 'it is read')
  const { status, body } = await reply(1024 * 1024 + 1)
  assert.equal(status, 413)
  assert.match(body.error, /larger than 1 MiB$/)
})

test('a thousand messages fit in one request, and each is charged once', async (t) => {
  const { service, campaignId: campaign } = await sendingService(t)
  const before = await service.balance()
  const messages = Array.from({ length: 1000 }, (_, i) => ({ campaign, to: VZW, body: `No. ${i}` }))
  const reply = await service.post(URL, { messages })
  assert.equal(reply.status, 200)
  assert.equal(new Set(ids(reply)).size, 1000)
  assertDollars(await service.balance(), before - 1000 * SMS_PRICE)
  const list = await service.get(`/v1/message/list?campaign=${campaign}&limit=1000`)
  assert.deepEqual(
    list.body.messages.map((m: { id: string }) => m.id),
    ids(reply).reverse(),
    'listed in the order of the request, newest first',
  )
  const over = await service.post(URL, { messages: [...messages, messages[0]] })
  assert.deepEqual(told(over), [400, 'messages must have at most 1000 entries'])
})

test('messages the balance covers are sent, and the rest are refused', async (t) => {
  const { service, campaignId: campaign } = await sendingService(t, { balance: '1.0158' })
  const entry = { campaign, to: VZW, body: 'Hello' }
  const { body } = await service.post(URL, { messages: [entry, entry, entry] })
  assert.deepEqual(
    body.results.map((result: { code?: string }) => result.code),
    [undefined, undefined, 'balance_insufficient'],
  )
  assertDollars(await service.balance(), 0)
})

test('a repeated batch returns the same reply and sends nothing twice', async (t) => {
  const { service, campaignId: campaign } = await sendingService(t)
  const before = await service.balance()
  const post = (messages: Json[], key: string) =>
    service.post(URL, { messages }, { headers: { 'idempotency-key': key } })
  const messages = [
    { campaign, to: VZW, body: 'One' },
    { campaign, to: VZW },
  ]
  const key = 'k'.repeat(255)
  const [first, twin] = await Promise.all([post(messages, key), post(messages, key)])
  assert.deepEqual(ids(twin), ids(first), 'even if both are sent concurrently')
  const again = await post(messages, key)
  assert.deepEqual(again.body, first.body)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assertDollars(await service.balance(), before - SMS_PRICE)

  // Another request with the same key changes nothing.
  const other = await post([...messages, { campaign, to: VZW, body: 'Three' }], key)
  assert.equal(other.status, 422)
  assert.equal(other.body.code, 'idempotency_other_request')
  assertDollars(await service.balance(), before - SMS_PRICE)

  // Similar keys, or the key of a single send, are different keys.
  const alike = await post(messages, `${'k'.repeat(254)}l`)
  assert.notDeepEqual(ids(alike), ids(first))
  const single = await service.post(
    '/v1/message/send',
    { campaign, to: VZW, body: 'One' },
    { headers: { 'idempotency-key': `${'k'.repeat(253)}#0` } },
  )
  assert.equal(single.status, 200)
})

test('a batch must be a list with at least one message', async (t) => {
  const { service } = await sendingService(t)
  for (const [body, error] of [
    [{}, 'messages is required'],
    [{ messages: [] }, 'messages must have at least 1 entry'],
    [{ messages: {} }, 'messages must be a list'],
    [{ messages: [5] }, 'messages[0] must be an object'],
  ] as const) {
    assert.deepEqual(told(await service.post(URL, body)), [400, error])
  }
})

test('a batch requires the send scope', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'POST',
    url: URL,
    failure: { success: false },
    scope: 'send',
    takesBody: true,
  })
})

test('batch messages that differ in one field keep it, wherever they are in the batch', async (t) => {
  const { service, campaignId: campaign, number, message } = await sendingService(t)
  const second = await buyNumber(service, campaign)
  const other = (await activeCampaign(service)).campaignId
  await buyNumber(service, other)
  const scheduledAt = new Date(service.world.clock.now().getTime() + 3_600_000).toISOString()
  const usual = { campaign, to: VZW, from: number, body: 'Hello' }
  const kinds = [
    [usual, [number, campaign, 1, 'QUEUED', SMS_PRICE]],
    [{ ...usual, from: second }, [second, campaign, 1, 'QUEUED', SMS_PRICE]],
    [{ ...usual, body: 'x'.repeat(200) }, [number, campaign, 2, 'QUEUED', 2 * SMS_PRICE]],
    [{ ...usual, scheduledAt }, [number, campaign, 1, 'SCHEDULED', SMS_PRICE]],
    [{ ...usual, to: ATT }, [number, campaign, 1, 'QUEUED', SMS_PRICE]],
  ] as const
  const foreign = { campaign: other, to: VZW, body: 'Hello' }
  const entries = [...kinds, ...kinds.toReversed(), kinds[0], kinds[2], kinds[0]]
  const { body } = await service.post(URL, {
    messages: [...entries.map(([input]) => input), foreign],
  })
  for (const [i, [input, expected]] of entries.entries()) {
    const { from, to, campaignId, numSegments, status, price } = await message(body.results[i].id)
    assert.equal(to, input.to)
    assert.deepEqual([from, campaignId, numSegments, status, price], expected, String(i))
  }
  assert.equal((await message(body.results.at(-1).id)).campaignId, other)
  const lanes = await service.world.db.query<{ lane: string; waiting: number }>(sql`
    select route || ' ' || (campaign_id = ${campaign}) as lane, count(*)::int as waiting
    from messages group by 1 order by 1`)
  assert.deepEqual(lanes, [
    { lane: 'att-sms true', waiting: 2 },
    { lane: 'open false', waiting: 1 },
    { lane: 'open true', waiting: 11 },
  ])
})

test('a preview with the key of a batch returns what was sent, for the same body only', async (t) => {
  const { service, campaignId: campaign } = await sendingService(t)
  const options = { headers: { 'idempotency-key': 'csv-1' } }
  const batch = {
    messages: [
      { campaign, to: VZW, body: 'One' },
      { campaign, to: '415' },
    ],
  }
  const preview = async (body: object, how: object = options) =>
    (await service.post(`${URL}/preview`, body, how)).body
  assert.equal((await preview(batch)).sent, null)
  const { results } = (await service.post(URL, batch, options)).body
  const { sent, price } = await preview(batch)
  assert.deepEqual(sent.results, results)
  assert.ok(Date.parse(sent.at) > 0)
  assert.ok(price > 0, 'it still has the price')
  assert.equal((await preview({ messages: batch.messages.slice(1) })).sent, null, 'another body')
  assert.equal('sent' in (await preview(batch, {})), false, 'without a key')
  const other = await service.otherAccount()
  assert.equal((await preview(batch, { ...options, token: other.token })).sent, null)
})
